// Added tokens: texts that are cut out before any other splitting and stand for one id each.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/yaml.hpp"
#include "models/tokenizer/aligned_text.hpp"
#include "models/tokenizer/prefix_trie.hpp"
#include "models/tokenizer/regex.hpp"
#include "models/tokenizer/vocabulary.hpp"

namespace yardstick::tokenizer {

struct AddedToken {
  enum class Space { kLeave, kTake };       ///< white space beside the match is left, or part of it
  enum class Within { kAnywhere, kWords };  ///< kWords: only where no word character is beside it
  /// The text as the user gave it; the normalised text, for the token's text normalised; or that
  /// text for the token's text as it stands.
  enum class SearchIn { kSource, kNormalized, kNormalizedLiterally };

  std::string text;
  TokenId id = 0;
  Vocabulary::Role role = Vocabulary::Role::kOrdinary;
  Space left = Space::kLeave;
  Space right = Space::kLeave;
  Within within = Within::kAnywhere;
  SearchIn search_in = SearchIn::kSource;
};

/// Reads the list at /added_tokens.
[[nodiscard]] std::vector<AddedToken> read_added_tokens(const Located& file,
                                                        const std::vector<std::string>& pointers);

/// Reads one object with "content" and options; what it does not say is as in `token`.
[[nodiscard]] AddedToken read_added_token(const Located& file, const std::string& pointer,
                                          AddedToken token);

/// Where two tokens have one text after normalization, a special one wins over the others.
void put_special_first(std::vector<AddedToken>& tokens);

/// Finds a set of added tokens in a text. Immutable and thread-safe.
class AddedTokenFinder {
 public:
  AddedTokenFinder();

  /// `text` is what is searched for: the token's own text, or that text normalised. Of two tokens
  /// with one text the first counts.
  void add(const AddedToken& token, std::string_view text);

  /// Cuts `text` into parts, those with a token and those between them. Matches are taken from the
  /// left, the longest first; a match that its options refuse is passed over as a whole.
  [[nodiscard]] std::vector<Piece> find(std::string_view text) const;

 private:
  struct Match {
    const AddedToken* token = nullptr;
    std::size_t end = 0;
  };
  [[nodiscard]] Match longest_at(std::string_view text, std::size_t at) const;
  [[nodiscard]] bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) const;

  std::vector<AddedToken> tokens_;
  PrefixTrie texts_;                // values are indexes into tokens_
  std::array<bool, 256> begins_{};  // by byte: whether a token begins with it
  Regex space_;
  Regex word_;
};

}  // namespace yardstick::tokenizer
