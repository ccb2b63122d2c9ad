// The small world's tokenizer as a tokenizer.json: byte-level BPE whose vocabulary holds every word
// of the language, so that any text can be encoded and the language's own is encoded word by word.
#pragma once

#include <cstdint>
#include <string>

namespace yardstick::small_world {

/// The file's contents. Ids: 256 bytes, then numbers of up to two digits, words with and without a
/// leading space, and <|endoftext|> last. No BOS.
[[nodiscard]] std::string tokenizer_json();

/// The tokenizer_config.json beside it.
[[nodiscard]] std::string tokenizer_config_json();

/// Ids that the tokenizer has: rows of a model's embedding.
[[nodiscard]] std::int64_t vocabulary_size();

/// Id of <|endoftext|>.
[[nodiscard]] std::int64_t end_of_text_id();

}  // namespace yardstick::small_world
