#include "harness/plan/unchanged.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::harness {
namespace {

void check_stamps(const std::vector<FileStamp>& stamps, std::string_view whose) {
  for (const FileStamp& stamp : stamps) {
    const std::string change = describe_change(stamp);
    if (change.empty()) continue;
    throw Error(
        ErrorKind::kData,
        fmt::format("{}: {} after it was hashed as the {}, so that what is computed would be "
                    "stored under the key of other bytes; nothing of that is stored. Run "
                    "again when nothing writes the file, or use a copy",
                    stamp.file.string(), change, whose));
  }
}

}  // namespace

void check_model_files(const OpenedSuite& opened, std::size_t model) {
  check_stamps(opened.models[model]->files(),
               fmt::format("model '{}'", opened.suite.models[model].spec.name));
}

void check_files(const OpenedSuite& opened, const PlannedCell& cell) {
  check_model_files(opened, cell.model);
  check_stamps(opened.task_files[cell.task],
               fmt::format("data of task '{}'", opened.suite.tasks[cell.task].definition.name));
}

}  // namespace yardstick::harness
