// Computes a prefix tree: each edge once, against the cached keys and values of its path.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/decoder/decoder.hpp"
#include "models/engine/cache_budget.hpp"
#include "models/engine/engine.hpp"
#include "models/engine/forward.hpp"
#include "models/engine/prefix_tree.hpp"

namespace yardstick::models {

/// Positions [first, first + count) of one node's path, at rows from row_begin of a batch on.
struct TreePiece {
  std::size_t node = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t row_begin = 0;
};

struct TreeBatch {
  at::Tensor hidden;  ///< [T, E] f32
  std::vector<TreePiece> pieces;
};

/// The cached tokens of a path, in order.
using CachePath = std::vector<std::shared_ptr<KvCache>>;

struct TreeEvents {
  /// After each forward pass.
  std::function<Continue(const TreeBatch& batch)> on_batch;
  /// When a node that was asked for is complete, with the caches of its whole path.
  std::function<Continue(std::size_t node, CachePath path)> on_kept;
  /// When the next node's cache does not fit: a chance to let go of what on_kept handed over.
  std::function<Continue()> on_full;
};

/// Depth first, longest first, as many edges a pass as fit. `kept_bytes`, one number a node: how
/// much of the budget on_kept takes besides the caches that it is handed; 0: the node is not asked
/// for. kStop if an event asked for it.
///
/// A node that others continue gets a cache, of as many of its tokens as the budget has room for.
/// Its descendants begin where what is cached before them ends, and compute what lies between
/// themselves.
/// Two kinds of node get their cache in any case: one that on_kept wants, and one of more than
/// batch_tokens that has to run in chunks, because the decoder has no pass for it that takes less
/// memory. So the live bytes exceed the budget by the keys and values of one sequence at most.
Continue run_tree(Decoder& decoder, const PrefixTree& tree,
                  const std::vector<std::int64_t>& kept_bytes, CacheBudget& budget,
                  const ForwardOptions& options, const TreeEvents& events);

}  // namespace yardstick::models
