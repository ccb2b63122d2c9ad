// Effective context length: how far a model's score holds, by rules that are printed with the
// number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reports/summary.hpp"

namespace yardstick::reports {

struct EffectiveLength {
  std::optional<std::int64_t> length;  ///< absent: the shortest length fails already
  enum class End { kFailedBeyond, kHeldToTheEnd } end = End::kFailedBeyond;
};

/// The rule in words, for the table's caption.
[[nodiscard]] std::string effective_length_rule(const Task& task);

/// Monotone: the first length that fails ends the count, later successes do not count.
/// - higher is better: every length up to it scores at least 85 % of the base score, the best of
/// the
///   lengths up to the training length (the shortest length if none is that short);
/// - lower is better (perplexity): at most 1.05 times the value at the longest length within the
///   training length.
/// Nothing if the model has no value at any base length.
[[nodiscard]] std::optional<EffectiveLength> effective_length(const Task& task, const Model& model,
                                                              const Curve& curve);

/// ">= 2k", "512", "< 128".
[[nodiscard]] std::string to_text(const EffectiveLength& effective, const Curve& curve);

}  // namespace yardstick::reports
