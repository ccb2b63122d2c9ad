// Finds which of a set of texts a text begins with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace yardstick::tokenizer {

/// A trie over bytes; its edges are one hash table with open addressing.
class PrefixTrie {
 public:
  PrefixTrie();

  /// False, and nothing changes, if `text` is empty or there already. @param value at least 0
  bool insert(std::string_view text, std::int32_t value);

  /// Calls found(end, value) for every inserted text that stands at byte `at` of `text`, the
  /// shortest first; `end` is the byte behind it.
  template <typename Found>
  void prefixes(std::string_view text, std::size_t at, const Found& found) const {
    std::uint32_t node = 0;
    while (at < text.size()) {
      node = child(node, static_cast<unsigned char>(text[at]));
      if (node == 0) return;
      ++at;
      if (values_[node] >= 0) found(at, values_[node]);
    }
  }

 private:
  struct Edge {
    std::uint64_t key = 0;  // parent << 8 | byte, plus 1; 0 = free
    std::uint32_t child = 0;
  };
  static std::uint64_t key_of(std::uint32_t parent, unsigned char byte) {
    return ((static_cast<std::uint64_t>(parent) << 8U) | byte) + 1;
  }
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = edges_.size() - 1;
    std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 20U) & mask;
    while (edges_[at].key != 0 && edges_[at].key != key) at = (at + 1) & mask;
    return at;
  }
  /// 0, the root, if there is none.
  [[nodiscard]] std::uint32_t child(std::uint32_t parent, unsigned char byte) const {
    return edges_[slot_of(key_of(parent, byte))].child;
  }
  void grow();

  std::vector<Edge> edges_;           // a power of two, at most half full
  std::vector<std::int32_t> values_;  // by node; -1 = no text ends here
};

}  // namespace yardstick::tokenizer
