// Inside the room: the work of one attention task, with the buffers that it needs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/kernels/aligned.hpp"
#include "models/kernels/attention.hpp"
#include "models/kernels/soft_cap.hpp"
#include "models/kernels/softmax.hpp"
#include "models/kernels/tile.hpp"
#include "models/position/version_ranges.hpp"

namespace yardstick::models::kernels {

inline constexpr std::int64_t kMostQueryTile = 384;  ///< queries that each read of a page serves

/// Consecutive queries of one sequence, at most kMostQueryTile, and what they see.
struct AttentionTile {
  const SequenceView* sequence = nullptr;
  std::int64_t first = 0;  ///< among the sequence's queries
  std::int64_t count = 0;
  std::int64_t place = 0;  ///< of the first in the sequence
  std::vector<position::VersionRanges> ranges;
};

/// For one thread. Takes all memory when it is made, for inside a parallel region nothing may
/// throw. `scoring` must outlive it.
class AttentionRunner {
 public:
  AttentionRunner(const HeadShape& shape, const Scoring& scoring);

  /// One head's part of the tile's output rows.
  void run(const AttentionTile& tile, std::int64_t head);

 private:
  /// A tile's queries of one head, with one version of queries and keys.
  struct Task {
    const AttentionTile& tile;
    const position::VersionRanges& ranges;
    std::int64_t head = 0;
  };

  /// Rows of one register tile, and what they see of a page.
  struct TileRows {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t page = 0;
    SeenKeys any;                    ///< from the first to the last key that any of them sees
    const SeenKeys* seen = nullptr;  ///< [count]
  };

  void load_queries(const Task& task);
  [[nodiscard]] static SeenKeys seen(const Task& task, std::int64_t page, std::int64_t row);
  [[nodiscard]] TileRows tile_rows(const Task& task, std::int64_t page, std::int64_t row);
  void add_page(const Task& task, std::int64_t index);
  void add_rows(const Task& task, const TileRows& rows);
  void prefetch(const Task& task, std::int64_t page, std::int64_t row, std::int64_t rows) const;
  void add_scores(const float* keys, const TileRows& rows);
  void add_bias(const Task& task, const TileRows& rows);
  void accumulate(const float* values, const TileRows& rows, std::int64_t row, std::int64_t count,
                  const SeenKeys& keys);
  void write(const AttentionTile& tile, std::int64_t head);

  [[nodiscard]] std::int64_t group(std::int64_t head) const {
    return head / (shape_.heads / shape_.kv_heads);
  }

  HeadShape shape_;
  const Scoring* scoring_;
  float scale_;     // on queries
  float soft_cap_;  // of scores in base 2; 0: none
  const TileFunctions* tiles_ = &tile_functions();
  TakePage take_page_ = take_page_function();
  SoftCap bound_ = soft_cap_function();
  std::int64_t panels_;  // of a head's values
  std::int64_t query_stride_;
  std::int64_t out_stride_;
  AlignedArray<float> queries_;   // [kMostQueryTile, D]
  AlignedArray<float> scores_;    // [kMostTileRows, kPageTokens]
  AlignedArray<float> output_;    // [kMostQueryTile, panels_ x columns]
  std::vector<Softmax> softmax_;  // [kMostQueryTile]
  std::array<SeenKeys, kMostTileRows> seen_;
};

}  // namespace yardstick::models::kernels
