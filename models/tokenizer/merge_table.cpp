#include "models/tokenizer/merge_table.hpp"

#include <bit>

#include "core/error.hpp"

namespace yardstick::tokenizer {

MergeTable::MergeTable(std::size_t most)
    : slots_(std::bit_ceil(most * 2 + 2)), mask_(slots_.size() - 1) {
  merged_.reserve(most);
}

void MergeTable::add(TokenId left, TokenId right, TokenId merged) {
  check(merged_.size() * 2 < slots_.size(), "a merge table holds what it was made for");
  const auto rank = static_cast<std::uint32_t>(merged_.size());
  merged_.push_back(merged);
  const std::uint64_t key = key_of(left, right);
  std::size_t at = slot_of(key);
  while (slots_[at].key != kFree && slots_[at].key != key) at = (at + 1) & mask_;
  slots_[at] = {key, rank};
}

}  // namespace yardstick::tokenizer
