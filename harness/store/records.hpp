// Rows of the store as plain values: what goes in and what comes out, free of SQLite.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tasks/task.hpp"

namespace yardstick::harness {

/// One call of `yardstick run`.
struct RunRecord {
  std::string suite;
  std::string command;
  std::string version;
  std::string backend;  ///< LibTorch version and devices
  std::string config;   ///< the merged suite, JSON

  bool operator==(const RunRecord&) const = default;
};

struct ModelRecord {
  std::string fingerprint;
  std::string architecture;
  std::string encoding;
  std::int64_t parameters = 0;
  std::string weight_dtype;
  std::optional<std::int64_t> training_length;  ///< tokens
  std::string position_plan;                    ///< JSON
  std::string tokenizer;
  std::string bos;
  std::string generation_ends;  ///< ids that end an answer, and where they come from

  bool operator==(const ModelRecord&) const = default;
};

struct TaskRecord {
  std::string fingerprint;
  std::string kind;
  std::string protocol;
  std::string definition;  ///< JSON
  tasks::Task::Headline headline;
};

enum class CellStatus { kPending, kOk, kFailed, kSkipped };

/// What identifies a cell, and which model and task it belongs to (by their fingerprints).
struct CellRecord {
  std::string key;
  std::string model_fingerprint;
  std::string task_fingerprint;
  tasks::CellAxes axes;
  std::uint64_t seed = 0;
  std::optional<std::int64_t> limit;
  std::string dtype;
};

/// A cell under the names that a suite gives it.
struct SuiteCellRecord {
  std::string model;
  std::string task;
  CellRecord cell;
};

/// Where the cells go that a suite shows and a run of it does not name.
enum class EarlierCells {
  kInFront,  ///< they keep their places, the run's own come behind
  kBehind,   ///< they follow the run's own
  kPruned,   ///< the suite shows them no more; they stay in the database
};

/// All that one run wants in the store before it computes.
struct SuiteRecord {
  RunRecord run;
  std::vector<ModelRecord> models;
  std::vector<TaskRecord> tasks;
  std::vector<SuiteCellRecord> cells;  ///< in the suite's order; one key may come under two names
  EarlierCells earlier_cells = EarlierCells::kBehind;
};

/// A cell of a suite, under the names that it gives it.
struct ShownCell {
  std::string model;
  std::string task;
  std::int64_t cell_id = 0;

  bool operator==(const ShownCell&) const = default;
};

/// What became of the cells that a suite showed before a run.
struct SuiteChange {
  std::vector<ShownCell> kept;      ///< not the run's, and still shown
  std::vector<ShownCell> replaced;  ///< a name of theirs means something else in this run
  std::vector<ShownCell> pruned;
};

struct CellState {
  std::int64_t id = 0;
  CellStatus status = CellStatus::kPending;
  std::string message;
};

/// What a chunk adds to its cell.
struct ChunkRecord {
  std::vector<tasks::SampleScore> scores;
  double seconds = 0;  ///< computing time of the chunk
};

/// How a cell ends.
struct CellEnd {
  CellStatus status = CellStatus::kOk;
  std::string message;
  std::vector<tasks::MetricValue> metrics;
};

struct CellFacts {
  std::int64_t planned_samples = 0;
  std::int64_t tokens = 0;  ///< of all requests that are sent to the model
  std::string device;
};

/// A line of `yardstick list runs`.
struct RunSummary {
  std::int64_t id = 0;
  std::string suite;
  std::string started_at;
  std::optional<std::string> finished_at;
  std::string host;
  std::string command;
};

/// The headline metric of one cell of a suite, for the table at the end of a run.
struct HeadlineRow {
  std::string model;
  std::string task;
  std::string metric;
  std::optional<std::int64_t> length;
  std::optional<double> depth;
  std::string variant;
  std::optional<double> value;
  std::int64_t n = 0;  ///< samples (or documents) behind the value
  std::string status;
  std::string message;
};

}  // namespace yardstick::harness
