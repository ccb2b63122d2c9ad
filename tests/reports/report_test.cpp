#include "reports/report.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "tests/support/demo_store.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

Results demo() {
  const test::TemporaryFolder folder;
  test::write_demo_store(folder / "demo.db");
  return read_results(folder / "demo.db", std::nullopt);
}

TEST(HtmlReport, IsSelfContainedAndRunsNothing) {
  const std::string page = html(demo());
  for (const char* outside :
       {"<script", "http://", "https://", "<link", "@import", "url(//", "src="}) {
    std::string rest = page;
    // The SVG namespace is a name, not an address that is fetched.
    for (std::size_t at; (at = rest.find("http://www.w3.org/2000/svg")) != std::string::npos;)
      rest.erase(at, 26);
    EXPECT_THAT(rest, Not(HasSubstr(outside)));
  }
}

TEST(HtmlReport, EscapesEveryTextOfTheDatabase) {
  const std::string page = html(demo());
  EXPECT_THAT(page, HasSubstr("nope &lt;b&gt;60m&lt;/b&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<b>60m")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
}

TEST(HtmlReport, ListsFailedSkippedAndPendingCells) {
  const std::string page = html(demo());
  EXPECT_THAT(page, HasSubstr("Cells without a result"));
  EXPECT_THAT(page, HasSubstr("out of memory"));
  EXPECT_THAT(page, HasSubstr("infeasible: needs at least 140 tokens"));
  EXPECT_THAT(page, HasSubstr("pending"));
}

TEST(HtmlReport, SaysWhatItWasMadeFrom) {
  const std::string page = html(demo());
  for (const char* part : {"yardstick run demo.yaml", "print-rope-60m", "2026-01-02T03:04:05Z",
                           "disjoint, token-weighted"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
}

TEST(HtmlReport, EveryElementThatOpensCloses) {
  const std::string page = html(demo());
  for (const char* name : {"svg", "table", "tr", "td", "th", "figure", "div", "g", "text",
                           "section", "ul", "li", "p"}) {
    const auto count = [&](const std::string& token) {
      std::size_t n = 0;
      for (std::size_t at = page.find(token); at != std::string::npos;
           at = page.find(token, at + 1))
        ++n;
      return n;
    };
    const std::string open = std::string("<") + name;
    EXPECT_EQ(count(open + ">") + count(open + " "), count(std::string("</") + name + ">")) << name;
  }
}

TEST(CsvReport, HasOneRowAMetricAndTheDocumentedColumns) {
  const std::string text = csv(demo());
  EXPECT_TRUE(text.starts_with(
      "suite,model,task,metric,length,depth,value,stderr,ci_low,ci_high,n,status\r\n"));
  EXPECT_THAT(text, HasSubstr("demo,nope <b>60m</b>,ppl,,8192,,,,,,0,failed\r\n"));
  EXPECT_THAT(text, HasSubstr("demo,rope-60m,ppl,perplexity,512,,24,"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 28 + 140 + 3 * 4 + 1);
}

TEST(JsonReport, KeepsTheKeysThatScriptsForTheHarnessRead) {
  const nlohmann::json document = nlohmann::json::parse(json(demo()));
  const auto& results = document.at("models").at("rope-60m").at("results");
  EXPECT_NEAR(results.at("choice").at("acc,none").get<double>(), 0.4, 1e-12);
  EXPECT_NEAR(results.at("choice").at("acc_stderr,none").get<double>(), 0.08 / 1.96, 1e-12);
  EXPECT_TRUE(results.contains("ppl@512"));
  EXPECT_EQ(document.at("cells").size(), 172U);
}

TEST(MarkdownReport, HasTheHarnessTableAndBoldTrainingLengths) {
  const std::string text = markdown(demo());
  EXPECT_THAT(text,
              HasSubstr("| Tasks | Version | Filter | n-shot | Metric |  | Value |  | Stderr |"));
  EXPECT_THAT(text, HasSubstr("**24.0 [23.3, 24.7]**"));
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
}

TEST(WriteReport, WritesEveryFormatAndRefusesOthers) {
  const test::TemporaryFolder folder;
  const Results results = demo();
  for (const std::string& format : format_names()) {
    EXPECT_FALSE(read_file(write_report(results, format, folder / "out")).empty()) << format;
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "out/report.html"));
  EXPECT_THAT(test::error_message([&] { write_report(results, "htm", folder / "out"); }),
              HasSubstr("did you mean 'html'?"));
}

}  // namespace
}  // namespace yardstick::reports
