#include "tasks/data/records.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/json.hpp"
#include "tasks/data/compressed.hpp"
#include "tasks/data/csv.hpp"
#include "tasks/data/jsonl.hpp"
#include "tasks/data/text_file.hpp"

namespace yardstick::tasks {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kSuffixes = {".jsonl", ".ndjson", ".json",
                                                       ".csv",   ".tsv",    ".txt"};

std::vector<Record> read_lines(const std::filesystem::path& file) {
  std::vector<Record> records;
  for_each_json_line(file, [&](std::int64_t line, ordered_json&& object) {
    records.push_back({.fields = std::move(object), .line = line});
    return Proceed::kNext;
  });
  return records;
}

std::vector<Record> read_text_lines(const std::filesystem::path& file) {
  const std::string text = read_text_file(file);
  std::vector<Record> records;
  std::int64_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = std::min(text.find('\n', begin), text.size());
    std::size_t end = newline;
    if (end > begin && text[end - 1] == '\r') --end;
    records.push_back({.fields = {{"text", text.substr(begin, end - begin)}}, .line = ++line});
    begin = newline + 1;
  }
  return records;
}

std::vector<Record> records_of_array(ordered_json&& array, const std::string& name) {
  std::vector<Record> records;
  records.reserve(array.size());
  for (ordered_json& element : array) {
    const auto number = static_cast<std::int64_t>(records.size()) + 1;
    if (!element.is_object()) {
      throw Error(ErrorKind::kData, fmt::format("{}: element {} is {}, expected an object", name,
                                                number, element.type_name()));
    }
    records.push_back({.fields = std::move(element), .line = number});
  }
  return records;
}

/// The array of records in an object such as {"version": "1", "data": [...]}.
ordered_json& only_array(ordered_json& root, const std::string& name) {
  ordered_json* found = nullptr;
  std::vector<std::string> arrays;
  for (auto& [key, value] : root.items()) {
    if (!value.is_array()) continue;
    arrays.push_back(key);
    found = &value;
  }
  if (arrays.size() == 1) return *found;
  throw Error(
      ErrorKind::kData,
      fmt::format("{}: expected an array of objects, or an object that holds one array of "
                  "them; found an object with {} arrays{}{}",
                  name, arrays.size(), arrays.empty() ? "" : ": ", fmt::join(arrays, ", ")));
}

/// Records of nested articles, as SQuAD's files have them, would be one record an article.
void check_flat(const std::vector<Record>& records, const std::string& name) {
  if (records.empty()) return;
  const ordered_json& first = records.front().fields;
  const auto nested = std::find_if(first.begin(), first.end(), [](const ordered_json& value) {
    return value.is_array() && !value.empty() && value.front().is_object() &&
           std::any_of(value.front().begin(), value.front().end(), [](const ordered_json& inner) {
             return inner.is_array() && !inner.empty() && inner.front().is_object();
           });
  });
  if (nested == first.end()) return;
  throw Error(ErrorKind::kData,
              fmt::format("{}: its records nest ('{}' holds objects that hold lists of objects, as "
                          "in SQuAD's files); write one flat object a question to a .jsonl file",
                          name, nested.key()));
}

std::vector<Record> read_json_file(const std::filesystem::path& file) {
  const std::string text = read_text_file(file);
  const std::string first_line = text.substr(0, text.find('\n'));
  // Some .json files hold an object a line; a single object on one line is one, too.
  if (first_line.starts_with('{') && nlohmann::json::accept(first_line) &&
      text.find_first_not_of(" \t\r\n", first_line.size()) != std::string::npos) {
    return read_lines(file);
  }
  const std::string name = file.string();
  ordered_json root = parse_ordered_json(text, name);
  if (root.is_object()) {
    std::vector<Record> records = records_of_array(std::move(only_array(root, name)), name);
    check_flat(records, name);
    return records;
  }
  if (!root.is_array()) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: expected an array of objects, found {}", name, root.type_name()));
  }
  return records_of_array(std::move(root), name);
}

}  // namespace

std::vector<Record> read_records(const std::filesystem::path& file) {
  const std::string suffix = inflated_name(file).extension().string();
  if (suffix == ".jsonl" || suffix == ".ndjson") return read_lines(file);
  if (suffix == ".json") return read_json_file(file);
  if (suffix == ".csv") return parse_separated(read_text_file(file), ',', file.string());
  if (suffix == ".tsv") return parse_separated(read_text_file(file), '\t', file.string());
  if (suffix == ".txt") return read_text_lines(file);
  throw Error(
      ErrorKind::kData,
      fmt::format("{}: the name does not say how records are written; expected an ending "
                  "of: {} (each also with .gz or .zst){}",
                  file.string(), fmt::join(kSuffixes, ", "),
                  suffix == ".parquet" ? "; write a Parquet file as JSON lines first" : ""));
}

ValueTypes value_types(const std::filesystem::path& file) {
  const std::string suffix = inflated_name(file).extension().string();
  const bool is_text = suffix == ".csv" || suffix == ".tsv" || suffix == ".txt";
  return is_text ? ValueTypes::kTextAlone : ValueTypes::kTyped;
}

std::span<const std::string_view> record_suffixes() { return kSuffixes; }

}  // namespace yardstick::tasks
