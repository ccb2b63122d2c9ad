// What is odd about a data file though every record of it can be read: for people, as notes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace yardstick::tasks {

/// Looks at a file's records one by one.
class Oddities {
 public:
  void look_at(const nlohmann::ordered_json& fields, std::int64_t line);

  /// The lines of a text, each a record.
  void look_at_lines(std::string_view text);

  /// Ids (`id`, `_id`, `question_id`) that stand at several records, each of which counts; fields
  /// whose every text stands in quotes, as a column that was cut out of a CSV.
  [[nodiscard]] std::vector<std::string> notes(const std::string& file) const;

 private:
  struct Ids {
    std::map<std::string, std::int64_t> first_line;
    std::int64_t repeated = 0;  ///< records whose id stood before
    std::string example;        ///< "'7' at lines 3 and 9"
  };
  struct Texts {
    std::int64_t all = 0;
    std::int64_t quoted = 0;
  };

  std::map<std::string, Ids> ids_;
  std::map<std::string, Texts> texts_;
};

}  // namespace yardstick::tasks
