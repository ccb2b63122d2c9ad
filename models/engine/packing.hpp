// How sequences become batches: cut into chunks, longest first, laid end to end, never padded.
// Plain arithmetic, free of torch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace yardstick::models {

/// Tokens [first, first + count) of one sequence.
struct Piece {
  std::size_t sequence = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;

  bool operator==(const Piece&) const = default;
};

/// Batches of at most `batch_tokens` tokens, in the order they must run: a sequence's pieces come
/// in order and never two in one batch. Cuts lie at multiples of batch_tokens, whatever the other
/// sequences are, so that a sequence is always computed in the same pieces. Lengths of 0 give none.
[[nodiscard]] std::vector<std::vector<Piece>> plan_batches(std::span<const std::int64_t> lengths,
                                                           std::int64_t batch_tokens);

}  // namespace yardstick::models
