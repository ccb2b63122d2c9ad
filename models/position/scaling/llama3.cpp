// Llama 3.1's scaling by wavelength bands: short waves stay, long waves are divided by the factor,
// and the waves between are mixed. With wavelength w = 2 pi / f and original length L:
// w < L/high: f; w > L/low: f/s; else (1-m) f/s + m f with m = (L/w - low) / (high - low).
// Source: Meta's Llama 3.1 model code, as in Hugging Face transformers' rope utilities.
#include "models/position/scaling/scaling.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::position {
namespace {

void validate(const Scaling& scaling, const Bank& /*bank*/) {
  require_original_length(scaling);
  if (scaling.low_frequency_factor > 0.0 &&
      scaling.high_frequency_factor > scaling.low_frequency_factor) {
    return;
  }
  throw Error(ErrorKind::kModel,
              fmt::format("position plan: scaling 'llama3': low_freq_factor is {} and "
                          "high_freq_factor is {}; expected 0 < low < high",
                          scaling.low_frequency_factor, scaling.high_frequency_factor));
}

void apply(const Scaling& scaling, const Bank& /*bank*/, std::int64_t /*total_length*/,
           std::span<double> frequencies) {
  const double low = scaling.low_frequency_factor;
  const double high = scaling.high_frequency_factor;
  for (double& frequency : frequencies) {
    // Turns that the pair makes within the original length: L / w.
    const double turns =
        static_cast<double>(scaling.original_length) * frequency / (2.0 * std::numbers::pi);
    if (turns > high) continue;
    const double scaled = frequency / scaling.factor;
    const double mix = (turns - low) / (high - low);
    frequency = turns < low ? scaled : (1.0 - mix) * scaled + mix * frequency;
  }
}

}  // namespace

ScalingRule llama3_rule() {
  return {.kind = ScalingKind::kLlama3,
          .name = "llama3",
          .length_use = LengthUse::kNone,
          .validate = validate,
          .apply = apply,
          .attention_factor = no_attention_factor};
}

}  // namespace yardstick::position
