// Cuts the samples of the cells that are built together into chunks: what one call of the engine
// computes, and what a killed run loses. Samples that begin alike go into the same chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/plan/build_cell.hpp"
#include "models/engine/engine.hpp"

namespace yardstick::harness {

/// When a chunk is full. It then ends where the next sample begins otherwise, or where the tokens
/// beyond the limit are many times those that the next chunk would compute again. Where neither
/// comes within 16 times the samples and 4 times the tokens (4 times what the next sample shares,
/// if that is more), it ends at the place there that computes least again.
struct ChunkLimits {
  std::int64_t samples = 64;
  std::int64_t tokens = 16384;  ///< to be computed; the sample that reaches it is still taken
  std::size_t slots = 1;        ///< that share the chunks: two for each, if a quarter of `tokens`
                                ///< and more is left for one
};

[[nodiscard]] ChunkLimits chunk_limits(const Suite& suite);

/// How requests of one model share their prefixes.
struct ShareRule {
  models::Sharing sharing = models::Sharing::kOn;
  position::LengthUse length_use = position::LengthUse::kNone;
};

/// The samples of a cell, and which of them are to be computed.
struct ChunkCell {
  std::span<const tasks::Sample> samples;
  std::vector<std::size_t> wanted;  ///< indices in `samples`, in order
};

struct PlannedChunk {
  struct Ref {
    std::size_t cell = 0;
    std::size_t sample = 0;

    auto operator<=>(const Ref&) const = default;
  };
  std::vector<Ref> samples;  ///< cell by cell, each in its order
  std::int64_t tokens = 0;   ///< that computing them takes, about
};

/// Every wanted sample in one chunk, none empty. The chunks follow from the arguments alone.
[[nodiscard]] std::vector<PlannedChunk> plan_chunks(std::span<const ChunkCell> cells,
                                                    const ChunkLimits& limits,
                                                    const ShareRule& rule);

}  // namespace yardstick::harness
