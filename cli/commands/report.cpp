// `yardstick report`: reports from a results database, and nothing else.
#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/commands/report_folder.hpp"
#include "reports/query.hpp"
#include "reports/report.hpp"

namespace yardstick::cli {

int report(const ReportOptions& options) {
  const reports::Results results = reports::read_results(options.database, options.suite);
  const std::filesystem::path folder =
      options.output.empty() ? options.database.parent_path() / results.suite : options.output;
  claim_report_folder(folder, options.database, results.suite);
  std::string last;  // the page goes last, where people look and scripts cut
  for (const std::string& format : options.formats) {
    const std::string written = reports::write_report(results, format, folder).string();
    if (format == "html")
      last = written;
    else
      fmt::print("{}\n", written);
  }
  if (!last.empty()) fmt::print("{}\n", last);
  return kDone;
}

}  // namespace yardstick::cli
