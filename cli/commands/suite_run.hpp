// What `run` and `plan` have in common: where results are, and which cells are done.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "harness/plan/count_plan.hpp"
#include "harness/plan/plan.hpp"
#include "harness/store/store.hpp"

namespace yardstick::cli {

/// The suite of the options, with its models opened and its tasks made.
/// @throws Error as read_suite and open_suite.
[[nodiscard]] harness::OpenedSuite open_suite(const RunOptions& options);

/// The same, but what cannot be opened is named in the errors.
[[nodiscard]] harness::OpenedParts open_parts(const RunOptions& options);

/// The suite's notes on standard error, a line each.
void print_notes(const harness::OpenedSuite& opened);

[[nodiscard]] std::filesystem::path database_of(const RunOptions& options,
                                                const harness::Suite& suite);

/// What the store has of the plan, without making a database that is not there.
[[nodiscard]] std::map<std::string, harness::CellState> stored_cells(
    const std::filesystem::path& database, const std::vector<harness::PlannedCell>& plan);

/// Ids of the samples that the store has of those `cells` that are in `stored`.
[[nodiscard]] harness::StoredSamples stored_samples(
    const std::filesystem::path& database, const std::map<std::string, harness::CellState>& stored,
    const std::vector<harness::PlannedCell>& cells);

[[nodiscard]] bool is_done(const std::map<std::string, harness::CellState>& stored,
                           const harness::PlannedCell& cell);

/// Threads that build and score, while nothing computes.
[[nodiscard]] int worker_count();

/// One line on standard error.
void warn(const std::string& message);

}  // namespace yardstick::cli
