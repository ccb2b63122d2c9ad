// CSV: the flat results table.
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "reports/format.hpp"
#include "reports/report.hpp"

namespace yardstick::reports {
namespace {

/// @param metric nullptr for a cell without a result
std::string row(const Results& results, const Cell& cell, const Metric* shown) {
  const Metric metric = shown == nullptr ? Metric{} : *shown;
  std::array<std::string_view, 3> meaning{};
  if (shown != nullptr) {
    meaning = {to_string(metric.meaning.unit), to_string(metric.meaning.better),
               to_string(metric.meaning.scale)};
  }
  const std::string length = cell.length ? fmt::format("{}", *cell.length) : "";
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", csv_text(results.suite),
      csv_text(results.models[cell.model].name), csv_text(results.tasks[cell.task].name),
      csv_text(metric.name), length, csv_number(cell.depth), csv_number(metric.value),
      csv_number(metric.standard_error), csv_number(metric.ci_low), csv_number(metric.ci_high),
      metric.n, csv_text(cell.status), csv_text(cell.variant), meaning[0], meaning[1], meaning[2]);
}

}  // namespace

std::string csv(const Results& results) {
  std::string out =
      "suite,model,task,metric,length,depth,value,stderr,ci_low,ci_high,n,status,"
      "variant,unit,better,scale\r\n";
  for (const Cell& cell : results.cells) {
    if (cell.metrics.empty()) out += row(results, cell, nullptr);
    for (const Metric& metric : cell.metrics) out += row(results, cell, &metric);
  }
  return out;
}

}  // namespace yardstick::reports
