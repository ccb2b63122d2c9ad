#include "tasks/downstream/field_template.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/template/python_literal.hpp"

namespace yardstick::tasks {
namespace {

using nlohmann::ordered_json;

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// choices.text, short for {{choices.text}}.
bool is_path_into(std::string_view text, const FieldNames& names) {
  const std::size_t dot = text.find('.');
  return dot != std::string_view::npos && names.contains(text.substr(0, dot)) &&
         is_word(text.substr(dot + 1));
}

}  // namespace

ordered_json value_of(const Template& source, const ordered_json& document) {
  if (source.is_expression()) return source.evaluate(document);
  return source.render(document);
}

FieldTemplate::FieldTemplate(std::string text, std::string place, const FieldNames& names)
    : template_(is_path_into(text, names) ? "{{" + text + "}}" : text, std::move(place)) {
  if (names.contains(text)) field_ = std::move(text);
}

const ordered_json& FieldTemplate::field_of(const ordered_json& document) const {
  const auto found = document.find(*field_);
  if (found != document.end()) return *found;
  throw Error(ErrorKind::kData,
              fmt::format("{}: the document has no field '{}'", place(), *field_));
}

ordered_json FieldTemplate::value(const ordered_json& document) const {
  return field_ ? field_of(document) : value_of(template_, document);
}

std::string FieldTemplate::text(const ordered_json& document) const {
  if (!field_) return template_.render(document);
  const ordered_json& value = field_of(document);
  if (value.is_string() || value.is_number() || value.is_boolean()) return python_str(value);
  throw Error(ErrorKind::kData, fmt::format("{}: the field '{}' is {}, expected text", place(),
                                            *field_, value.type_name()));
}

FieldTemplate read_field_template(const Fields& fields, std::string_view key,
                                  const std::string& text, const FieldNames& names) {
  if (is_word(text) && !names.contains(text)) {
    const std::vector<std::string> known(names.begin(), names.end());
    throw fields.error(key, fmt::format("'{}' is neither a field of the documents{} nor a template "
                                        "such as {{{{question}}}}; fields: {}",
                                        text, did_you_mean(text, known), fmt::join(known, ", ")));
  }
  return {text, fields.where(key), names};
}

}  // namespace yardstick::tasks
