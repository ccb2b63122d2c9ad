// doc_to_text, doc_to_choice and doc_to_target: what a task's templates say about one document, as
// lm-evaluation-harness reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/fields.hpp"
#include "tasks/downstream/field_template.hpp"
#include "tasks/downstream/question.hpp"

namespace yardstick::tasks {

/// Where the choices of a question stand.
enum class ChoicePlace {
  kContinuation,  ///< behind one context
  kContext,       ///< each is a context of its own, in front of one continuation (WinoGrande):
                  ///< doc_to_text is the right choice's index, doc_to_target the continuation
};

/// What the templates say about one document.
struct DocReading {
  std::string text;                  ///< doc_to_text; empty for ChoicePlace::kContext
  std::vector<std::string> choices;  ///< doc_to_choice
  std::vector<std::int64_t> gold;    ///< indices of the right choices
  std::vector<std::string> targets;  ///< right answers: texts of the right choices, or the
                                     ///< references; for kContext the continuation

  bool operator==(const DocReading&) const = default;
};

/// The value of doc_to_choice: the templates of a list, or one that gives a list.
using ChoiceTemplate = std::variant<FieldTemplate, std::vector<FieldTemplate>>;

/// The value of doc_to_target: an index (or number), a list of references, or a template.
using TargetTemplate = std::variant<nlohmann::json, std::vector<FieldTemplate>, FieldTemplate>;

/// Immutable and thread-safe.
struct DocTemplates {
  FieldTemplate text;
  std::optional<ChoiceTemplate> choices;
  TargetTemplate target;
  std::string choices_place;  ///< "task.yaml:4:16", for messages
  std::string target_place;

  /// kContext if doc_to_text gives a whole number and there are choices.
  [[nodiscard]] ChoicePlace place_of(const nlohmann::ordered_json& document) const;

  /// Text, choices, gold and targets of a document.
  /// @throws Error(kData) for a document that the templates do not fit: fewer than two choices, an
  /// empty one, a target that is none of them.
  [[nodiscard]] DocReading read(const nlohmann::ordered_json& document, ChoicePlace place) const;
};

/// Reads doc_to_text, doc_to_choice and doc_to_target (or the project's own prompt, choices,
/// answer). @param names of the documents' fields
/// @throws Error(kConfig) for keys that are missing or of no use to `type`.
[[nodiscard]] DocTemplates read_doc_templates(Fields& fields, const FieldNames& names,
                                              OutputType type);

/// `templates` with those that `fields`, a fewshot_config, has in their place.
[[nodiscard]] DocTemplates override_doc_templates(DocTemplates templates, Fields& fields,
                                                  const FieldNames& names);

}  // namespace yardstick::tasks
