// Python's operators on values. All throw Fault with Python's reason.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tasks/template/limits.hpp"
#include "tasks/template/value.hpp"

namespace yardstick::tasks::jinja {

enum class Arithmetic { kAdd, kSubtract, kMultiply, kDivide, kFloorDivide, kModulo, kPower };
enum class Comparison {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn
};

[[nodiscard]] std::string_view to_string(Arithmetic operation);
[[nodiscard]] std::string_view to_string(Comparison comparison);

[[nodiscard]] Value arithmetic(Arithmetic operation, const Value& left, const Value& right);
[[nodiscard]] Value negative(const Value& value);
[[nodiscard]] Value positive(const Value& value);

[[nodiscard]] bool equal(const Value& left, const Value& right);
/// left < right.
[[nodiscard]] bool less(const Value& left, const Value& right);
/// item in container
[[nodiscard]] bool contains(const Value& container, const Value& item);
[[nodiscard]] bool compare(Comparison comparison, const Value& left, const Value& right);

/// len(value)
[[nodiscard]] std::int64_t length(const Value& value);

/// value[index] for a position or a key; undefined where there is none.
[[nodiscard]] Value item(const Value& value, const Value& index);
/// value[start:stop:step]; None stands for a bound that is not written.
[[nodiscard]] Value slice(const Value& value, const Value& start, const Value& stop,
                          const Value& step);

/// The number that an int or bool is.
[[nodiscard]] std::optional<Integer> as_integer(const Value& value);
/// As above within 64 bits, with sign. @throws Fault naming `what` otherwise.
[[nodiscard]] std::int64_t require_integer(const Value& value, std::string_view what);
/// The text of a str. @throws Fault naming `what` otherwise.
[[nodiscard]] const std::string& require_text(const Value& value, std::string_view what);
/// An int, bool or float as a float.
[[nodiscard]] std::optional<double> as_number(const Value& value);
/// @throws Fault for what cannot be the key of a dict.
void require_hashable(const Value& value);

}  // namespace yardstick::tasks::jinja
