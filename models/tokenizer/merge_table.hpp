// The merges of a BPE model: for a pair of neighbouring tokens, the merge's rank and its result.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/engine/request.hpp"
#include "models/tokenizer/merges.hpp"

namespace yardstick::tokenizer {

/// A hash table with open addressing: one cache line a lookup in nearly all cases.
class MergeTable {
 public:
  /// Of two merges of one pair the last counts.
  explicit MergeTable(const std::vector<Merge>& merges);

  struct Found {
    std::uint32_t rank = 0;  ///< 0 = the first to apply
    TokenId merged = 0;
  };
  /// The merge of two neighbours, if there is one.
  [[nodiscard]] std::optional<Found> find(TokenId left, TokenId right) const {
    const std::uint64_t key = key_of(left, right);
    for (std::size_t at = slot_of(key);; at = (at + 1) & mask_) {
      if (slots_[at].key == key) return slots_[at].found;
      if (slots_[at].key == kFree) return std::nullopt;
    }
  }

  /// A token that the merges of a rank make.
  [[nodiscard]] TokenId merged(std::uint32_t rank) const { return merged_[rank]; }

 private:
  struct Slot {
    std::uint64_t key = kFree;
    Found found;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  static std::uint64_t key_of(TokenId left, TokenId right) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U) |
           static_cast<std::uint32_t>(right);
  }
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 20U) & mask_;
  }

  std::vector<Slot> slots_;
  std::size_t mask_;
  std::vector<TokenId> merged_;
};

}  // namespace yardstick::tokenizer
