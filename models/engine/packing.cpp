// The packing plan.
#include "models/engine/packing.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"

namespace yardstick::models {

std::vector<std::vector<Piece>> plan_batches(std::span<const std::int64_t> lengths,
                                             std::int64_t batch_tokens) {
  check(batch_tokens > 0, "a batch holds at least one token");
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<Piece>> batches;
  std::int64_t room = 0;
  for (const std::size_t sequence : order) {
    for (std::int64_t first = 0; first < lengths[sequence]; first += batch_tokens) {
      const std::int64_t count = std::min(batch_tokens, lengths[sequence] - first);
      if (count > room) {
        batches.emplace_back();
        room = batch_tokens;
      }
      batches.back().push_back({sequence, first, count});
      room -= count;
    }
  }
  return batches;
}

}  // namespace yardstick::models
