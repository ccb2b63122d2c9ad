// The plan: every cell of a suite with its content key. Made from opened models and tasks; computes
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/file_stamp.hpp"
#include "harness/plan/opened_model.hpp"
#include "harness/store/records.hpp"
#include "harness/suite/suite.hpp"
#include "tasks/task.hpp"

namespace yardstick::harness {

/// Version of what a key is made of and of the numbers behind it; a change recomputes everything.
/// 2: bfloat16 on the CPU computes in float32 from rounded weights, float32 on kernels of its own.
/// 3: scalings mean one thing everywhere, layer types have settings of their own, special tokens in
/// a corpus of llama.cpp's protocols are text, hf-strided has the script's number beside it.
inline constexpr int kKeyVersion = 3;

using TaskFactory =
    std::function<std::unique_ptr<const tasks::Task>(const tasks::TaskDefinition& definition)>;

/// A suite with its models opened and its tasks made.
struct OpenedSuite {
  Suite suite;
  std::vector<std::unique_ptr<const OpenedModel>> models;  ///< as suite.models
  std::vector<std::unique_ptr<const tasks::Task>> tasks;   ///< as suite.tasks
  std::vector<std::string> task_fingerprints;
  std::vector<std::vector<FileStamp>> task_files;  ///< their data, as it was when it was hashed
};

/// Opens models (in parallel, they hash their weights) and makes tasks.
/// @throws Error, the first in the suite's order, with the place of its entry in the suite.
[[nodiscard]] OpenedSuite open_suite(Suite suite, const ModelSource& source,
                                     const TaskFactory& factory);

/// What people should know before a run, each once: notes of the tasks, and what was accepted and
/// has no effect. @throws Error(kConfig) if lengths that were said for a task, or on the command
/// line, have none at all.
[[nodiscard]] std::vector<std::string> notes_of(const OpenedSuite& opened);

/// open_suite that goes on after an error: what can be opened is opened, the rest is null.
struct OpenedParts {
  OpenedSuite opened;
  std::vector<std::string> errors;  ///< in the suite's order: models, then tasks
};
[[nodiscard]] OpenedParts open_parts(Suite suite, const ModelSource& source,
                                     const TaskFactory& factory);

/// The suite of the models and tasks that could be opened. @throws Error(kConfig) with all errors
/// if no model, or no task, could.
[[nodiscard]] OpenedSuite keep_opened(OpenedParts parts);

/// All that determines a cell's result.
struct KeyInputs {
  std::string model_fingerprint;  ///< position plan and tokenizer included
  std::string task_fingerprint;   ///< kind, version, parameters, data
  tasks::CellAxes axes;
  std::uint64_t seed = 0;
  tasks::Subset subset;
  models::ComputeType dtype = models::ComputeType::kFloat32;
};

/// 64 hexadecimal characters. Devices, threads, batch sizes, names and paths are no part of it.
[[nodiscard]] std::string cell_key(const KeyInputs& inputs);

struct PlannedCell {
  std::size_t model = 0;  ///< index in suite.models
  std::size_t task = 0;
  tasks::CellAxes axes;
  std::string key;
  std::string not_applicable;  ///< "n/a: no position beyond 2048", or empty
};

/// An estimate of a cell's work for the order of building and the time left: long cells take
/// longer.
[[nodiscard]] double cell_weight(const PlannedCell& cell);

/// All cells, in the suite's order: task by task, model by model, as the task orders them.
/// @throws Error(kConfig) at a task that gives no cell for its lengths.
[[nodiscard]] std::vector<PlannedCell> make_plan(const OpenedSuite& opened);

/// The plan as the store keeps it.
[[nodiscard]] SuiteRecord make_record(const OpenedSuite& opened,
                                      const std::vector<PlannedCell>& plan, RunRecord run);

/// Why the model cannot read a sequence of `tokens`, or empty.
[[nodiscard]] std::string beyond_positions(const OpenedModel& model, std::int64_t tokens);

}  // namespace yardstick::harness
