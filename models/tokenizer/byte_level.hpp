// The alphabet of byte-level BPE: one printable character for each of the 256 bytes, as in GPT-2.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace yardstick::tokenizer {

/// The character that stands for `byte`: itself where it is printable Latin-1, U+0100 and up for
/// the others in order (space is U+0120). Source: Radford et al. 2019, encoder.py.
[[nodiscard]] std::string byte_level_character(unsigned char byte);

/// The bytes that `text` spells in the alphabet, or nothing if another character is in it.
[[nodiscard]] std::optional<std::string> byte_level_bytes(std::string_view text);

}  // namespace yardstick::tokenizer
