// Axes: from data to pixels, and where the ticks stand.
#pragma once

#include <string>
#include <vector>

namespace yardstick::reports {

enum class Scale { kLinear, kLogarithmic };

struct Tick {
  double value = 0;
  std::string label;
};

/// Maps [low, high] onto [from, to] pixels. For a logarithmic axis low is positive.
class Axis {
 public:
  struct Range {
    double low = 0;
    double high = 1;
  };
  Axis(Scale scale, Range data, Range pixels);

  [[nodiscard]] double at(double value) const;
  [[nodiscard]] const Range& data() const { return data_; }

 private:
  Scale scale_;
  Range data_;
  Range pixels_;
};

/// The range that holds all values with a little air; a logarithmic one never spans less than a
/// factor of 2, so that noise is not blown up.
[[nodiscard]] Axis::Range range_of(const std::vector<double>& values, Scale scale);

/// 4 to 8 round values inside the range: 1, 2, 5 x 10^k, or powers of ten when decades are many.
[[nodiscard]] std::vector<Tick> value_ticks(const Axis::Range& range, Scale scale);

}  // namespace yardstick::reports
