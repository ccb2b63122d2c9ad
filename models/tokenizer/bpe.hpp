// The BPE model: a word becomes its smallest symbols, which merge in the order of their ranks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/engine/request.hpp"
#include "models/tokenizer/merge_table.hpp"
#include "models/tokenizer/pre_tokenizer.hpp"
#include "models/tokenizer/vocabulary.hpp"
#include "models/tokenizer/word_cache.hpp"

namespace yardstick::tokenizer {

/// The options of a "BPE" model.
struct BpeOptions {
  ModelInput input = ModelInput::kCharacters;
  std::optional<std::string> unknown_token;
  enum class Unknown { kOneEach, kFused } unknown = Unknown::kOneEach;
  enum class ByteFallback { kOff, kOn } byte_fallback = ByteFallback::kOff;
  /// kWhole: a word that is a token as it stands becomes that token, whatever the merges say.
  enum class Words { kMerged, kWhole } words = Words::kMerged;
};

/// Working memory of one thread.
struct BpeScratch {
  struct Node {
    TokenId id = 0;
    std::uint32_t length_bytes = 0;  // 0 = merged into the node in front of it
    bool unknown = false;
    std::int32_t previous = -1;
    std::int32_t next = -1;
  };
  std::vector<Node> nodes;
  std::vector<std::uint64_t> queue;
  std::vector<Symbol> symbols;
  WordCache cache;
};

/// Immutable and thread-safe. Source: Sennrich et al. 2016, with the details of Hugging Face
/// tokenizers' BPE model.
class Bpe {
 public:
  /// @param merges the list of "a b" texts or [a, b] pairs, first rank first
  /// @throws Error(kData) if a merge names a token that the vocabulary lacks.
  Bpe(BpeOptions options, const Vocabulary& vocabulary, const nlohmann::json& merges);

  /// The symbols of one word (valid UTF-8, raw bytes, not ByteLevel's alphabet); their lengths add
  /// up to the word's. O(n log n). The result lives in `scratch` until the next call.
  /// @throws Error(kData) if a character has no token and the model no unknown token.
  [[nodiscard]] std::span<const Symbol> encode(std::string_view word, BpeScratch& scratch) const;

  /// Length in bytes of a first part of `word` that encodes to the same symbols alone as in the
  /// word, so that words, not whole texts, are merged and remembered. Where no merge crosses the
  /// border in front of a U+2581, that is SentencePiece's word; else it is all of `word`.
  [[nodiscard]] std::size_t independent_prefix(std::string_view word) const;

  [[nodiscard]] const BpeOptions& options() const { return options_; }

 private:
  void index_bytes(const Vocabulary& vocabulary);
  void index_characters(const Vocabulary& vocabulary);
  void read_merges(const Vocabulary& vocabulary, const nlohmann::json& merges);
  [[nodiscard]] std::optional<TokenId> character_id(std::string_view word, std::size_t at,
                                                    std::size_t length) const;
  void split(std::string_view word, BpeScratch& scratch) const;
  void add_unknown(std::string_view word, std::size_t at, std::size_t length,
                   BpeScratch& scratch) const;
  void merge(BpeScratch& scratch) const;

  BpeOptions options_;
  MergeTable merges_;
  std::array<std::optional<TokenId>, 256> bytes_;  // of a byte: its own token or its fallback
  bool every_byte_ = false;
  Vocabulary::Ids characters_;  // tokens of one character; unused with kBytes
  std::vector<std::optional<TokenId>> common_characters_;  // those below U+3400, by code point
  Vocabulary::Ids words_;                                  // whole words, with kWhole
  std::optional<TokenId> unknown_;
  bool has_borders_ = false;  // no merge crosses the border in front of a U+2581
};

}  // namespace yardstick::tokenizer
