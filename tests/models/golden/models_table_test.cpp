// docs/models.md holds a table of every architecture with its source of truth and how far the
// project is from it; this test makes it. With YARDSTICK_WRITE_DOCS=1 it writes the page anew.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tests/models/golden/golden_models.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

constexpr std::string_view kBegin = "<!-- begin of the table that models_table_test makes -->\n";
constexpr std::string_view kEnd = "<!-- end of the table -->\n";

struct Row {
  std::set<std::string> folders;
  double worst = 0;
};

std::string source_of_truth(const std::string& family) {
  if (family == "olmo_fope") return "the FoPE repository's OLMo (bd94b20)";
  if (family == "hf_transformers") return "transformers 5.12.1";
  return "transformers 4.52, and a float64 implementation";
}

/// One significant digit, rounded up: what the table says.
double rounded_up(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(value)));
  return std::ceil(value / unit) * unit;
}

std::string joined(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

TEST(ModelsTable, IsThatOfTheDocs) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  std::map<std::pair<std::string, std::string>, Row> rows;
  for (const GoldenModel& golden : golden_models()) {
    const GoldenResult result = compare(golden);
    Row& row = rows[{result.architecture, golden.family}];
    row.folders.insert(golden.folder.filename().string());
    row.worst = std::max(row.worst, result.worst);
  }
  const std::filesystem::path page = "docs/models.md";
  const std::string text = read_file(page);
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos) << page;
  std::string table =
      "| architecture | source of truth | checkpoints | worst difference of a logit |\n"
      "| --- | --- | --- | --- |\n";
  for (const auto& [key, row] : rows) {
    const std::string head = fmt::format("| {} | {} | {} | ", key.first,
                                         source_of_truth(key.second), joined(row.folders));
    table += fmt::format("{}{:.0e} |\n", head, rounded_up(row.worst));
    const std::size_t found = text.find(head, begin);
    if (std::getenv("YARDSTICK_WRITE_DOCS") != nullptr) continue;
    ASSERT_NE(found, std::string::npos) << "docs/models.md has no such row: " << head;
    // Another instruction set rounds otherwise: twice the table's figure is within its meaning.
    const double said = std::stod(text.substr(found + head.size()));
    EXPECT_LE(row.worst, 2 * said) << head;
  }
  if (std::getenv("YARDSTICK_WRITE_DOCS") == nullptr) return;
  write_file_atomically(page, text.substr(0, begin + kBegin.size()) + table + text.substr(end));
}

}  // namespace
}  // namespace yardstick::test
