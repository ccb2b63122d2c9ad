// Prompt templates: plain text with references like {{question}}, {{choices.text[0]}}. A small part
// of what lm-evaluation-harness's YAML allows; what is not supported is refused, never
// approximated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

namespace yardstick::tasks {

/// A parsed template. Immutable and thread-safe.
class Template {
 public:
  /// `place` says where the template stands, for messages: "arc_easy.yaml:4:14".
  /// @throws Error(kConfig) "arc_easy.yaml:4:14: template 1:12: ..." for a reference that is not
  /// closed or not of the form name(.name | [index])*.
  Template(std::string text, std::string place);

  /// The text with every reference replaced by the item's value. Text stands as it is, numbers and
  /// true/false as JSON writes them.
  /// @throws Error(kData) naming line:column of the template for a field that the item has not, or
  /// whose value is a list, a mapping or null.
  [[nodiscard]] std::string render(const nlohmann::ordered_json& item) const;

  /// True if the template is one reference and nothing else; then value() may be a list.
  [[nodiscard]] bool is_reference() const;

  /// The value of the only reference. @throws as render() for an unknown field.
  [[nodiscard]] const nlohmann::ordered_json& value(const nlohmann::ordered_json& item) const;

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  using Step = std::variant<std::string, std::size_t>;
  struct Reference {
    std::string written;
    std::size_t offset = 0;  ///< of "{{" in the template
    std::vector<Step> path;
  };
  using Piece = std::variant<std::string, Reference>;

  [[nodiscard]] Reference parse_reference(std::size_t open, std::size_t close) const;
  [[nodiscard]] const nlohmann::ordered_json& look_up(const Reference& reference,
                                                      const nlohmann::ordered_json& item) const;
  /// "arc_easy.yaml:4:14: template 1:12"
  [[nodiscard]] std::string where(std::size_t offset) const;

  std::string text_;
  std::string place_;
  std::vector<Piece> pieces_;
};

}  // namespace yardstick::tasks
