// Records: the items of a data file as JSON objects, whatever the file's format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace yardstick::tasks {

struct Record {
  nlohmann::ordered_json fields;  ///< an object, its keys in the order of the file
  std::int64_t line = 0;          ///< 1-based line that it begins on; number of the element in JSON

  bool operator==(const Record&) const = default;
};

/// All records of a file. By its name: .jsonl or .ndjson (an object a line), .json (an array of
/// objects, an object whose only array is one, or an object a line), .csv or .tsv (RFC 4180, with a
/// header line; every value is text), .txt (a record a line: `text`); each plain, .gz or .zst.
/// @throws Error(kData) "items.csv:12: ..." for what is not such a file.
[[nodiscard]] std::vector<Record> read_records(const std::filesystem::path& file);

/// Whether a file's values have types of their own (JSON), or are text in any case (.csv, .tsv,
/// .txt), numbers too.
enum class ValueTypes { kTyped, kTextAlone };
[[nodiscard]] ValueTypes value_types(const std::filesystem::path& file);

/// Endings of the names of files that read_records() takes, without .gz and .zst: ".jsonl", ...
[[nodiscard]] std::span<const std::string_view> record_suffixes();

}  // namespace yardstick::tasks
