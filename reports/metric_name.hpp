// What a metric's name says of it: "metric,filter" as lm-evaluation-harness writes it, whether it
// is a share that is shown in per cent, and which direction is better.
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

/// Whether the metric lies in [0, 1] and is shown in per cent.
[[nodiscard]] bool is_share(std::string_view name);

/// Whether curves of it have a logarithmic axis.
[[nodiscard]] bool is_logarithmic(std::string_view name);

/// "↑" if more is better, "↓" if less is, "" for counts and sizes.
[[nodiscard]] std::string_view direction_mark(std::string_view name);

}  // namespace yardstick::reports
