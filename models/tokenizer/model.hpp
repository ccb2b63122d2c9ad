// The model of a tokenizer: what turns one word into tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/engine/request.hpp"
#include "models/tokenizer/word_cache.hpp"

namespace yardstick::tokenizer {

/// Working memory of one thread; each model uses its part of it.
struct Scratch {
  /// BPE: a symbol that may still merge.
  struct Node {
    TokenId id = 0;
    std::uint32_t length_bytes = 0;  // 0 = merged into the node in front of it
    bool unknown = false;
    std::int32_t previous = -1;
    std::int32_t next = -1;
  };
  /// Unigram: the best way to reach a byte.
  struct Path {
    double score = 0;
    std::uint32_t length_bytes = 0;  // of the last piece; 0 = not reached
    TokenId id = 0;
  };
  std::vector<Node> nodes;
  std::vector<std::uint64_t> queue;
  std::vector<Path> paths;
  std::vector<Symbol> symbols;
  WordCache cache;
};

/// Immutable and thread-safe.
class Model {
 public:
  virtual ~Model() = default;

  /// The symbols of one word (valid UTF-8); their lengths add up to the word's. The result lives in
  /// `scratch` until the next call. @throws Error(kData) if a character has no token and the model
  /// no unknown token, or if the word has more than 2 GiB.
  [[nodiscard]] virtual std::span<const Symbol> encode(std::string_view word,
                                                       Scratch& scratch) const = 0;

  /// Length in bytes of a first part of `word` that encodes to the same symbols alone as in the
  /// word, so that words, not whole texts, are encoded and remembered.
  [[nodiscard]] virtual std::size_t independent_prefix(std::string_view word) const {
    return word.size();
  }

  [[nodiscard]] virtual std::string description() const = 0;  ///< "BPE, byte-level"
};

}  // namespace yardstick::tokenizer
