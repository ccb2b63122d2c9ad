// NTK-by-parts: frequencies that turn often within the original length stay, those that turn less
// than once are divided by the factor, and NTK-aware ones stand between; two ramps over the pair
// index join the three.
// Source: the YaRN authors' code before YaRN (bloc97 2023), with its ranges of turns.
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/position/scaling/scaling.hpp"

namespace yardstick::position {
namespace {

constexpr double kNtkMost = 1.25;  // turns: from here to kNtkFewest NTK gives way to division
constexpr double kNtkFewest = 0.75;
constexpr double kPlainMost = 16.0;  // turns: from here to kPlainFewest the plain gives way to NTK
constexpr double kPlainFewest = 2.0;

void validate(const Scaling& scaling, const Bank& bank) {
  require_original_length(scaling);
  if (bank.dims > 2 && bank.theta > 1.0) return;
  throw Error(ErrorKind::kModel,
              fmt::format("position plan: scaling 'ntk_by_parts' needs at least 4 rotary dims and "
                          "a rope_theta above 1; found {} and {}",
                          bank.dims, bank.theta));
}

void apply(const Scaling& scaling, const Bank& bank, std::int64_t /*total_length*/,
           std::span<double> frequencies) {
  const Ramp to_divided = ramp(kNtkMost, kNtkFewest, scaling, bank);
  const Ramp to_stretched = ramp(kPlainMost, kPlainFewest, scaling, bank);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double plain = frequencies[i];
    const double ntk = plain * std::pow(scaling.factor, -2.0 * static_cast<double>(i) /
                                                            static_cast<double>(bank.dims - 2));
    const double divided = to_divided.at(i);
    const double stretched = plain / scaling.factor * divided + ntk * (1.0 - divided);
    const double part = to_stretched.at(i);
    frequencies[i] = stretched * part + plain * (1.0 - part);
  }
}

}  // namespace

ScalingRule ntk_by_parts_rule() {
  return {.kind = ScalingKind::kNtkByParts,
          .name = "ntk_by_parts",
          .length_use = LengthUse::kNone,
          .validate = validate,
          .apply = apply,
          .attention_factor = no_attention_factor};
}

}  // namespace yardstick::position
