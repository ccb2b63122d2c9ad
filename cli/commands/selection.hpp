// Models and tasks that the command line names, in place of a suite file or for a look at one task.
#pragma once

#include "cli/commands/commands.hpp"
#include "harness/suite/suite.hpp"

namespace yardstick::cli {

/// The suite that the selection makes; its name is the task's, or "tasks" if there are several.
/// Every value's place is the option that gave it.
[[nodiscard]] Located suite_of(const Selection& selection);

/// --lengths. @throws Error(kConfig) for what is no length.
[[nodiscard]] std::vector<std::int64_t> lengths_of(const Selection& selection);

/// ", length 1024, depth 0.5": what distinguishes a cell, to stand behind its task's name.
[[nodiscard]] std::string describe_cell(const tasks::CellAxes& cell);

/// `overrides` with what a selection adds to a suite, file or not.
[[nodiscard]] harness::SuiteOverrides with_selection(harness::SuiteOverrides overrides,
                                                     const Selection& selection);

}  // namespace yardstick::cli
