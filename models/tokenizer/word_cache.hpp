// Words that were encoded before: texts repeat their words. For one caller at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/engine/request.hpp"

namespace yardstick::tokenizer {

/// A token and how many bytes of its word it stands for.
struct Symbol {
  TokenId id = 0;
  std::uint32_t length_bytes = 0;
};

/// Bounded in words and bytes; forgets everything when full.
class WordCache {
 public:
  static constexpr std::size_t kLongestWord = 48;

  /// The symbols of `word`, or nothing. Valid until the next insert.
  [[nodiscard]] std::optional<std::span<const Symbol>> find(std::string_view word) const;

  /// Remembers a word that find() did not know.
  void insert(std::string_view word, std::span<const Symbol> symbols);

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t word_begin = 0;
    std::uint32_t word_size = 0;  // 0 = free: an empty word is never cached
    std::uint32_t symbols_begin = 0;
    std::uint32_t symbols_size = 0;
  };
  [[nodiscard]] std::size_t slot_of(std::uint64_t hash, std::string_view word) const;
  void grow();

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
  std::string words_;
  std::vector<Symbol> symbols_;
};

}  // namespace yardstick::tokenizer
