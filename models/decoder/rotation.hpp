// Applies an encoding's rotation to the rows of packed batches: keeps the cos and sin tables of the
// positions in use, computed once for all layers that share them and reused by later batches that
// need the same positions.
#pragma once

#include <compare>
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

/// cos and sin of rows, [rows, table_heads, pairs] f32; undefined where nothing is rotated.
struct RotationTables {
  at::Tensor cos;
  at::Tensor sin;
  position::PairLayout layout = position::PairLayout::kHalves;

  [[nodiscard]] RotationTables rows(std::int64_t begin, std::int64_t count) const;

  [[nodiscard]] std::int64_t bytes() const { return cos.defined() ? 2 * cos.numel() * 4 : 0; }
};

/// What a layer's queries and keys are rotated by, in the versions that its reach asks for.
struct LayerRotation {
  std::vector<RotationTables> queries;
  std::vector<RotationTables> keys;

  [[nodiscard]] LayerRotation rows(std::int64_t begin, std::int64_t count) const;
};

/// x [rows, heads, D] f32 rotated by tables of the same rows; untouched if they are undefined. Head
/// h reads table h x table_heads / heads; elements behind the pairs are left alone.
[[nodiscard]] at::Tensor rotate(const at::Tensor& x, const RotationTables& tables);

class Rotator {
 public:
  Rotator(std::shared_ptr<const position::Encoding> encoding, at::Device device);

  /// Says which rows come next: `runs` one a sequence, with its first row; rows in between are
  /// filler. `row_count` = T.
  struct PlacedRun {
    PositionRun run;
    std::int64_t row_begin = 0;
  };
  void prepare(const std::vector<PlacedRun>& runs, std::int64_t row_count);

  /// Tables of `layer` for the prepared rows.
  [[nodiscard]] LayerRotation layer(std::int64_t layer);

 private:
  using Side = position::RotationQuery::Side;

  /// What tables depend on besides positions.
  struct Key {
    std::int64_t table_set = 0;
    Side side = Side::kQuery;
    int version = 0;

    auto operator<=>(const Key&) const = default;
  };

  /// Tables by what they depend on, up to a size; beyond, the others are forgotten.
  class Kept {
   public:
    [[nodiscard]] const RotationTables* find(const Key& key) const;
    const RotationTables& add(const Key& key, RotationTables tables);
    void clear();

   private:
    std::map<Key, RotationTables> tables_;
    std::int64_t bytes_ = 0;
  };

  [[nodiscard]] RotationTables compute(std::int64_t layer, Side side, int version) const;
  [[nodiscard]] RotationTables gathered(std::int64_t layer, Side side, int version);
  [[nodiscard]] bool holds(const std::vector<PositionRun>& runs) const;

  std::shared_ptr<const position::Encoding> encoding_;
  at::Device device_;
  std::vector<PositionRun> held_;  // runs of the kept tables, in table order
  Kept computed_;                  // of the runs held, [table rows, table_heads, pairs]
  at::Tensor table_row_;           // [T] int64: table row of each batch row
  Kept gathered_;                  // of the batch's rows
};

}  // namespace yardstick::models
