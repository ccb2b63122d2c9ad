// A task from YAML text, as a suite would define it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/yaml.hpp"
#include "tasks/task.hpp"

namespace yardstick::test {

inline std::unique_ptr<const tasks::Task> task_from(const std::string& yaml,
                                                    const std::filesystem::path& base = {}) {
  return tasks::make_task(
      {.name = "probe", .parameters = parse_yaml(yaml, "suite.yaml"), .base = base});
}

}  // namespace yardstick::test
