#include "reports/figures/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace yardstick::reports {
namespace {

std::string tick_label(double value) {
  if (value != 0 && (std::abs(value) >= 1e6 || std::abs(value) < 1e-3))
    return fmt::format("{:.0e}", value);
  return fmt::format("{:.6g}", value);
}

std::vector<Tick> linear_ticks(const Axis::Range& range) {
  const double span = range.high - range.low;
  const double power = std::pow(10.0, std::floor(std::log10(span / 5)));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (span / step <= 6) break;
  }
  std::vector<Tick> ticks;
  const double slack = step * 1e-9;
  for (double k = std::ceil((range.low - slack) / step); k * step <= range.high + slack; ++k) {
    const double value = k == 0 ? 0.0 : k * step;  // never -0
    ticks.push_back({value, tick_label(value)});
  }
  return ticks;
}

std::vector<Tick> log_ticks(const Axis::Range& range) {
  const double decades = std::log10(range.high / range.low);
  const double stride = std::max(1.0, std::ceil(decades / 7));
  const std::array<double, 3> fine{1, 2, 5};
  std::vector<Tick> ticks;
  for (double k = std::floor(std::log10(range.low)); std::pow(10, k) <= range.high; ++k) {
    for (const double factor : fine) {
      const bool shown = factor == 1 ? std::fmod(std::abs(k), stride) == 0 : decades <= 3;
      const double value = factor * std::pow(10, k);
      if (shown && value >= range.low && value <= range.high)
        ticks.push_back({value, tick_label(value)});
    }
  }
  // Less than a decade may hold one round value or none: fall back to even steps.
  return ticks.size() >= 3 ? ticks : linear_ticks(range);
}

}  // namespace

Axis::Axis(Scale scale, Range data, Range pixels) : scale_(scale), data_(data), pixels_(pixels) {}

double Axis::at(double value) const {
  const auto along = [&](double v) { return scale_ == Scale::kLogarithmic ? std::log(v) : v; };
  const double share = (along(value) - along(data_.low)) / (along(data_.high) - along(data_.low));
  return pixels_.low + share * (pixels_.high - pixels_.low);
}

Axis::Range range_of(const std::vector<double>& values, Scale scale) {
  if (values.empty()) return scale == Scale::kLogarithmic ? Axis::Range{1, 10} : Axis::Range{0, 1};
  auto [low, high] = std::pair(*std::min_element(values.begin(), values.end()),
                               *std::max_element(values.begin(), values.end()));
  if (scale == Scale::kLogarithmic) {
    const double missing = std::max(1.0, 2.0 / (high / low));
    const double air = std::pow(high / low * missing, 0.06);
    return {low / std::sqrt(missing) / air, high * std::sqrt(missing) * air};
  }
  const double span = high > low ? high - low : std::max(1.0, std::abs(high));
  return {low - 0.06 * span, high + 0.06 * span};
}

std::vector<Tick> value_ticks(const Axis::Range& range, Scale scale) {
  return scale == Scale::kLogarithmic ? log_ticks(range) : linear_ticks(range);
}

}  // namespace yardstick::reports
