// Scalings of rotary frequencies: each is a function from frequencies to frequencies plus a factor
// on cos and sin, so that it composes with RoPE and with FoPE's bank alike. One file a kind; the
// table in scaling.cpp names them all.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "models/position/encoding.hpp"
#include "models/position/plan.hpp"

namespace yardstick::position {

/// The frequency list that a scaling works on: theta^(-2i/dims) for i < dims/2, in radians a token,
/// of which some may have been clamped to 0 before.
struct Bank {
  double theta = 0.0;
  std::int64_t dims = 0;
};

/// One kind of scaling.
struct ScalingRule {
  ScalingKind kind = ScalingKind::kNone;
  std::string_view name;  ///< Hugging Face's rope_type
  LengthUse length_use = LengthUse::kNone;

  /// @throws Error(kModel) naming the field that the kind cannot work with.
  void (*validate)(const Scaling& scaling, const Bank& bank);

  /// Changes `frequencies` [dims/2] in place, in f64, by pair index; a frequency of 0 stays 0.
  /// `total_length` is read only where length_use is kTotal.
  void (*apply)(const Scaling& scaling, const Bank& bank, std::int64_t total_length,
                std::span<double> frequencies);

  /// The kind's own factor on cos and sin, where the scaling gives no explicit one.
  /// `total_length` as above; 0 = not longer than the original length.
  double (*attention_factor)(const Scaling& scaling, std::int64_t total_length);
};

[[nodiscard]] ScalingRule linear_rule();
[[nodiscard]] ScalingRule dynamic_linear_rule();
[[nodiscard]] ScalingRule ntk_rule();
[[nodiscard]] ScalingRule ntk_by_parts_rule();
[[nodiscard]] ScalingRule dynamic_ntk_rule();
[[nodiscard]] ScalingRule yarn_rule();
[[nodiscard]] ScalingRule dynamic_yarn_rule();
[[nodiscard]] ScalingRule llama3_rule();
[[nodiscard]] ScalingRule longrope_rule();
[[nodiscard]] ScalingRule proportional_rule();

/// The rule of a kind; kNone changes nothing.
[[nodiscard]] ScalingRule scaling_rule(ScalingKind kind);

/// Checks the fields that all kinds share, then the kind's own.
void validate_scaling(const Scaling& scaling, const Bank& bank);

/// The explicit factor if there is one, else the kind's own.
[[nodiscard]] double attention_factor(const Scaling& scaling, std::int64_t total_length);

/// @throws Error(kModel) unless the scaling names the length that the model was first trained with.
void require_original_length(const Scaling& scaling);

/// No factor on cos and sin.
[[nodiscard]] inline double no_attention_factor(const Scaling& /*scaling*/,
                                                std::int64_t /*total_length*/) {
  return 1.0;
}

/// The (real-valued) pair index whose frequency makes `rotations` turns in the original length.
[[nodiscard]] double pair_of_rotations(double rotations, const Scaling& scaling, const Bank& bank);

/// Pair indices between which a ramp climbs from 0 to 1, from many turns to few.
struct Ramp {
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] double at(std::size_t pair) const;
};
[[nodiscard]] Ramp ramp(double most_rotations, double fewest_rotations, const Scaling& scaling,
                        const Bank& bank);

}  // namespace yardstick::position
