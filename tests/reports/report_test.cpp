#include "reports/report.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "reports/format.hpp"
#include "reports/position_text.hpp"
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
  EXPECT_TRUE(
      text.starts_with("suite,model,task,metric,length,depth,value,stderr,ci_low,ci_high,n,status,"
                       "variant,unit,better,scale\r\n"));
  EXPECT_THAT(text, HasSubstr("demo,nope <b>60m</b>,ppl,,8192,,,,,,0,failed,,,,\r\n"));
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

TEST(HtmlReport, ShowsTheProtocolOnceAndScrollsNowhere) {
  const std::string page = html(demo());
  const std::string protocol = "disjoint, token-weighted";
  EXPECT_EQ(page.find(protocol), page.rfind(protocol));
  EXPECT_THAT(page, Not(HasSubstr("overflow-x")));
  EXPECT_THAT(page, Not(HasSubstr("<details")));
}

TEST(HtmlReport, SaysInCaptionsHowMuchRan) {
  const std::string page = html(demo());
  // The store says n = 24 and holds one sample a cell.
  EXPECT_THAT(page, HasSubstr("bands: 95 % intervals; n = 24 a cell (1 sample of 1 document)"));
  EXPECT_THAT(page, HasSubstr("from 0 to 100 %; n = 4 to 20 a cell (1 sample of 1 document)"));
}

TEST(HtmlReport, EveryValueStandsUnderAColumnsNameWhereTheTableIsSetRowByRow) {
  EXPECT_THAT(html(demo()), HasSubstr("data-label=\"8k\""));
}

// Bucket [512, 1023] of indices is tokens 513 to 1024, which a model trained at 512 never saw: on
// the logarithmic axis it is drawn at sqrt(513 x 1024) = 724.8, right of the line at 512.
TEST(HtmlReport, LossBeyondTheTrainingLengthIsDrawnBeyondItsLine) {
  const std::string page = html(demo());
  const std::size_t chart = page.find("aria-label=\"loss by position\"");
  ASSERT_NE(chart, std::string::npos);
  const std::size_t line = page.find("<line x1=\"", page.find("class=\"grid\"", chart));
  const std::size_t trained = page.rfind("<line x1=\"", page.find("class=\"trained\"", line));
  const double border = std::stod(page.substr(trained + 10));
  const auto circle_of = [&](const char* bucket) {
    const std::size_t at = page.find(std::string("rope-60m, indices ") + bucket, chart);
    return std::stod(page.substr(page.find("cx=\"", at) + 4));
  };
  EXPECT_LT(circle_of("256 to 511"), border);
  EXPECT_GT(circle_of("512 to 1023"), border + 5);
}

Metric share(double value, double low, double high) {
  return {.name = "acc",
          .value = value,
          .standard_error = 0.0,
          .ci_low = low,
          .ci_high = high,
          .n = 10,
          .meaning = tasks::kShareMeaning};
}

/// One model, one task, one cell for each variant.
Results two_variants(const std::string& name) {
  Results results{
      .suite = name, .database = "r.db", .models = {}, .tasks = {}, .cells = {}, .runs = {}};
  results.models.push_back(
      {.name = name,
       .fingerprint = name,
       .architecture = name,
       .encoding = name,
       .parameters = 1,
       .weight_dtype = name,
       .training_length = {},
       .position_plan = {{"kind", name}, {"sources", {{name, "override: " + name}}}},
       .tokenizer = name,
       .bos = name});
  results.tasks.push_back({.name = name,
                           .kind = name,
                           .fingerprint = name,
                           .protocol = name,
                           .definition = {{"version", name}, {name, name}},
                           .headline = name,
                           .meaning = tasks::kShareMeaning});
  for (const char* const variant : {"10 keys ", "75 keys "}) {
    Cell cell{.key = name,
              .variant = variant + name,
              .status = "ok",
              .message = name,
              .dtype = name,
              .device = name};
    cell.metrics.push_back(share(1.0, 0.72, 1.0));
    cell.metrics.back().name = name;
    results.cells.push_back(cell);
    cell.length = 128;
    results.cells.push_back(cell);
    cell.status = "failed";
    cell.metrics.clear();
    cell.depth = 0.5;
    results.cells.push_back(cell);
  }
  results.runs.push_back({name, name, name, name, name, name});
  return results;
}

TEST(EveryFormat, TellsTwoVariantsApart) {
  const Results results = two_variants("m");
  for (const auto& render : {html, markdown, csv, json}) {
    const std::string text = render(results);
    EXPECT_THAT(text, HasSubstr("10 keys"));
    EXPECT_THAT(text, HasSubstr("75 keys"));
  }
  const nlohmann::json document = nlohmann::json::parse(json(results));
  EXPECT_EQ(document.at("models").at("m").at("results").size(), 6U);
}

TEST(EveryFormat, KeepsHostileNamesFromTakingEffect) {
  const std::string hostile = "<script>alert(1)</script>\"'|`*[x](y)\r\n=1+1,\x1b[2J\xc2\x9b&amp;";
  const Results results = two_variants(hostile);
  const std::string page = html(results);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(page, Not(HasSubstr("\xc2\x9b")));
  EXPECT_THAT(page, Not(HasSubstr("(1)</script>\"")));
  EXPECT_THAT(page,
              HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;|`*[x](y)  =1+1,\\x1b[2J"
                        "\\u009b&amp;amp;"));
  const std::string text = markdown(results);
  EXPECT_THAT(text, HasSubstr("\\<script\\>"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  // Out of code, where nothing takes effect, no character of markup stands without its backslash.
  for (std::size_t line = 0, end; line < text.size(); line = end + 1) {
    end = std::min(text.find('\n', line), text.size());
    const std::string one = text.substr(line, end - line);
    if (one.starts_with("- run ")) continue;
    for (std::size_t at = one.find_first_of("<`"); at != std::string::npos;
         at = one.find_first_of("<`", at + 1)) {
      EXPECT_EQ(one[at == 0 ? 0 : at - 1], '\\') << one;
    }
  }
  // Read back by the RFC's rules, the fields of a row are the names themselves.
  const std::string quoted =
      "\"<script>alert(1)</script>\"\"'|`*[x](y)\r\n=1+1,\x1b[2J\xc2\x9b&amp;\"";
  EXPECT_THAT(csv(results),
              HasSubstr("\r\n" + quoted + "," + quoted + "," + quoted + "," + quoted + ",128,"));
  const nlohmann::json document = nlohmann::json::parse(json(results));
  EXPECT_EQ(document.at("suite"), hostile);
  EXPECT_EQ(document.at("cells").at(0).at("variant"), "10 keys " + hostile);
  EXPECT_EQ(document.at("cells").at(0).at("metrics").at(0).at("metric"), hostile);
}

TEST(MarkdownReport, AStandardErrorOfZeroGivesWayToTheInterval) {
  const std::string text = markdown(two_variants("m"));
  EXPECT_THAT(text, HasSubstr("| 1.0000 | 95 % | [0.7200, 1.0000] |"));
  EXPECT_THAT(text, Not(HasSubstr("| ± | 0.0000 |")));
}

TEST(Reports, ShowOverridesInTheModelsTable) {
  Results results = two_variants("m");
  results.models[0].position_plan = nlohmann::json::parse(R"({
    "kind": "rope", "rope_theta": 10000.0, "head_dim": 64, "rotary_dims": 64, "floor_frequency": 0.0,
    "scaling": {"rope_type": "yarn", "factor": 4.0},
    "reach": {"kind": "self_extend", "group": 4.0, "window": 64},
    "sources": {"rope_theta": "config.json: rope_theta", "reach": "override: self_extend",
                "scaling.factor": "override: factor", "scaling.rope_type": "override: rope_type"},
    "layers": {"plan_of": "full_attention", "types": ["full_attention", "sliding_attention"],
               "others": {"sliding_attention": {"kind": "rope", "rope_theta": 500.0,
                 "reach": {"kind": "sliding_window", "window": 16},
                 "sources": {"reach": "override: sliding_window"}}}}})");
  results.models[0].bos = "none (bos: never)";
  const std::string overrides =
      "reach self_extend (group 4, window 64); scaling yarn (factor 4); sliding_attention: reach "
      "sliding_window (window 16); bos: never";
  EXPECT_EQ(overrides_text(results.models[0].position_plan, results.models[0].bos), overrides);
  EXPECT_THAT(html(results), HasSubstr("data-label=\"overrides\">" + overrides + "</td>"));
  EXPECT_THAT(markdown(results), HasSubstr("| " + escape_markdown(overrides) + " |"));
  EXPECT_EQ(position_text(results.models[0].position_plan),
            "theta 10000; scaling yarn (factor 4); reach self_extend (group 4, window 64); "
            "sliding_attention: theta 500, reach sliding_window (window 16)");
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
