#include "tasks/downstream/doc_form.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/template/python_literal.hpp"

namespace yardstick::tasks {
namespace {

using nlohmann::ordered_json;

/// The first documents that speak for one of two readings, and for the other.
struct Witnesses {
  std::optional<std::size_t> yes;
  std::optional<std::size_t> no;

  void add(std::size_t document, bool answer) {
    std::optional<std::size_t>& seen = answer ? yes : no;
    if (!seen) seen = document;
  }
  [[nodiscard]] bool is_mixed() const { return yes && no; }
};

[[noreturn]] void fail(const std::string& key_place, const DocPlace& place, std::size_t document,
                       std::string_view message) {
  throw Error(ErrorKind::kData, std::string(message)).within(key_place).within(place(document));
}

ChoicePlace decide_place(const DocTemplates& templates, std::span<const RenderedDoc> documents,
                         const DocPlace& place) {
  if (!templates.choices) return ChoicePlace::kContinuation;
  Witnesses is_index;
  for (std::size_t i = 0; i < documents.size(); ++i) is_index.add(i, documents[i].text_is_index);
  if (!is_index.is_mixed()) {
    return is_index.yes ? ChoicePlace::kContext : ChoicePlace::kContinuation;
  }
  fail(templates.text.place(), place, *is_index.no,
       fmt::format("doc_to_text gives {}, and at {} the index {}; write an index in every document "
                   "(each choice is a context of its own) or in none (put a word in front of it, "
                   "as in \"Question: {{{{q}}}}\")",
                   quoted(documents[*is_index.no].text), place(*is_index.yes),
                   documents[*is_index.yes].text));
}

/// A list that a template wrote as text is several references; text in brackets of another
/// document would be one.
void refuse_half_lists(const DocTemplates& templates, std::span<const RenderedDoc> documents,
                       const DocPlace& place) {
  Witnesses is_list;
  for (std::size_t i = 0; i < documents.size(); ++i) is_list.add(i, documents[i].target_was_text);
  if (!is_list.is_mixed()) return;
  fail(templates.target_place, place, *is_list.yes,
       fmt::format("doc_to_target gives the list {}, which is read as several right answers, and "
                   "at {} the text {}; name the field alone (`doc_to_target: answer`) if brackets "
                   "are part of an answer, or give a list in every document",
                   quoted(documents[*is_list.yes].target.dump()), place(*is_list.no),
                   quoted(python_str(documents[*is_list.no].target))));
}

/// What the texts under doc_to_target may be, over all documents; those that are neither a choice
/// nor an index are refused where they stand, by read().
struct TargetKinds {
  std::optional<std::size_t> only_text;   ///< the first document with a choice that is no index
  std::optional<std::size_t> only_index;  ///< ... with an index that is no choice
  std::optional<std::size_t> differs;     ///< ... with text that is both, of two choices
  std::optional<std::size_t> typed;       ///< ... with a number or true/false
};

std::string first_text(const RenderedDoc& document) {
  for (const ordered_json& value : targets_of(document)) {
    if (value.is_string()) return value.get<std::string>();
  }
  return "";
}

void note_first(std::optional<std::size_t>& seen, std::size_t document) {
  if (!seen) seen = document;
}

TargetKinds kinds_of(std::span<const RenderedDoc> documents) {
  TargetKinds kinds;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const RenderedDoc& document = documents[i];
    if (document.target.is_array() && document.target.empty()) continue;  // read() refuses it
    for (const ordered_json& value : targets_of(document)) {
      if (value.is_number() || value.is_boolean()) note_first(kinds.typed, i);
      if (!value.is_string()) continue;
      const auto& text = value.get_ref<const std::string&>();
      const auto choice = find_choice(text, document.choices, TargetWords::kTexts);
      const auto index = find_choice(text, document.choices, TargetWords::kIndices);
      if (choice && !index) note_first(kinds.only_text, i);
      if (index && !choice) note_first(kinds.only_index, i);
      if (choice && index && choice != index) note_first(kinds.differs, i);
    }
  }
  return kinds;
}

bool is_field(const TargetTemplate& target) {
  const auto* const source = std::get_if<FieldTemplate>(&target);
  return source != nullptr && source->is_field();
}

[[noreturn]] void fail_mixed(const DocTemplates& templates, std::span<const RenderedDoc> documents,
                             const DocPlace& place, std::size_t text, std::size_t index) {
  const std::string number = first_text(documents[index]);
  fail(templates.target_place, place, text,
       fmt::format("doc_to_target gives {}, the text of a choice, and at {} the index {}; a data "
                   "set is read in one way: write the choices' texts throughout, or their indices",
                   quoted(first_text(documents[text])), place(index),
                   quoted(number.empty() ? documents[index].target.dump() : number)));
}

std::string two_readings(const DocTemplates& templates, const RenderedDoc& document,
                         const std::string& place) {
  const std::string text = first_text(document);
  const auto index = find_choice(text, document.choices, TargetWords::kIndices).value_or(0);
  return fmt::format(
      "{}: doc_to_target: every value is the text of a choice and an index, too; they are read as "
      "indices ({}: {} is the choice {})",
      templates.target_place, place, quoted(text),
      quoted(document.choices.at(static_cast<std::size_t>(index))));
}

DecidedForm decide_target(const DocTemplates& templates, std::span<const RenderedDoc> documents,
                          ValueTypes types, const DocPlace& place) {
  const TargetKinds kinds = kinds_of(documents);
  const bool prefers_indices =
      kinds.typed || !is_field(templates.target) || types == ValueTypes::kTextAlone;
  DecidedForm decided;
  if (!kinds.only_text && (prefers_indices || kinds.only_index)) {
    decided.form.target = TargetWords::kIndices;
    if (kinds.differs && !kinds.only_index) {
      decided.note = two_readings(templates, documents[*kinds.differs], place(*kinds.differs));
    }
    return decided;
  }
  const std::optional<std::size_t> index = kinds.only_index ? kinds.only_index : kinds.typed;
  if (kinds.only_text && index) fail_mixed(templates, documents, place, *kinds.only_text, *index);
  return decided;
}

}  // namespace

DecidedForm decide_form(const DocTemplates& templates, std::span<const RenderedDoc> documents,
                        ValueTypes types, const DocPlace& place) {
  const ChoicePlace where = decide_place(templates, documents, place);
  if (where == ChoicePlace::kContext) return {.form = {.place = where}, .note = ""};
  if (!templates.choices) {
    refuse_half_lists(templates, documents, place);
    return {};
  }
  return decide_target(templates, documents, types, place);
}

}  // namespace yardstick::tasks
