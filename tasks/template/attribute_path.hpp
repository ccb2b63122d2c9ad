// The argument `attribute` of filters: 'a.b.0', or a position.
#pragma once

#include <vector>

#include "tasks/template/value.hpp"

namespace yardstick::tasks::jinja {

class AttributePath {
 public:
  /// The path to the value itself.
  AttributePath() = default;
  /// @param written text with dots, an integer, or None for the value itself
  explicit AttributePath(const Value& written);

  /// Undefined where the last step leads nowhere; `fallback`, unless null, stands for each missing
  /// step. @throws Fault where an earlier step leads nowhere.
  [[nodiscard]] Value of(const Value& value, const Value* fallback = nullptr) const;

 private:
  std::vector<Value> steps_;
};

/// A text in lower case, other values as they are: what sort, min and unique compare.
[[nodiscard]] Value without_case(const Value& value);

}  // namespace yardstick::tasks::jinja
