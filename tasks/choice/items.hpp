// Multiple-choice items: a JSON line turned into context, choices and the index of the right one by
// the templates of a task definition.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tasks/data/source.hpp"
#include "tasks/template/template.hpp"

namespace yardstick::tasks {

struct ChoiceItem {
  std::int64_t line = 0;  ///< in the data file, 1-based
  std::string context;
  std::vector<std::string> choices;  ///< without the delimiter
  std::int64_t gold = 0;             ///< index in choices
  std::string category;              ///< empty if the task names no category

  bool operator==(const ChoiceItem&) const = default;
};

/// How a line becomes an item; the names are lm-evaluation-harness's, the meanings too.
struct ChoiceTemplates {
  Template context;               ///< doc_to_text
  std::vector<Template> choices;  ///< doc_to_choice: one reference to a list, or one template each
  Template target;                ///< doc_to_target: an index, or the right choice's text
  std::optional<Template> category;
};

/// Reads all items. @throws Error(kData) naming file and line for an item with fewer than two
/// choices, an empty choice, or a target that is none of them.
[[nodiscard]] std::vector<ChoiceItem> read_items(const DataSource& source,
                                                 const ChoiceTemplates& templates);

}  // namespace yardstick::tasks
