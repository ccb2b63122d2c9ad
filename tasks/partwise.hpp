// Tasks whose cells can be built part by part, so that a cell of a million samples takes the memory
// of a few thousand.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tasks/task.hpp"

namespace yardstick::tasks {

/// What a Task may be besides. Both members give what build() gives, however a cell is cut.
class PartwiseTask {
 public:
  virtual ~PartwiseTask() = default;

  /// Ids of all samples of a cell, those that are skipped among them.
  [[nodiscard]] virtual std::vector<std::string> sample_ids(const BuildContext& context) const = 0;

  /// What build() makes of the samples at [first, first + count) of sample_ids().
  [[nodiscard]] virtual Task::Built build_part(const CellAxes& cell, const BuildContext& context,
                                               std::size_t first, std::size_t count) const = 0;
};

}  // namespace yardstick::tasks
