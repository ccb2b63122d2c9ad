// What a template can call: filters, tests and methods, each a line of a table.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tasks/template/limits.hpp"
#include "tasks/template/value.hpp"

namespace yardstick::tasks::jinja {

/// Arguments as written.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string_view, Value>> named;
};

inline constexpr std::size_t kMaxParameters = 4;

/// One call: the value in front of the filter or method, and its arguments.
struct Invocation {
  const Value& subject;
  const Arguments& arguments;
  Budget& budget;
  std::array<const Value*, kMaxParameters> bound{};  ///< by parameter; null where none was given

  [[nodiscard]] bool has(std::size_t i) const { return bound.at(i) != nullptr; }
  [[nodiscard]] const Value& get(std::size_t i) const { return *bound.at(i); }
  /// The text, integer or truth of the i-th argument, or `fallback`.
  [[nodiscard]] std::string text(std::size_t i, std::string_view fallback) const;
  [[nodiscard]] std::int64_t integer(std::size_t i, std::int64_t fallback) const;
  [[nodiscard]] bool is_true(std::size_t i) const;
};

struct Callable {
  std::string_view name;
  /// Names of the parameters, in order; a leading '*' takes all arguments as they are.
  std::array<std::string_view, kMaxParameters> parameters{};
  std::size_t required = 0;
  Value (*apply)(const Invocation&) = nullptr;
};

/// @throws Fault where the arguments do not fit the parameters, or as the callable does.
[[nodiscard]] Value invoke(const Callable& callable, const Value& subject,
                           const Arguments& arguments, Budget& budget);

/// Null if `callables` has no such name.
[[nodiscard]] const Callable* find(std::span<const Callable> callables, std::string_view name);

/// "'lenght' is not a known filter (did you mean 'length'?); filters: abs, ..."
[[nodiscard]] std::string unknown_name(std::string_view kind, std::string_view name,
                                       std::vector<std::string> known);

}  // namespace yardstick::tasks::jinja
