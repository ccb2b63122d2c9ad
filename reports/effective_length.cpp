#include "reports/effective_length.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"

namespace yardstick::reports {
namespace {

constexpr double kShareOfBase = 0.85;
constexpr double kPerplexityRatio = 1.05;

// The base value: best (accuracy) or longest (perplexity) of the lengths within the training
// length.
std::optional<double> base_of(const Task& task, const Model& model, const Curve& curve) {
  std::optional<double> base;
  for (const CurvePoint& point : curve.points) {
    if (!point.metric.value) continue;
    const bool in_range = !model.training_length || point.length <= *model.training_length;
    if (!in_range && base) break;
    const double value = *point.metric.value;
    base = task.meaning.better == tasks::Meaning::Better::kHigher
               ? std::max(base.value_or(value), value)
               : value;
    if (!in_range || !model.training_length) break;
  }
  return base;
}

}  // namespace

std::string effective_length_rule(const Task& task) {
  if (task.meaning.better == tasks::Meaning::Better::kHigher) {
    return fmt::format(
        "greatest length up to which every length scores at least {:.0f} % of the model's best "
        "score within its training length",
        100 * kShareOfBase);
  }
  return fmt::format(
      "greatest length up to which every length stays within {} times the model's value at its "
      "training length",
      kPerplexityRatio);
}

std::optional<EffectiveLength> effective_length(const Task& task, const Model& model,
                                                const Curve& curve) {
  const std::optional<double> base = base_of(task, model, curve);
  if (!base) return std::nullopt;
  if (task.meaning.better == tasks::Meaning::Better::kHigher && *base <= 0)
    return EffectiveLength{};
  EffectiveLength effective{.end = EffectiveLength::End::kHeldToTheEnd};
  for (const CurvePoint& point : curve.points) {
    // Below the training length a perplexity is higher for want of context, which is no failure.
    const bool exempt = task.meaning.better == tasks::Meaning::Better::kLower &&
                        model.training_length && point.length < *model.training_length;
    const bool holds =
        point.metric.value && (task.meaning.better == tasks::Meaning::Better::kHigher
                                   ? *point.metric.value >= kShareOfBase * *base
                                   : *point.metric.value <= kPerplexityRatio * *base);
    if (!holds && !exempt) {
      effective.end = EffectiveLength::End::kFailedBeyond;
      break;
    }
    effective.length = point.length;
  }
  return effective;
}

std::string to_text(const EffectiveLength& effective, const Curve& curve) {
  if (!effective.length) {
    return curve.points.empty() ? ""
                                : fmt::format("< {}", format_length(curve.points.front().length));
  }
  const bool held = effective.end == EffectiveLength::End::kHeldToTheEnd;
  return (held ? ">= " : "") + format_length(*effective.length);
}

}  // namespace yardstick::reports
