// CSV: the flat results table.
#include <fmt/format.h>

#include "reports/format.hpp"
#include "reports/report.hpp"

namespace yardstick::reports {
namespace {

std::string row(const Results& results, const Cell& cell, const Metric& metric) {
  const std::string length = cell.length ? fmt::format("{}", *cell.length) : "";
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\r\n", csv_text(results.suite),
                     csv_text(results.models[cell.model].name),
                     csv_text(results.tasks[cell.task].name), csv_text(metric.name), length,
                     csv_number(cell.depth), csv_number(metric.value),
                     csv_number(metric.standard_error), csv_number(metric.ci_low),
                     csv_number(metric.ci_high), metric.n, csv_text(cell.status));
}

}  // namespace

std::string csv(const Results& results) {
  std::string out = "suite,model,task,metric,length,depth,value,stderr,ci_low,ci_high,n,status\r\n";
  for (const Cell& cell : results.cells) {
    if (cell.metrics.empty()) out += row(results, cell, Metric{});
    for (const Metric& metric : cell.metrics) out += row(results, cell, metric);
  }
  return out;
}

}  // namespace yardstick::reports
