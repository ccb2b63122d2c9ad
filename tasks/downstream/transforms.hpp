// process_docs without Python: a list of declared changes to each of a task's documents.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fields.hpp"
#include "tasks/downstream/document.hpp"

namespace yardstick::tasks {

/// One change: `set`, `replace`, `filter`, `rename` or `explode`. Immutable.
class Transform {
 public:
  virtual ~Transform() = default;
  /// Appends what becomes of `document`: itself, changed; nothing; or several parts.
  /// @throws Error(kData) for a document that it does not fit.
  virtual void apply(TaskDocument&& document, std::vector<TaskDocument>& out) const = 0;
};

/// The transforms of a task, in order.
class Transforms {
 public:
  struct Step {
    std::string name;   ///< "filter"
    std::string place;  ///< "task.yaml:4:5"
    std::unique_ptr<const Transform> transform;
  };

  Transforms() = default;
  explicit Transforms(std::vector<Step> steps) : steps_(std::move(steps)) {}

  /// @param file of the documents, for messages
  /// @throws Error(kData) for a document that does not fit, and if a transform leaves none.
  [[nodiscard]] std::vector<TaskDocument> apply(std::vector<TaskDocument> documents,
                                                const std::string& file) const;

 private:
  std::vector<Step> steps_;
};

/// Reads the list under `key`; none if the key is absent.
/// @throws Error(kConfig) naming file:line:column, the key and the nearest transform.
[[nodiscard]] Transforms read_transforms(Fields& fields, std::string_view key);

}  // namespace yardstick::tasks
