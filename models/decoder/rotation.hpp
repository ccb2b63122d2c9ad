// Applies an encoding's rotation to the rows of packed batches: keeps the cos and sin tables of the
// positions in use, computed once for all layers that share them and reused by later batches that
// need the same positions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/position/encoding.hpp"

namespace yardstick::models {

/// Consecutive positions of sequences of one total length.
struct PositionRun {
  std::int64_t first = 0;
  std::int64_t last = 0;          ///< one past the end
  std::int64_t total_length = 0;  ///< 0 if the encoding does not read it

  bool operator==(const PositionRun&) const = default;
};

class Rotator {
 public:
  Rotator(std::shared_ptr<const position::Encoding> encoding, at::Device device);

  /// cos and sin of the rows that prepare() was told, [T, table_heads, pairs] f32.
  struct Tables {
    at::Tensor cos;
    at::Tensor sin;

    [[nodiscard]] Tables rows(std::int64_t begin, std::int64_t count) const;
  };

  /// Says which rows come next: `runs` one a sequence, with its first row; rows in between are
  /// filler. `row_count` = T.
  struct PlacedRun {
    PositionRun run;
    std::int64_t row_begin = 0;
  };
  void prepare(const std::vector<PlacedRun>& runs, std::int64_t row_count);

  /// Tables of `layer` for the prepared rows; undefined tensors if the encoding does not rotate.
  [[nodiscard]] Tables tables(std::int64_t layer);

  /// Rotates x [rows, heads, D] f32 by tables of the same rows; untouched if they are undefined.
  /// Pairs as PositionPlan::layout says; elements from rotary_dims on are left alone.
  [[nodiscard]] at::Tensor rotate(const at::Tensor& x, const Tables& tables) const;

 private:
  [[nodiscard]] Tables compute(std::int64_t layer) const;
  [[nodiscard]] bool holds(const std::vector<PositionRun>& runs) const;

  std::shared_ptr<const position::Encoding> encoding_;
  at::Device device_;
  std::vector<PositionRun> held_;            // runs of the kept tables, in table order
  std::map<std::int64_t, Tables> by_layer_;  // kept tables [table rows, table_heads, pairs]
  at::Tensor table_row_;                     // [T] int64: table row of each batch row
  std::int64_t prepared_layer_ = -1;         // whose gathered rows are kept below
  Tables gathered_;
};

}  // namespace yardstick::models
