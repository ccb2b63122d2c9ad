#include "tasks/data/oddities.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace yardstick::tasks {
namespace {

constexpr std::array<std::string_view, 3> kIdFields = {"id", "_id", "question_id"};

bool is_quoted(std::string_view text) {
  return text.size() > 2 && text.front() == '"' && text.back() == '"';
}

}  // namespace

void Oddities::look_at(const nlohmann::ordered_json& fields, std::int64_t line) {
  for (const std::string_view field : kIdFields) {
    const auto found = fields.find(field);
    if (found == fields.end() || found->is_structured() || found->is_null()) continue;
    Ids& ids = ids_[std::string(field)];
    const auto [first, is_new] = ids.first_line.try_emplace(found->dump(), line);
    if (is_new) continue;
    if (ids.repeated++ == 0) {
      ids.example = fmt::format("{:.60} at {} and {}", first->first, first->second, line);
    }
  }
  for (const auto& [name, value] : fields.items()) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) continue;
    Texts& texts = texts_[name];
    ++texts.all;
    if (is_quoted(value.get_ref<const std::string&>())) ++texts.quoted;
  }
}

void Oddities::look_at_lines(std::string_view text) {
  Texts& lines = texts_["line"];
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    ++lines.all;
    if (is_quoted(line)) ++lines.quoted;
  }
}

std::vector<std::string> Oddities::notes(const std::string& file) const {
  std::vector<std::string> notes;
  for (const auto& [field, ids] : ids_) {
    if (ids.repeated == 0) continue;
    notes.push_back(
        fmt::format("{}: {} records have an '{}' that stands before ({}); each counts "
                    "as one of its own",
                    file, ids.repeated, field, ids.example));
  }
  constexpr std::int64_t kTelling = 2;  // one text in quotes may be a quotation
  for (const auto& [field, texts] : texts_) {
    if (texts.all < kTelling || texts.quoted < texts.all) continue;
    notes.push_back(
        fmt::format("{}: every '{}' begins and ends with a quote, as a column cut out "
                    "of a CSV does; the quotes are read as part of the text",
                    file, field));
  }
  return notes;
}

}  // namespace yardstick::tasks
