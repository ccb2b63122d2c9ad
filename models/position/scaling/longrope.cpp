// LongRoPE: every frequency divided by an entry of a searched list; the long list serves sequences
// longer than the original length, the short list the others. The factor sqrt(1 + ln s / ln L) on
// cos and sin applies with both lists, unless a list has an mscale of its own; s = the given
// factor, or max_position_embeddings / original length (Phi 3). Source: Ding et al. 2024 (arXiv
// 2402.13753), and Hugging Face transformers' rope utilities.
#include "models/position/scaling/scaling.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::position {
namespace {

void validate_list(std::string_view name, const std::vector<double>& factors, const Bank& bank) {
  if (static_cast<std::int64_t>(factors.size()) != bank.dims / 2) {
    throw Error(ErrorKind::kModel,
                fmt::format("position plan: scaling 'longrope': {} has {} entries; expected {}, "
                            "one a rotary pair ({} rotary dims)",
                            name, factors.size(), bank.dims / 2, bank.dims));
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (std::isfinite(factors[i]) && factors[i] > 0.0) continue;
    throw Error(ErrorKind::kModel,
                fmt::format("position plan: scaling 'longrope': {}[{}] is {}; expected a positive "
                            "number",
                            name, i, factors[i]));
  }
}

void validate(const Scaling& scaling, const Bank& bank) {
  require_original_length(scaling);
  if (scaling.original_length == 1) {
    throw Error(ErrorKind::kModel,
                "position plan: scaling 'longrope': original_max_position_embeddings is 1; its "
                "attention factor divides by ln 1");
  }
  validate_list("short_factor", scaling.short_factor, bank);
  validate_list("long_factor", scaling.long_factor, bank);
}

void apply(const Scaling& scaling, const Bank& /*bank*/, std::int64_t total_length,
           std::span<double> frequencies) {
  const std::vector<double>& factors =
      total_length > scaling.original_length ? scaling.long_factor : scaling.short_factor;
  for (std::size_t i = 0; i < frequencies.size(); ++i) frequencies[i] /= factors[i];
}

double longrope_attention_factor(const Scaling& scaling, std::int64_t total_length) {
  const std::optional<double>& given =
      total_length > scaling.original_length ? scaling.long_mscale : scaling.short_mscale;
  if (given) return *given;
  const double original = static_cast<double>(scaling.original_length);
  return scaling.factor <= 1.0 ? 1.0
                               : std::sqrt(1.0 + std::log(scaling.factor) / std::log(original));
}

}  // namespace

ScalingRule longrope_rule() {
  return {.kind = ScalingKind::kLongRope,
          .name = "longrope",
          .length_use = LengthUse::kTotal,
          .validate = validate,
          .apply = apply,
          .attention_factor = longrope_attention_factor};
}

}  // namespace yardstick::position
