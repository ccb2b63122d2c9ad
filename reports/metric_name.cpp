#include "reports/metric_name.hpp"

namespace yardstick::reports {

MetricName split_filter(std::string_view name) {
  const std::size_t comma = name.find(',');
  if (comma == std::string_view::npos) return {std::string(name), "none"};
  return {std::string(name.substr(0, comma)), std::string(name.substr(comma + 1))};
}

}  // namespace yardstick::reports
