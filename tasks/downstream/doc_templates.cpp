#include "tasks/downstream/doc_templates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/downstream/excerpt.hpp"
#include "tasks/template/python_literal.hpp"

namespace yardstick::tasks {
namespace {

using nlohmann::ordered_json;

/// Whether a target is one of given choices.
enum class Choices { kNone, kGiven };

Choices given(const std::optional<ChoiceTemplate>& choices) {
  return choices ? Choices::kGiven : Choices::kNone;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string shortened(std::string text) {
  constexpr std::size_t kMostBytes = 60;
  if (text.size() <= kMostBytes) return text;
  return std::string(beginning_of(text, kMostBytes - 3)) + "...";
}

Error data_error(std::string message) { return {ErrorKind::kData, std::move(message)}; }

/// Digits as an index, bounded so that no number overflows.
std::int64_t index_of(std::string_view digits) {
  if (digits.size() > 9)
    throw data_error(fmt::format("the index {} is too large", shortened(std::string(digits))));
  return std::stoll(std::string(digits));
}

std::int64_t checked_index(std::int64_t index, std::size_t choices) {
  if (index >= 0 && index < static_cast<std::int64_t>(choices)) return index;
  throw data_error(fmt::format("the target is {}, but the choices are numbered from 0 to {}", index,
                               static_cast<std::int64_t>(choices) - 1));
}

std::vector<std::string> texts_of(const ordered_json& list, std::string_view key) {
  std::vector<std::string> texts;
  for (const ordered_json& element : list) {
    if (element.is_structured() || element.is_null()) {
      throw data_error(fmt::format("{}: element {} is {}, expected text", key, texts.size(),
                                   element.type_name()));
    }
    texts.push_back(python_str(element));
  }
  return texts;
}

std::vector<std::string> render_all(const std::vector<FieldTemplate>& templates,
                                    const ordered_json& document) {
  std::vector<std::string> texts;
  for (const FieldTemplate& source : templates) texts.push_back(source.text(document));
  return texts;
}

std::vector<std::string> read_choices(const ChoiceTemplate& choices, const ordered_json& document) {
  if (const auto* const list = std::get_if<std::vector<FieldTemplate>>(&choices)) {
    return render_all(*list, document);
  }
  const FieldTemplate& source = std::get<FieldTemplate>(choices);
  ordered_json value = source.value(document);
  if (value.is_string() && !source.is_field()) {
    // A template that prints a list, which the harness reads back.
    std::optional<ordered_json> literal = parse_python_literal(value.get<std::string>());
    if (literal) value = *std::move(literal);
  }
  if (value.is_array()) return texts_of(value, "doc_to_choice");
  throw data_error(fmt::format("{}: doc_to_choice gives {}, expected a list of choices",
                               source.place(), shortened(python_repr(value))));
}

/// What doc_to_target gives.
void render_target(const TargetTemplate& target, const ordered_json& document,
                   RenderedDoc& rendered) {
  if (const auto* const literal = std::get_if<nlohmann::json>(&target)) {
    rendered.target = *literal;
    return;
  }
  if (const auto* const list = std::get_if<std::vector<FieldTemplate>>(&target)) {
    rendered.target = render_all(*list, document);
    return;
  }
  const FieldTemplate& source = std::get<FieldTemplate>(target);
  rendered.target = source.value(document);
  if (source.is_field() || rendered.target.is_array()) return;
  const std::string text = python_str(rendered.target);
  rendered.target = text;
  if (!text.starts_with('[') || !text.ends_with(']')) return;
  std::optional<ordered_json> literal = parse_python_literal(text);
  if (!literal || !literal->is_array()) return;
  rendered.target = *std::move(literal);
  rendered.target_was_text = true;
}

/// A whole number or true/false is an index, text what `words` says.
/// Nothing for text that is neither.
std::optional<std::int64_t> find_gold(const ordered_json& target,
                                      const std::vector<std::string>& choices, TargetWords words) {
  if (target.is_boolean()) return checked_index(target.get<bool>() ? 1 : 0, choices.size());
  if (target.is_number_integer()) {
    return checked_index(target.get<std::int64_t>(), choices.size());
  }
  if (target.is_number_float()) {
    const double number = target.get<double>();
    // pandas writes the whole numbers of a column with gaps as 1.0.
    constexpr double kMost = 1e9;
    if (number == std::trunc(number) && std::abs(number) < kMost) {
      return checked_index(static_cast<std::int64_t>(number), choices.size());
    }
  }
  if (!target.is_string()) {
    throw data_error(fmt::format("the target is {}, expected an index or the right choice's text",
                                 shortened(python_repr(target))));
  }
  const auto& text = target.get_ref<const std::string&>();
  if (const std::optional<std::int64_t> found = find_choice(text, choices, words)) return found;
  if (words == TargetWords::kIndices && is_digits(text)) {
    return checked_index(index_of(text), choices.size());  // throws
  }
  return std::nullopt;
}

/// "; did you mean the field 'answer'?" if the target is text of the task file that looks like one.
std::string field_hint(const TargetTemplate& target, const ordered_json& document) {
  const auto* const source = std::get_if<FieldTemplate>(&target);
  if (source == nullptr || source->is_field()) return "";
  std::vector<std::string> names;
  for (const auto& [name, unused] : document.items()) names.push_back(name);
  const std::optional<std::string> near = nearest_name(source->written(), names);
  return near ? fmt::format("; did you mean the field '{}'?", *near) : "";
}

/// Runs `work`; an error of it names the place of the key that it is about.
template <typename Work>
auto at_key(const std::string& place, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw error.within(place);
  }
}

std::string target_text(const ordered_json& target) {
  if (target.is_string() || target.is_number() || target.is_boolean()) return python_str(target);
  throw data_error(fmt::format("the target is {}, expected text", target.type_name()));
}

void check_choices(const std::vector<std::string>& choices) {
  if (choices.size() < 2) {
    throw data_error(fmt::format("found {} choice(s), expected at least 2", choices.size()));
  }
  const auto empty = std::find(choices.begin(), choices.end(), "");
  if (empty == choices.end()) return;
  throw data_error(
      fmt::format("choice {} is empty; there is nothing to score", empty - choices.begin()));
}

void read_targets(const DocTemplates& templates, const RenderedDoc& rendered,
                  const ordered_json& document, TargetWords words, DocReading& reading) {
  for (const ordered_json& value : targets_of(rendered)) {
    if (!templates.choices) {
      reading.targets.push_back(target_text(value));
      continue;
    }
    const std::optional<std::int64_t> gold = find_gold(value, reading.choices, words);
    if (!gold) {
      throw data_error(
          fmt::format("the target '{}' is neither one of the {} choices nor an "
                      "index{}",
                      shortened(value.get<std::string>()), reading.choices.size(),
                      field_hint(templates.target, document)));
    }
    reading.gold.push_back(*gold);
    reading.targets.push_back(reading.choices[static_cast<std::size_t>(*gold)]);
  }
}

void read_continuation(const DocTemplates& templates, const RenderedDoc& rendered,
                       DocReading& reading) {
  reading.gold = {at_key(templates.text.place(), [&] {
    if (is_digits(rendered.text)) {
      return checked_index(index_of(rendered.text), reading.choices.size());
    }
    throw data_error(
        fmt::format("doc_to_text gives {}, expected the index of the right choice, "
                    "as the data set's other documents have it",
                    quoted(rendered.text)));
  })};
  reading.targets = {at_key(templates.target_place, [&] { return target_text(rendered.target); })};
}

// The value of one of two names for the same thing: ours, or lm-evaluation-harness's.
std::string_view either(Fields& fields, std::string_view ours, std::string_view theirs) {
  const bool has_ours = fields.has(ours);
  if (!fields.has(theirs)) return has_ours ? ours : theirs;
  if (has_ours) {
    throw fields.error(theirs, fmt::format("says the same as '{}'; remove one of them", ours));
  }
  return theirs;
}

std::string scalar_text(const nlohmann::json& value) { return python_str(ordered_json(value)); }

/// The elements of a list, each a template.
std::vector<FieldTemplate> read_list(Fields& fields, std::string_view key) {
  std::vector<FieldTemplate> out;
  for (const std::string& pointer : fields.elements(key)) {
    const nlohmann::json& element =
        fields.located().values().at(nlohmann::json::json_pointer(pointer));
    if (element.is_structured() || element.is_null()) {
      throw fields.error(
          key, fmt::format("element {} is {}, expected text", out.size(), element.type_name()));
    }
    out.emplace_back(scalar_text(element), fields.located().where(pointer), FieldNames{});
  }
  return out;
}

FieldTemplate read_text(Fields& fields, std::string_view key, const FieldNames& names) {
  if (fields.raw(key).is_number_integer()) {
    return {std::to_string(fields.integer(key, 0, 1'000'000)), fields.where(key), {}};
  }
  return read_field_template(fields, key, fields.text(key), names);
}

std::optional<ChoiceTemplate> read_choice_key(Fields& fields, std::string_view key,
                                              const FieldNames& names) {
  if (!fields.has(key)) return std::nullopt;
  const nlohmann::json raw = fields.raw(key);
  if (raw.is_object()) {
    throw fields.error(key, "found a mapping, whose order is not kept; write a list of choices");
  }
  if (!raw.is_array()) return read_field_template(fields, key, fields.text(key), names);
  std::vector<FieldTemplate> list = read_list(fields, key);
  if (list.size() < 2) throw fields.error(key, "expected at least two choices");
  return list;
}

TargetTemplate read_target(Fields& fields, std::string_view key, const FieldNames& names,
                           Choices choices) {
  const nlohmann::json raw = fields.raw(key);
  if (raw.is_number() || raw.is_boolean()) return raw;
  if (raw.is_array()) {
    const bool holds_indices =
        choices == Choices::kGiven &&
        std::all_of(raw.begin(), raw.end(), [](auto& value) { return value.is_number_integer(); });
    if (holds_indices) return raw;
    return read_list(fields, key);
  }
  const std::string text = fields.text(key);
  // One word may be the right choice itself, the same for every document.
  if (choices == Choices::kGiven && !names.contains(text))
    return FieldTemplate(text, fields.where(key), names);
  return read_field_template(fields, key, text, names);
}

/// True if the key stands there, be it with null.
bool names_key(const Fields& fields, std::string_view key) {
  return fields.located().values().contains(nlohmann::json::json_pointer(fields.pointer(key)));
}

}  // namespace

RenderedDoc DocTemplates::render(const ordered_json& document) const {
  RenderedDoc rendered;
  if (choices) {
    rendered.choices = read_choices(*choices, document);
    at_key(choices_place, [&] { check_choices(rendered.choices); });
  }
  rendered.text = text.text(document);
  rendered.text_is_index =
      text.is_field() ? text.value(document).is_number_integer() : is_digits(rendered.text);
  render_target(target, document, rendered);
  return rendered;
}

DocReading DocTemplates::read(RenderedDoc rendered, const ordered_json& document,
                              const DocForm& form) const {
  DocReading reading;
  reading.choices = std::move(rendered.choices);
  if (form.place == ChoicePlace::kContext) {
    read_continuation(*this, rendered, reading);
    return reading;
  }
  reading.text = std::move(rendered.text);
  at_key(target_place, [&] { read_targets(*this, rendered, document, form.target, reading); });
  return reading;
}

std::vector<ordered_json> targets_of(const RenderedDoc& rendered) {
  const ordered_json& target = rendered.target;
  if (!target.is_array()) return {target};
  if (target.empty()) throw data_error("the list of targets is empty");
  return {target.begin(), target.end()};
}

std::optional<std::int64_t> find_choice(const std::string& text,
                                        const std::vector<std::string>& choices,
                                        TargetWords words) {
  constexpr std::size_t kMostDigits = 9;
  if (words == TargetWords::kTexts) {
    const auto found = std::find(choices.begin(), choices.end(), text);
    if (found == choices.end()) return std::nullopt;
    return found - choices.begin();
  }
  if (!is_digits(text) || text.size() > kMostDigits) return std::nullopt;
  const std::int64_t index = index_of(text);
  if (index >= std::ssize(choices)) return std::nullopt;
  return index;
}

std::string quoted(const std::string& text) { return fmt::format("'{}'", shortened(text)); }

DocTemplates read_doc_templates(Fields& fields, const FieldNames& names, OutputType type) {
  const std::string_view text_key = either(fields, "prompt", "doc_to_text");
  const std::string_view choice_key = either(fields, "choices", "doc_to_choice");
  const std::string_view target_key = either(fields, "answer", "doc_to_target");
  std::optional<ChoiceTemplate> choices = read_choice_key(fields, choice_key, names);
  if (type == OutputType::kMultipleChoice && !choices) {
    static_cast<void>(fields.text(choice_key));  // throws: the key is missing
  }
  const bool is_rolling = type == OutputType::kLoglikelihoodRolling;
  FieldTemplate text = is_rolling && !fields.has(text_key)
                           ? FieldTemplate("", fields.where(text_key), {})
                           : read_text(fields, text_key, names);
  TargetTemplate target = read_target(fields, target_key, names, given(choices));
  return {.text = std::move(text),
          .choices = std::move(choices),
          .target = std::move(target),
          .choices_place = fields.where(choice_key),
          .target_place = fields.where(target_key)};
}

DocTemplates override_doc_templates(DocTemplates templates, Fields& fields,
                                    const FieldNames& names) {
  if (fields.has("doc_to_text")) templates.text = read_text(fields, "doc_to_text", names);
  if (names_key(fields, "doc_to_choice")) {  // null: the examples have answers and no choices
    templates.choices = read_choice_key(fields, "doc_to_choice", names);
    templates.choices_place = fields.where("doc_to_choice");
  }
  if (fields.has("doc_to_target")) {
    templates.target = read_target(fields, "doc_to_target", names, given(templates.choices));
    templates.target_place = fields.where("doc_to_target");
  }
  return templates;
}

}  // namespace yardstick::tasks
