// The entries of a suite's `tasks`: mappings, or names of the task library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "harness/suite/task_library.hpp"
#include "tasks/task.hpp"

namespace yardstick::harness {

/// Who said a task's lengths.
enum class LengthsFrom { kNobody, kSuite, kEntry, kCommandLine };

struct SuiteTask {
  tasks::TaskDefinition definition;
  std::vector<std::int64_t> lengths;  ///< the task's own, or the suite's
  std::string place;
  LengthsFrom lengths_from = LengthsFrom::kNobody;
  std::vector<std::string> notes;  ///< what was accepted and has no effect
};

/// What a suite says for all of its tasks.
struct TaskDefaults {
  std::filesystem::path base;         ///< folder that relative files start from
  std::vector<std::int64_t> lengths;  ///< for tasks that have none of their own
  std::vector<std::filesystem::path> data_folders;
  std::optional<std::int64_t> num_fewshot;  ///< in place of what task files with templates say
  /// In place of every task's own lengths, those of `stretch` too, if not empty.
  std::vector<std::int64_t> forced_lengths;
  /// In place of what tasks that take such a file say, if not empty; from the current folder.
  std::filesystem::path haystack;   ///< text to hide things in
  std::filesystem::path questions;  ///< RULER's questions with documents
  TaskLibrary library;
};

/// Reads `tasks`. An entry is a mapping (with `include`, and by default the name of its file's
/// `task`), or a text that TaskLibrary::find() turns into one task or several.
/// @throws Error(kConfig) with file:line:column.
[[nodiscard]] std::vector<SuiteTask> read_tasks(Fields& suite, const TaskDefaults& defaults);

/// The key `lengths`; empty if absent. @throws Error(kConfig) if one stands twice.
[[nodiscard]] std::vector<std::int64_t> read_lengths(Fields& fields);

}  // namespace yardstick::harness
