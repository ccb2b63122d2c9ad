#include "tasks/data/records.hpp"

#include <utility>

#include "tasks/data/jsonl.hpp"

namespace yardstick::tasks {

std::vector<Record> read_records(const std::filesystem::path& file) {
  std::vector<Record> records;
  for_each_json_line(file, [&](std::int64_t line, nlohmann::ordered_json&& object) {
    records.push_back({.fields = std::move(object), .line = line});
    return Proceed::kNext;
  });
  return records;
}

}  // namespace yardstick::tasks
