// Added tokens: texts that are cut out before any other splitting and stand for one id each.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/yaml.hpp"
#include "models/tokenizer/aligned_text.hpp"
#include "models/tokenizer/regex.hpp"
#include "models/tokenizer/vocabulary.hpp"

namespace yardstick::tokenizer {

struct AddedToken {
  enum class Space { kLeave, kTake };       ///< white space beside the match is left, or part of it
  enum class Within { kAnywhere, kWords };  ///< kWords: only where no word character is beside it
  enum class SearchIn { kSource, kNormalized };

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
  struct Node {
    std::vector<std::pair<char, std::uint32_t>> children;  // sorted by byte
    std::uint32_t token = 0;                               // index into tokens_ + 1; 0 = none
  };
  struct Match {
    const AddedToken* token = nullptr;
    std::size_t end = 0;
  };
  [[nodiscard]] Match longest_at(std::string_view text, std::size_t at) const;
  [[nodiscard]] bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) const;

  std::vector<AddedToken> tokens_;
  std::vector<Node> nodes_{1};
  std::array<bool, 256> begins_{};  // by byte: whether a token begins with it
  Regex space_;
  Regex word_;
};

}  // namespace yardstick::tokenizer
