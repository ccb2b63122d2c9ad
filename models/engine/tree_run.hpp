// Computes a prefix tree: each edge once, against the cached keys and values of its path.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/decoder/decoder.hpp"
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

struct TreeRunOptions {
  ForwardOptions forward;
  /// Bytes of keys and values kept for children. A node that does not fit beside its path is not
  /// kept: its children compute the whole path themselves.
  std::int64_t cache_bytes = std::int64_t{1} << 30;
};

struct TreeEvents {
  /// After each forward pass.
  std::function<Continue(const TreeBatch& batch)> on_batch;
  /// When a node that was asked for is complete, with the caches of its whole path.
  std::function<Continue(std::size_t node, CachePath path)> on_kept;
};

/// Depth first, longest first, as many edges a pass as fit; a longer edge runs in chunks. `kept`,
/// one flag a node: whether on_kept wants it. kStop if an event asked for it.
Continue run_tree(Decoder& decoder, const PrefixTree& tree, const std::vector<bool>& kept,
                  const TreeRunOptions& options, const TreeEvents& events);

}  // namespace yardstick::models
