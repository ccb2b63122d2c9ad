#include "tasks/build_each.hpp"

#include <utility>
#include <vector>

#include "tasks/parallel.hpp"

namespace yardstick::tasks {

Task::Built build_each(std::size_t count, const std::function<BuiltSample(std::size_t i)>& make) {
  std::vector<BuiltSample> made(count);
  parallel_for_each(count, [&](std::size_t i) { made[i] = make(i); });
  Task::Built built;
  for (BuiltSample& one : made) {
    if (auto* const sample = std::get_if<Sample>(&one)) {
      built.samples.push_back(std::move(*sample));
    } else {
      built.skipped.push_back(std::move(std::get<SampleScore>(one)));
    }
  }
  return built;
}

}  // namespace yardstick::tasks
