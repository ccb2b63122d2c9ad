// What a file that should be text holds in truth.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace yardstick {

/// What `bytes` are if they are no text, and what to do about it: "is gzip data; ...", to stand
/// behind the file's name. Known: gzip, Zstandard, zip and Parquet by their first bytes, UTF-16 and
/// UTF-32, a Git LFS pointer in the file's place, a byte-order mark alone, a NUL byte.
/// Nothing for all else.
[[nodiscard]] std::optional<std::string> why_not_text(std::string_view bytes);

}  // namespace yardstick
