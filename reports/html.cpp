// The HTML page: style and frame. Everything is inline, so that one file can be mailed and
// archived.
#include <algorithm>

#include <fmt/format.h>

#include "reports/format.hpp"
#include "reports/html_sections.hpp"
#include "reports/html_table.hpp"
#include "reports/report.hpp"

namespace yardstick::reports {
namespace {

// Series colours: Okabe and Ito's colour-blind-safe set, lightened for dark ground.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark;
  --ground: #ffffff; --panel: #f6f7f9; --ink: #1b1f24; --quiet: #5b6570; --line: #d5dae0; --grid: #e6e9ed;
  --accent: #0b5cad; --heat: #0b5cad; --on-heat: #ffffff; --bad: #a32a12;
  --s0: #0072b2; --s1: #d55e00; --s2: #008a64; --s3: #b0558b; --s4: #9a6a00; --s5: #2b93c7; --s6: #555555; --s7: #7a4fbf; }
@media screen and (prefers-color-scheme: dark) { :root {
  --ground: #14171b; --panel: #1c2026; --ink: #e8ebee; --quiet: #a0a9b3; --line: #39414a; --grid: #2a3038;
  --accent: #6db3f2; --heat: #5aa9ee; --on-heat: #0c1116; --bad: #ff9b85;
  --s0: #56b4e9; --s1: #ff9150; --s2: #35c79a; --s3: #e59ac6; --s4: #e8b33c; --s5: #9fd3f2; --s6: #bbbbbb; --s7: #b79bf0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 2px; }
h2 { font-size: 1.3rem; margin: 44px 0 6px; padding-top: 14px; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 22px 0 6px; }
p { margin: 6px 0; max-width: 78ch; }
.quiet, figcaption { color: var(--quiet); font-size: .875rem; }
ul.findings { padding-left: 1.1em; max-width: 82ch; } ul.findings li { margin: 8px 0; }
table { border-collapse: collapse; margin: 10px 0; max-width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: 5px 11px 5px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; min-width: 3.2em; }
th { font-weight: 600; } td.num, th.num { text-align: right; }
td b { font-weight: inherit; } td b, td small span { white-space: nowrap; }
td small { color: var(--quiet); display: block; font-size: .78rem; } td small.bad { color: var(--bad); }
td.trained { background: var(--panel); font-weight: 600; }
td.missing { color: var(--quiet); font-style: italic; }
td.bad { color: var(--bad); } code { font: .82rem/1.4 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
figure { margin: 12px 0; } figcaption { max-width: 78ch; } figure svg { width: 100%; height: auto; display: block; }
.chart svg { max-width: 900px; } .legend svg { max-width: 430px; }
.grids { display: flex; flex-wrap: wrap; gap: 4px 26px; } .grids figure { margin: 4px 0; }
.swatch { display: inline-block; width: .72em; height: .72em; border-radius: 50%; margin-right: .5em; }
svg text { fill: var(--ink); font-size: 12.5px; font-family: inherit; }
svg .tick, svg .note { fill: var(--quiet); font-size: 11.5px; } svg .label { fill: var(--quiet); }
svg .axis { stroke: var(--quiet); } svg .grid { stroke: var(--grid); }
svg .trained { stroke: var(--quiet); stroke-dasharray: 4 3; stroke-width: 1.2; }
svg .curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; } svg .band { stroke: none; fill-opacity: .16; }
svg .mark { stroke: var(--ground); stroke-width: 1.2; } svg .mark:hover { stroke: var(--ink); }
svg .name { font-weight: 600; } svg .leader { stroke-width: 1; opacity: .6; }
svg .heat-ground { fill: var(--panel); } svg .heat { fill: var(--heat); }
svg .heat-few { fill: url(#few); } svg .heat-missing { fill: none; stroke: var(--line); stroke-dasharray: 3 3; }
svg .heat-text { font-size: 13px; } svg .heat-hits { font-size: 10.5px; } svg .on { fill: var(--on-heat); }
@media screen and (max-width: 700px) { main { padding: 18px 14px 40px; }
  .chart svg text { font-size: 17px; } .chart svg .tick, .chart svg .note { font-size: 15.5px; } }
@media print { main { max-width: none; padding: 0; } h2, h3 { break-after: avoid; } figure, tr { break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)css";

// .s0 to .s7 colour whatever carries them: strokes of curves, fills of marks, names and bands.
std::string series_style() {
  std::string out;
  for (int i = 0; i < 8; ++i) {
    out += fmt::format(
        "svg .curve.s{0},svg .leader.s{0}{{stroke:var(--s{0})}}svg .mark.s{0},svg .band.s{0},"
        "svg .name.s{0}{{fill:var(--s{0})}}.swatch.s{0}{{background:var(--s{0})}}\n",
        i);
  }
  return out;
}

// The hatching of cells with too few samples, shared by all grids of the page.
constexpr std::string_view kPatterns =
    "<svg width=\"0\" height=\"0\" aria-hidden=\"true\" style=\"position:absolute\"><defs><pattern "
    "id=\"few\" "
    "width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><line x1=\"0\" "
    "y1=\"0\" x2=\"0\" y2=\"6\" "
    "style=\"stroke:var(--quiet);stroke-opacity:.5\"/></pattern></defs></svg>\n";

std::string header(const Results& results) {
  const auto finished = std::count_if(results.cells.begin(), results.cells.end(),
                                      [](const Cell& cell) { return cell.status == "ok"; });
  std::string when;
  if (!results.runs.empty()) {
    const Run& last = results.runs.back();
    when =
        ", last run " + escape_html(last.finished_at.empty() ? last.started_at : last.finished_at);
  }
  return fmt::format(
      "<header><h1>{}</h1><p class=\"quiet\">Length generalization: {} model{}, {} task{}, {} of "
      "{} "
      "cells finished{}</p></header>\n",
      escape_html(results.suite), results.models.size(), results.models.size() == 1 ? "" : "s",
      results.tasks.size(), results.tasks.size() == 1 ? "" : "s", finished, results.cells.size(),
      when);
}

}  // namespace

std::string html(const Results& results) {
  std::string body = header(results) + findings_section(results) + models_section(results);
  for (std::size_t task = 0; task < results.tasks.size(); ++task)
    body += task_section(results, task);
  body += unfinished_section(results) + metrics_section(results) + health_section(results) +
          provenance_section(results);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>{} - Yardstick "
      "report</title>\n<style>{}{}{}</style></head>\n<body>{}<main>\n{}</main></body></html>\n",
      escape_html(results.suite), kStyle, series_style(), table_style(), kPatterns, body);
}

}  // namespace yardstick::reports
