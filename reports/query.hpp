// One suite read from the store as plain values: the only way reports see a database.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tasks/metrics/meaning.hpp"

namespace yardstick::reports {

struct Metric {
  std::string name;
  std::optional<double> value;  ///< absent: no scored sample
  std::optional<double> standard_error;
  std::optional<double> ci_low;  ///< 95 %
  std::optional<double> ci_high;
  std::int64_t n = 0;
  tasks::Meaning meaning;
};

/// Loss summed over the token indices [first, last] of all samples of a cell.
struct PositionLoss {
  std::int64_t first = 0;
  std::int64_t last = 0;
  double sum_nll = 0;  ///< nats
  std::int64_t count = 0;
};

/// How many samples of a cell ended how.
struct SampleCounts {
  std::int64_t ok = 0;
  std::int64_t nonfinite = 0;
  std::int64_t skipped = 0;
  std::int64_t documents = 0;  ///< that the ok ones are of
};

struct Cell {
  std::string key;
  std::size_t model = 0;  ///< index into Results::models
  std::size_t task = 0;   ///< index into Results::tasks
  std::optional<std::int64_t> length;
  std::optional<double> depth;
  std::string variant;
  std::string status;  ///< pending, ok, failed, skipped
  std::string message;
  std::string dtype;
  std::string device;
  std::int64_t seed = 0;
  std::optional<std::int64_t> limit;
  std::int64_t tokens = 0;
  double seconds = 0;
  std::vector<Metric> metrics;
  std::vector<PositionLoss> position_losses;
  SampleCounts samples;

  /// The metric called `name`, or nullptr.
  [[nodiscard]] const Metric* find(std::string_view name) const;
};

struct Model {
  std::string name;  ///< as the suite calls it
  std::string fingerprint;
  std::string architecture;
  std::string encoding;
  std::int64_t parameters = 0;
  std::string weight_dtype;
  std::optional<std::int64_t> training_length;
  nlohmann::json position_plan;
  std::string tokenizer;
  std::string bos;
};

struct Task {
  std::string name;
  std::string kind;
  std::string fingerprint;
  std::string protocol;
  nlohmann::json definition;
  std::string headline;    ///< metric shown first
  tasks::Meaning meaning;  ///< of the headline; its direction alone while no cell has a value
};

struct Run {
  std::string started_at;
  std::string finished_at;  ///< empty: it did not finish
  std::string command;
  std::string version;
  std::string backend;
  std::string host;
};

struct Results {
  std::string suite;
  std::filesystem::path database;
  std::vector<Model> models;
  std::vector<Task> tasks;
  std::vector<Cell> cells;  ///< in the suite's order
  std::vector<Run> runs;
};

/// Reads one suite; nothing is written, and a file of an older schema is read as a migrated copy.
/// `suite` may be absent if the database holds only one.
/// @throws Error(kStore) for a file that is no yardstick database or is of a newer version;
/// Error(kConfig) naming the suites that there are.
[[nodiscard]] Results read_results(const std::filesystem::path& database,
                                   const std::optional<std::string>& suite);

}  // namespace yardstick::reports
