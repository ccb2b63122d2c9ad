// Files that may be compressed: the bytes inside a plain, gzip or Zstandard file.
#pragma once

#include <filesystem>
#include <string>

namespace yardstick::tasks {

/// The file's bytes, inflated if its name ends in .gz or .zst (at most 8 GiB; members or frames one
/// behind the other are one file).
/// @throws Error(kData) naming a file that cannot be read, is not compressed as its name says,
/// is damaged, ends too early or holds something else behind its last member.
[[nodiscard]] std::string read_inflated(const std::filesystem::path& file);

/// The name without .gz or .zst: "arc.jsonl.gz" -> "arc.jsonl".
[[nodiscard]] std::filesystem::path inflated_name(const std::filesystem::path& file);

}  // namespace yardstick::tasks
