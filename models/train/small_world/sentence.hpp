// A sentence with its size in tokens of the small world's tokenizer, which splits words and
// punctuation marks and knows every word: the generator can count without a tokenizer at hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yardstick::small_world {

/// Tokens of a text of whole words, two-digit numbers, punctuation marks, single spaces and line
/// breaks: words, marks and line breaks count one each.
[[nodiscard]] std::int64_t count_tokens(std::string_view text);

}  // namespace yardstick::small_world
