// A metric's name as lm-evaluation-harness writes it: "metric,filter".
#pragma once

#include <string>
#include <string_view>

namespace yardstick::reports {

struct MetricName {
  std::string metric;
  std::string filter;  ///< "none" if the name has none
};

/// "exact_match,strict-match" -> {"exact_match", "strict-match"}; "acc" -> {"acc", "none"}.
[[nodiscard]] MetricName split_filter(std::string_view name);

}  // namespace yardstick::reports
