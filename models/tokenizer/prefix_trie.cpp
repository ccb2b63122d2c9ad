#include "models/tokenizer/prefix_trie.hpp"

#include <utility>

namespace yardstick::tokenizer {

PrefixTrie::PrefixTrie() : edges_(16), values_{-1} {}

bool PrefixTrie::insert(std::string_view text, std::int32_t value) {
  std::uint32_t node = 0;
  for (const char c : text) {
    const std::uint64_t key = key_of(node, static_cast<unsigned char>(c));
    if (values_.size() * 2 >= edges_.size()) grow();
    Edge& edge = edges_[slot_of(key)];
    if (edge.key == 0) {
      edge = {key, static_cast<std::uint32_t>(values_.size())};
      values_.push_back(-1);
    }
    node = edge.child;
  }
  if (node == 0 || values_[node] >= 0) return false;
  values_[node] = value;
  return true;
}

void PrefixTrie::grow() {
  const std::vector<Edge> old = std::exchange(edges_, std::vector<Edge>(edges_.size() * 2));
  for (const Edge& edge : old) {
    if (edge.key != 0) edges_[slot_of(edge.key)] = edge;
  }
}

}  // namespace yardstick::tokenizer
