// What the readers of tokenizer.json's components share: a component is an object with a "type",
// and one that is not supported is refused by name.
#pragma once

#include <string>
#include <string_view>

#include "core/fields.hpp"
#include "core/yaml.hpp"

namespace yardstick::tokenizer {

/// One object of tokenizer.json, opened for reading.
class Component {
 public:
  /// @param role as people call it: "normalizer", "pre-tokenizer", "decoder", "post-processor"
  Component(const Located& file, const std::string& pointer, std::string_view role);

  [[nodiscard]] const std::string& type() const { return type_; }
  [[nodiscard]] Fields& fields() { return fields_; }
  [[nodiscard]] bool flag(std::string_view key, bool fallback);

  /// The value of {"pattern": {"String": ..}} or {"pattern": {"Regex": ..}} as PCRE2 spells it.
  [[nodiscard]] std::string pattern();

  /// @throws Error(kConfig): this type of component is none of `supported`.
  [[noreturn]] void refuse_type(std::string_view supported) const;
  /// @throws Error(kConfig): option `key` has a value that is not supported.
  [[noreturn]] void refuse_option(std::string_view key, std::string_view reason) const;

 private:
  std::string role_;
  Fields fields_;
  std::string type_;
};

}  // namespace yardstick::tokenizer
