// YAML files as JSON values plus the place of every value, so that the rest of the project has one
// data type for configuration and can still say file:line:column.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace yardstick {

/// A configuration value with a way to say where each part of it stands in its file.
class Located {
 public:
  Located() = default;
  Located(nlohmann::json values, std::string file);

  [[nodiscard]] const nlohmann::json& values() const { return values_; }
  [[nodiscard]] nlohmann::json& values() { return values_; }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// "suite.yaml:14:5" for a JSON pointer like "/models/0/path" (the value's nearest known parent
  /// if it has no mark of its own, e.g. one that was set on the command line).
  [[nodiscard]] std::string where(std::string_view pointer) const;

  /// "suite.yaml:14:3" of the key itself (not its value), for unknown keys.
  [[nodiscard]] std::string where_key(std::string_view pointer) const;

  /// The sub-value at `pointer` with its own marks, e.g. one task of a suite.
  [[nodiscard]] Located at(std::string_view pointer) const;

  void mark(const std::string& pointer, std::string value_place, std::string key_place);

 private:
  struct Places {
    std::string value;
    std::string key;
  };
  nlohmann::json values_;
  std::string file_;
  std::map<std::string, Places> places_;
};

/// Reads one YAML document. Scalars are typed by the YAML 1.2 core schema (`off` is text, `1e-6` is
/// a number, "false" in quotes is text); anchors and aliases work; a duplicate key, a second
/// document or a key that is not text is an error.
/// `!function utils.f`, a call of Python, becomes the object {"!function": "utils.f"}.
/// @throws Error(kConfig) "file:line:column: ...".
[[nodiscard]] Located parse_yaml(std::string_view text, std::string_view name);
[[nodiscard]] Located read_yaml(const std::filesystem::path& file);

}  // namespace yardstick
