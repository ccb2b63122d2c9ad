// Where RULER's needles stand.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.hpp"

namespace yardstick::tasks {

/// RULER draws a text's needles from this many depths, so there cannot be more of them.
inline constexpr std::int64_t kMostNeedles = 40;

/// `count` different ones of RULER's 40 depths, round(linspace(0, 100, 40)) / 100, in random order.
[[nodiscard]] std::vector<double> published_depths(std::int64_t count, Random& random);

/// `count` depths, uniform in [0, 1).
[[nodiscard]] std::vector<double> uniform_depths(std::int64_t count, Random& random);

}  // namespace yardstick::tasks
