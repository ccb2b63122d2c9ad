// Small text helpers that several rooms need: UTF-8 checks, nearest names, lengths like "4k".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace yardstick {

/// Byte offset of the first byte that is not well-formed UTF-8 (RFC 3629: no surrogates, no
/// overlong forms), or nothing if `text` is valid.
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// `text` as a terminal may show it: control characters (C0, DEL, C1) and bytes that are not UTF-8
/// are written out, "\\n", "\\x1b", "\\u009b". What comes from a file is printed this way, or it
/// could move the cursor, hide lines or worse.
[[nodiscard]] std::string escaped(std::string_view text);

/// The same for a message of several lines: line ends and tabs stay.
[[nodiscard]] std::string escaped_lines(std::string_view text);

/// Whether a C0 or C1 control character or DEL stands in `text`.
[[nodiscard]] bool has_control_character(std::string_view text);

/// Number of Unicode code points. `text` must be valid UTF-8.
[[nodiscard]] std::int64_t count_code_points(std::string_view text);

/// The candidate closest to `word` by edit distance, if close enough to be a typing mistake.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view word,
                                                      std::span<const std::string> candidates);

/// " (did you mean 'needle'?)" or "", to be put behind an error about an unknown name.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string> candidates);

/// A token count: digits with optional `_` separators, decimals or exponent, and an optional
/// suffix k, K (1024), m or M (1024^2): "4k" = 4096, "128K" = 131072, "1e6" = 1000000, "131_072".
/// Nothing if the text is not such a number, is not whole, not positive, or exceeds 2^40.
[[nodiscard]] std::optional<std::int64_t> parse_length(std::string_view text);

/// 4096 -> "4k", 1000 -> "1000": the short form that parse_length reads back.
[[nodiscard]] std::string format_length(std::int64_t length_tokens);

}  // namespace yardstick
