// A suite: models x tasks x lengths and how to run them, read from YAML into types.
// docs/suite.md documents every key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/yaml.hpp"
#include "harness/suite/device.hpp"
#include "harness/suite/task_entry.hpp"
#include "models/engine/engine.hpp"
#include "models/model_folder.hpp"
#include "tasks/task.hpp"

namespace yardstick::harness {

struct SuiteModel {
  models::ModelSpec spec;
  std::vector<std::int64_t> lengths;  ///< only these of a task's lengths; empty = all
  std::string place;                  ///< "suite.yaml:4:5", for errors found later
};

struct Suite {
  std::string name;
  std::filesystem::path file;
  std::uint64_t seed = 0;
  models::ComputeType dtype = models::ComputeType::kFloat32;
  std::vector<DeviceSlot> devices;
  tasks::Subset subset;  ///< of each cell's samples
  std::int64_t batch_tokens = 4096;
  std::vector<std::string> report_formats;
  std::vector<SuiteModel> models;
  std::vector<SuiteTask> tasks;
  nlohmann::json config;  ///< the merged YAML, for the run record
};

/// What the command line says over the file.
struct SuiteOverrides {
  std::vector<std::string> set;  ///< "key.path=value"
  std::vector<std::string> devices;
  std::optional<tasks::Subset> subset;
  std::optional<std::int64_t> num_fewshot;
  std::vector<std::int64_t> lengths;                ///< in place of every task's own, if not empty
  std::vector<std::filesystem::path> task_folders;  ///< searched before the shipped tasks
  std::vector<std::filesystem::path> data_folders;  ///< of data sets that have a name
  std::filesystem::path haystack;   ///< for tasks that hide things in a text, if not empty
  std::filesystem::path questions;  ///< for RULER's qa tasks, if not empty
};

/// Whether these are the keys of a task file, which names no models.
[[nodiscard]] bool is_task_file(const Located& values);

/// Reads and types a suite. Paths in it start from its own folder, those of --set from the current
/// one. @throws Error(kConfig) with file:line:column for an unknown or duplicate key, a wrong type,
/// a missing file, a bad length or a name that stands twice.
[[nodiscard]] Suite read_suite(const std::filesystem::path& file, const SuiteOverrides& overrides);

/// The same from values that are not from a file (the command line); paths start from the current
/// folder.
[[nodiscard]] Suite read_suite(const Located& values, const SuiteOverrides& overrides);

}  // namespace yardstick::harness
