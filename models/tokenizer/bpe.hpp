// The BPE model: a word becomes its smallest symbols, which merge in the order of their ranks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/engine/request.hpp"
#include "models/tokenizer/merge_table.hpp"
#include "models/tokenizer/merges.hpp"
#include "models/tokenizer/model.hpp"
#include "models/tokenizer/pre_tokenizer.hpp"
#include "models/tokenizer/vocabulary.hpp"

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

/// Immutable and thread-safe. Source: Sennrich et al. 2016, with the details of Hugging Face
/// tokenizers' BPE model.
class Bpe final : public Model {
 public:
  /// @throws Error(kData) if the options need a token that the vocabulary lacks.
  Bpe(BpeOptions options, const Vocabulary& vocabulary, const std::vector<Merge>& merges);

  /// The word is raw bytes, not ByteLevel's alphabet. O(n log n).
  [[nodiscard]] std::span<const Symbol> encode(std::string_view word,
                                               Scratch& scratch) const override;

  /// Where no merge crosses the border in front of a U+2581, that is SentencePiece's word; else it
  /// is all of `word`.
  [[nodiscard]] std::size_t independent_prefix(std::string_view word) const override;

  [[nodiscard]] std::string description() const override;

 private:
  void index_bytes(const Vocabulary& vocabulary);
  void index_characters(const Vocabulary& vocabulary);
  void find_borders(const Vocabulary& vocabulary, const std::vector<Merge>& merges);
  [[nodiscard]] std::optional<TokenId> character_id(std::string_view word, std::size_t at,
                                                    std::size_t length) const;
  void split(std::string_view word, Scratch& scratch) const;
  void add_unknown(std::string_view word, std::size_t at, std::size_t length,
                   Scratch& scratch) const;
  void merge(Scratch& scratch) const;

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
