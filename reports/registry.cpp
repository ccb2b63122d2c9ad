// The table of formats: a new one is a function and a line here.
#include <array>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "reports/report.hpp"

namespace yardstick::reports {
namespace {

struct Format {
  std::string_view name;
  std::string_view file;
  std::string (*render)(const Results&);
};

constexpr std::array<Format, 4> kFormats{{{"csv", "results.csv", csv},
                                          {"html", "report.html", html},
                                          {"json", "report.json", json},
                                          {"md", "report.md", markdown}}};

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::vector<std::string> report_files() {
  std::vector<std::string> files;
  for (const Format& format : kFormats) files.emplace_back(format.file);
  return files;
}

std::filesystem::path write_report(const Results& results, std::string_view name,
                                   const std::filesystem::path& folder) {
  for (const Format& format : kFormats) {
    if (format.name != name) continue;
    const std::filesystem::path file = folder / format.file;
    write_file_atomically(file, format.render(results));
    return file;
  }
  throw Error(ErrorKind::kConfig,
              fmt::format("unknown report format '{}'{}; it is one of: csv, html, json, md", name,
                          did_you_mean(name, format_names())));
}

}  // namespace yardstick::reports
