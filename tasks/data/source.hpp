// Where a task's data lie and how they are written: the `data` key of a task, read once, so that
// every task names files, formats and fields in the same way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/fields.hpp"
#include "core/hash.hpp"

namespace yardstick::tasks {

enum class DataFormat {
  kText,   ///< one document of UTF-8 text
  kJsonl,  ///< one JSON object a line
  kNpy,    ///< token ids as a NumPy array of integers
  kBin,    ///< token ids, little endian, no header
  kJson,   ///< token ids: one array, or an array of arrays (documents)
};

/// Width of one token id of a headless file.
enum class TokenWidth { kU2, kU4 };

struct DataSource {
  std::filesystem::path path;
  DataFormat format = DataFormat::kText;
  std::string field = "text";  ///< of a JSON line
  TokenWidth width = TokenWidth::kU2;

  [[nodiscard]] bool holds_text() const {
    return format == DataFormat::kText || format == DataFormat::kJsonl;
  }
};

[[nodiscard]] std::string_view to_string(DataFormat format);

/// Reads `data`: a path, or a mapping with path, format, field, dtype. The format defaults to what
/// the file's name says (.txt .raw .jsonl .npy .bin .json, with or without .gz or .zst for text).
/// A relative path starts at `base`.
/// @throws Error(kConfig) for a missing file, or a format that is not among `accepted`.
[[nodiscard]] DataSource read_source(Fields& fields, const std::filesystem::path& base,
                                     std::span<const DataFormat> accepted);

/// Adds format, field, width and the digest of the file's bytes; never its path.
void describe(const DataSource& source, Fingerprint& fingerprint);

}  // namespace yardstick::tasks
