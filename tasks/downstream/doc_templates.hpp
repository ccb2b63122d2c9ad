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

/// What text under doc_to_target names. Numbers and true/false are indices in any case.
enum class TargetWords {
  kTexts,    ///< the right choice's own text
  kIndices,  ///< its index, in digits
};

/// How the documents of a data set are read: one way for all of them (doc_form.hpp decides it).
struct DocForm {
  ChoicePlace place = ChoicePlace::kContinuation;
  TargetWords target = TargetWords::kTexts;

  bool operator==(const DocForm&) const = default;
};

/// What the templates give for one document, before anyone says what it means.
struct RenderedDoc {
  std::string text;            ///< doc_to_text
  bool text_is_index = false;  ///< a whole number, or digits out of a template
  std::vector<std::string> choices;
  /// doc_to_target: a number, true/false, text, or a list of those.
  nlohmann::ordered_json target;
  bool target_was_text = false;  ///< a list that a template wrote as text: "['a', 'b']"
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

  /// @throws Error(kData) for a document that the templates do not fit: a field that is missing,
  /// fewer than two choices, an empty one.
  [[nodiscard]] RenderedDoc render(const nlohmann::ordered_json& document) const;

  /// Text, choices, gold and targets of a document, from what render() gave for it.
  /// @throws Error(kData) for a target that is none of the choices.
  [[nodiscard]] DocReading read(RenderedDoc rendered, const nlohmann::ordered_json& document,
                                const DocForm& form) const;
};

/// The targets as a list: one, or several. @throws Error(kData) for an empty list.
[[nodiscard]] std::vector<nlohmann::ordered_json> targets_of(const RenderedDoc& rendered);

/// The index of the right choice that `text` names, or nothing if it names none in that way.
[[nodiscard]] std::optional<std::int64_t> find_choice(const std::string& text,
                                                      const std::vector<std::string>& choices,
                                                      TargetWords words);

/// `text` in quotes, its end left out if it is long: for messages.
[[nodiscard]] std::string quoted(const std::string& text);

/// Reads doc_to_text, doc_to_choice and doc_to_target (or the project's own prompt, choices,
/// answer). @param names of the documents' fields
/// @throws Error(kConfig) for keys that are missing or of no use to `type`.
[[nodiscard]] DocTemplates read_doc_templates(Fields& fields, const FieldNames& names,
                                              OutputType type);

/// `templates` with those that `fields`, a fewshot_config, has in their place.
[[nodiscard]] DocTemplates override_doc_templates(DocTemplates templates, Fields& fields,
                                                  const FieldNames& names);

}  // namespace yardstick::tasks
