// The frequencies of a rotary position plan, with what each step did to them: what encodings are
// built from, what `inspect` prints, and what an architecture needs to size FoPE's matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "models/position/plan.hpp"

namespace yardstick::position {

/// Frequencies in radians a token. For RoPE B = rotary_dims / 2, for FoPE the bank's half width.
struct FrequencyTable {
  std::vector<float> unscaled;    ///< [B] theta^(-2i/2B)
  std::vector<float> values;      ///< [B] after scaling and clamping; 0 where clamped
  double attention_factor = 1.0;  ///< multiplies cos and sin
};

/// Computes in f64 and rounds to f32, as close to the references' f32 results as they are to the
/// formula. The floor is compared in f32, strictly below, as the FoPE paper's code does.
/// `total_length` (tokens of the whole sequence) matters to dynamic NTK and LongRoPE only.
/// @throws Error(kModel) naming the field that makes no sense.
[[nodiscard]] FrequencyTable frequency_table(const PositionPlan& plan, std::int64_t total_length);

/// Shape of FoPE's coefficient matrices: n input frequencies by d output pairs.
struct FopeCounts {
  std::int64_t input = 0;   ///< n
  std::int64_t output = 0;  ///< d

  bool operator==(const FopeCounts&) const = default;
};

/// n = frequencies that survive the floor and d = min(n, head_dim / 4), or n without that limit;
/// with kept zeros n is the whole bank and d = head_dim / 2. Source: the FoPE paper's code. @throws
/// Error(kModel)
[[nodiscard]] FopeCounts fope_counts(const PositionPlan& plan);

}  // namespace yardstick::position
