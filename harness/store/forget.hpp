// Taking cells out of a results database for good: `yardstick forget`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/store/database.hpp"

namespace yardstick::harness {

/// What a suite shows is meant if it has one of the names in each list that is not empty.
struct ForgetFilter {
  std::vector<std::string> suites;
  std::vector<std::string> models;
  std::vector<std::string> tasks;
  std::vector<std::string> statuses;
};

/// What is meant, a line for each suite, model, task and status.
struct ForgetLine {
  std::string suite;
  std::string model;
  std::string task;
  std::string status;
  std::int64_t cells = 0;
  std::int64_t samples = 0;
};

struct Forgotten {
  std::vector<ForgetLine> lines;  ///< in the suites' orders
  std::int64_t cells = 0;         ///< that go, with samples and metrics
  std::int64_t samples = 0;
  std::int64_t kept = 0;  ///< that leave these suites, but are shown under other names too
};

/// What forget() would take. Changes nothing.
/// @throws Error(kConfig) for a name that the database does not have, Error(kStore).
[[nodiscard]] Forgotten preview_forget(const std::filesystem::path& file,
                                       const ForgetFilter& filter, const Warn& warn);

/// Takes what `filter` means out of its suites, deletes the cells that no suite shows any more, and
/// the models and tasks without a cell. One transaction, under the run's lock.
/// @throws as preview_forget; Error(kStore) while a run writes.
Forgotten forget(const std::filesystem::path& file, const ForgetFilter& filter, const Warn& warn);

}  // namespace yardstick::harness
