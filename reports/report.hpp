// Reports: one function a format, from the read model alone to text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reports/query.hpp"

namespace yardstick::reports {

/// One self-contained page: no network, no script; figures are inline SVG.
[[nodiscard]] std::string html(const Results& results);
[[nodiscard]] std::string markdown(const Results& results);
/// The `results` view, RFC 4180, one row a metric of a cell.
[[nodiscard]] std::string csv(const Results& results);
/// Everything, with lm-evaluation-harness's keys for each model under `models.<name>.results`.
[[nodiscard]] std::string json(const Results& results);

/// Names that write_report knows: "csv", "html", "json", "md".
[[nodiscard]] std::vector<std::string> format_names();

/// Files that write_report writes into its folder, one a format.
[[nodiscard]] std::vector<std::string> report_files();

/// Writes one format into `folder` (report.html, report.md, results.csv, report.json), atomically.
/// @throws Error(kConfig) for an unknown format, naming the nearest one.
std::filesystem::path write_report(const Results& results, std::string_view format,
                                   const std::filesystem::path& folder);

}  // namespace yardstick::reports
