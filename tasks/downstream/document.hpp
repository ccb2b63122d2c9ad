// A document of a task: one record of its data, or a part of one, with the place it came from.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace yardstick::tasks {

struct TaskDocument {
  nlohmann::ordered_json fields;  ///< an object
  std::int64_t line = 0;          ///< of the data file, as read_records() counts
  std::string part;               ///< "-2" for the second part of an exploded record; else empty

  /// "line-000012-2": unique in the data.
  [[nodiscard]] std::string id() const;
};

}  // namespace yardstick::tasks
