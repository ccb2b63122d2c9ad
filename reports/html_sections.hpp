// The sections of the HTML report, each a function from results to markup.
#pragma once

#include <string>

#include "reports/query.hpp"

namespace yardstick::reports {

[[nodiscard]] std::string findings_section(const Results& results);
[[nodiscard]] std::string models_section(const Results& results);
[[nodiscard]] std::string task_section(const Results& results, std::size_t index);
[[nodiscard]] std::string metrics_section(const Results& results);
[[nodiscard]] std::string unfinished_section(const Results& results);
[[nodiscard]] std::string health_section(const Results& results);
[[nodiscard]] std::string provenance_section(const Results& results);

}  // namespace yardstick::reports
