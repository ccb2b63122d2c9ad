// Text files, plain or compressed (.gz, .zst), checked to be UTF-8 before anything looks at them.
#pragma once

#include <filesystem>
#include <string>

namespace yardstick::tasks {

/// The whole file, inflated if its name ends in .gz or .zst (at most 8 GiB of text).
/// @throws Error(kData) naming the file and what it holds if that is no text (gzip, UTF-16, a Git
/// LFS pointer, ...), or the offset of the first byte that is not valid UTF-8.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file);

}  // namespace yardstick::tasks
