// The merges of a BPE model, as its files spell them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/engine/request.hpp"
#include "models/tokenizer/vocabulary.hpp"

namespace yardstick::tokenizer {

/// Two neighbouring tokens become one; lower ranks first, the leftmost among equals.
struct Merge {
  TokenId left = 0;
  TokenId right = 0;
  TokenId merged = 0;
  std::uint32_t rank = 0;
};

/// tokenizer.json's "merges": "a b" texts or [a, b] pairs, first rank first.
/// @throws Error(kData) naming the merge that is malformed or needs a token that there is not.
[[nodiscard]] std::vector<Merge> read_merges(const nlohmann::json& merges,
                                             const Vocabulary& vocabulary);

/// merges.txt: lines "a b", first rank first, behind an optional "#version" line.
/// @throws Error(kData) naming the line that is malformed or needs a token that there is not.
[[nodiscard]] std::vector<Merge> parse_merges(std::string_view text, const Vocabulary& vocabulary);

struct RankedToken {
  TokenId id = 0;
  std::uint32_t rank = 0;
};

/// Every merge of two of `tokens` whose joint text is one of them, with the rank of that one: the
/// rule of SentencePiece and tiktoken, which keep no list of merges.
/// @throws Error(kData) if a token is longer than kLongestToken.
[[nodiscard]] std::vector<Merge> merges_of(const std::vector<RankedToken>& tokens,
                                           const Vocabulary& vocabulary);

inline constexpr std::size_t kLongestToken = 4096;  ///< bytes; real ones end at about 200

}  // namespace yardstick::tokenizer
