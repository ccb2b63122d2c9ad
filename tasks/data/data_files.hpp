// Tasks that read their data from files each time they build samples, in place of once.
#pragma once

#include <vector>

#include "core/file_stamp.hpp"

namespace yardstick::tasks {

/// Implemented, beside Task, by such a task.
class HasDataFiles {
 public:
  virtual ~HasDataFiles() = default;

  /// What the files were before they were hashed: a task whose files are not so any more builds
  /// other samples than its fingerprint says.
  [[nodiscard]] virtual const std::vector<FileStamp>& data_files() const = 0;
};

}  // namespace yardstick::tasks
