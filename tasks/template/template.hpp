// Prompt templates: the part of Jinja that lm-evaluation-harness's YAML files use, with Python's
// values (docs/tasks/templates.md). What is not supported is refused, never approximated.
#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

namespace yardstick::tasks {

/// A parsed template. Immutable, thread-safe, cheap to copy.
class Template {
 public:
  /// @param text UTF-8
  /// @param place where the template stands, for messages: "arc_easy.yaml:4:14"
  /// @throws Error(kConfig) "arc_easy.yaml:4:14: template 1:12: ..." for what is no Jinja, or not
  /// supported.
  Template(std::string text, std::string place);

  /// The text for one document, whose fields are the template's variables.
  /// @throws Error(kData) naming line:column of the template: an unknown field, an operation that
  /// Python refuses, more than 16 MiB of text.
  [[nodiscard]] std::string render(const nlohmann::ordered_json& document) const;

  /// True if the template is one {{ expression }} and nothing around it.
  [[nodiscard]] bool is_expression() const;

  /// The value of the only expression; tuples are arrays. @throws as render(), and for a value that
  /// JSON has not.
  [[nodiscard]] nlohmann::ordered_json evaluate(const nlohmann::ordered_json& document) const;

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  struct Parsed;

  /// "arc_easy.yaml:4:14: template 1:12"
  [[nodiscard]] std::string where(std::size_t offset) const;

  std::string text_;
  std::string place_;
  std::shared_ptr<const Parsed> parsed_;
};

}  // namespace yardstick::tasks
