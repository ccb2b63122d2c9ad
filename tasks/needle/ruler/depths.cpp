#include "tasks/needle/ruler/depths.hpp"

#include <cmath>
#include <span>

namespace yardstick::tasks {

std::vector<double> published_depths(std::int64_t count, Random& random) {
  std::vector<double> depths;
  for (std::int64_t i = 0; i < kMostNeedles; ++i) {
    const double percent =
        std::nearbyint(100.0 * static_cast<double>(i) / static_cast<double>(kMostNeedles - 1));
    depths.push_back(percent / 100.0);
  }
  random.shuffle(std::span(depths));
  depths.resize(static_cast<std::size_t>(count));
  return depths;
}

std::vector<double> uniform_depths(std::int64_t count, Random& random) {
  std::vector<double> depths;
  for (std::int64_t i = 0; i < count; ++i) depths.push_back(random.uniform());
  return depths;
}

}  // namespace yardstick::tasks
