#include "models/tokenizer/merge_table.hpp"

#include <algorithm>
#include <bit>

namespace yardstick::tokenizer {

MergeTable::MergeTable(const std::vector<Merge>& merges)
    : slots_(std::bit_ceil(merges.size() * 2 + 2)), mask_(slots_.size() - 1) {
  std::uint32_t ranks = 0;
  for (const Merge& merge : merges) ranks = std::max(ranks, merge.rank + 1);
  merged_.resize(ranks);
  for (const Merge& merge : merges) {
    merged_[merge.rank] = merge.merged;
    const std::uint64_t key = key_of(merge.left, merge.right);
    std::size_t at = slot_of(key);
    while (slots_[at].key != kFree && slots_[at].key != key) at = (at + 1) & mask_;
    slots_[at] = {key, {merge.rank, merge.merged}};
  }
}

}  // namespace yardstick::tokenizer
