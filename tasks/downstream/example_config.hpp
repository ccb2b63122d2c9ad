// How a task file says which worked examples stand in front of a question: num_fewshot,
// fewshot_split and fewshot_config.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "tasks/downstream/example_pool.hpp"

namespace yardstick::tasks {

/// The keys that need no document to be understood.
struct ExampleConfig {
  std::int64_t num_fewshot = 0;
  std::string num_fewshot_place;  ///< "task.yaml:4:14", for messages
  ExampleChoice choice = ExampleChoice::kRandom;
  std::optional<std::string> split;             ///< fewshot_config.split, fewshot_split
  std::vector<nlohmann::ordered_json> samples;  ///< documents written in the task file
  std::vector<std::int64_t> indices;            ///< of the split's documents; empty: all
};

/// @throws Error(kConfig) for a sampler or samples that cannot be.
[[nodiscard]] ExampleConfig read_example_config(Fields& fields, std::optional<Fields>& config);

}  // namespace yardstick::tasks
