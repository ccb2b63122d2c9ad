// A value of a task file that names a field of the documents or is a template over them, as
// lm-evaluation-harness reads doc_to_text and its siblings.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/fields.hpp"
#include "tasks/template/template.hpp"

namespace yardstick::tasks {

using FieldNames = std::set<std::string, std::less<>>;

/// A template's value: that of its expression if it is one and nothing else, else its text.
[[nodiscard]] nlohmann::ordered_json value_of(const Template& source,
                                              const nlohmann::ordered_json& document);

/// Immutable and thread-safe.
class FieldTemplate {
 public:
  /// Text that is one of `names` stands for that field, other text is a template.
  /// @throws Error(kConfig) as Template
  FieldTemplate(std::string text, std::string place, const FieldNames& names);

  /// The field as it is, or the template's value.
  /// @throws Error(kData) for a document without that field, or as Template::render().
  [[nodiscard]] nlohmann::ordered_json value(const nlohmann::ordered_json& document) const;

  /// The field as text (numbers as Python prints them), or the rendered template.
  /// @throws Error(kData) as value(), and for a field that is null, a list or a mapping.
  [[nodiscard]] std::string text(const nlohmann::ordered_json& document) const;

  [[nodiscard]] bool is_field() const { return field_.has_value(); }
  [[nodiscard]] const std::string& written() const { return template_.text(); }
  [[nodiscard]] const std::string& place() const { return template_.place(); }

 private:
  [[nodiscard]] const nlohmann::ordered_json& field_of(
      const nlohmann::ordered_json& document) const;

  Template template_;
  std::optional<std::string> field_;
};

/// The FieldTemplate under `key`. One word that is no field and no template is a mistake, as is a
/// constant where the document's own text is meant.
/// @throws Error(kConfig) with the nearest field.
[[nodiscard]] FieldTemplate read_field_template(const Fields& fields, std::string_view key,
                                                const std::string& text, const FieldNames& names);

}  // namespace yardstick::tasks
