#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace yardstick::tokenizer {

/// The bytes that `text` spells in base64 (RFC 4648, padded), or nothing if it is no base64.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace yardstick::tokenizer
