// The Unigram model: of all ways to cut a word into pieces, the one with the largest sum of scores.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/engine/request.hpp"
#include "models/tokenizer/model.hpp"
#include "models/tokenizer/prefix_trie.hpp"

namespace yardstick::tokenizer {

/// One piece; scores are natural logarithms of probabilities.
struct ScoredPiece {
  std::string text;
  TokenId id = 0;
  double score = 0;
  /// kUserDefined: chosen over any other way to spell it.
  enum class Kind { kNormal, kUserDefined } kind = Kind::kNormal;
};

struct UnigramOptions {
  std::optional<TokenId> unknown;
  /// Ids of the bytes that unknown characters fall back on, if they do.
  std::optional<std::array<TokenId, 256>> bytes;
  /// How sums of scores are kept. On long texts they decide between close candidates, so each
  /// library's own way is followed: SentencePiece adds in single precision over the whole text,
  /// tokenizer.json in double precision over one word.
  enum class Sums { kSingle, kDouble } sums = Sums::kDouble;
};

/// Immutable and thread-safe. Source: Kudo 2018, with the details of SentencePiece: a character
/// without a piece costs 10 more than the worst piece, neighbouring unknown characters are one
/// token, and of equal paths the one found first wins.
class Unigram final : public Model {
 public:
  /// @throws Error(kData) if a piece is empty or twice there, or its score is not finite.
  Unigram(UnigramOptions options, const std::vector<ScoredPiece>& pieces);

  /// O(n times the longest piece); working memory grows with the longest stretch that pieces
  /// overlap without a gap, not with the word.
  [[nodiscard]] std::span<const Symbol> encode(std::string_view word,
                                               Scratch& scratch) const override;
  [[nodiscard]] std::string description() const override;

 private:
  void extend(std::string_view word, std::size_t at, std::size_t base, Scratch& scratch) const;
  void take_best(std::string_view part, Scratch& scratch) const;
  void append(TokenId id, std::uint32_t length_bytes, std::vector<Symbol>& symbols) const;
  void fall_back(std::string_view word, std::vector<Symbol>& symbols) const;

  UnigramOptions options_;
  PrefixTrie trie_;  // values are indexes into pieces_
  struct Piece {
    TokenId id = 0;
    double score = 0;
    ScoredPiece::Kind kind = ScoredPiece::Kind::kNormal;
  };
  std::vector<Piece> pieces_;
  std::string unknown_text_;  // if the unknown piece is one that a text can spell
  double unknown_score_ = 0;
};

}  // namespace yardstick::tokenizer
