#include "reports/html_sections.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "reports/format.hpp"
#include "reports/html_cells.hpp"
#include "reports/position_text.hpp"
#include "reports/summary.hpp"

namespace yardstick::reports {
namespace {

using Kind = HtmlColumn::Kind;

}  // namespace

std::string findings_section(const Results& results) {
  const std::vector<std::string> sentences = findings(results);
  if (sentences.empty()) return "";
  std::string items;
  for (const std::string& sentence : sentences) items += "<li>" + escape_html(sentence) + "</li>";
  return "<ul class=\"findings\">" + items + "</ul>\n";
}

std::string models_section(const Results& results) {
  HtmlTable table({{.title = "model"},
                   {.title = "encoding"},
                   {.title = "parameters", .kind = Kind::kNumber},
                   {.title = "trained at", .kind = Kind::kNumber},
                   {.title = "weights"},
                   {.title = "position plan"},
                   {.title = "overrides"}});
  for (std::size_t m = 0; m < results.models.size(); ++m) {
    const Model& model = results.models[m];
    const std::string overrides = overrides_text(model.position_plan, model.bos);
    table.add({model_cell(m, model.name), text_cell(model.encoding),
               text_cell(count_text(model.parameters)),
               text_cell(model.training_length ? format_length(*model.training_length) : "unknown"),
               text_cell(model.weight_dtype), text_cell(position_text(model.position_plan)),
               text_cell(overrides.empty() ? "none" : overrides)});
  }
  return "<h2>Models</h2>" + table.html("");
}

std::string unfinished_section(const Results& results) {
  HtmlTable table({{.title = "model"},
                   {.title = "task"},
                   {.title = "cell"},
                   {.title = "status"},
                   {.title = "reason"}});
  for (const Cell& cell : results.cells) {
    if (cell.status == "ok") continue;
    HtmlCell status = text_cell(cell.status);
    if (cell.status == "failed") status.css_class = "bad";
    table.add({model_cell(cell.model, results.models[cell.model].name),
               text_cell(results.tasks[cell.task].name), text_cell(axes_text(cell)), status,
               text_cell(cell.message)});
  }
  if (table.is_empty()) return "";
  return "<h2>Cells without a result</h2>" +
         table.html("Failed and skipped cells count in no mean and appear in no figure as 0.");
}

std::string health_section(const Results& results) {
  HtmlTable table({{.title = "task"},
                   {.title = "scored", .kind = Kind::kNumber},
                   {.title = "non-finite", .kind = Kind::kNumber},
                   {.title = "skipped", .kind = Kind::kNumber},
                   {.title = "tokens fed", .kind = Kind::kNumber},
                   {.title = "seconds", .kind = Kind::kNumber}});
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    SampleCounts total;
    std::int64_t tokens = 0;
    double seconds = 0;
    for (const Cell& cell : results.cells) {
      if (cell.task != task) continue;
      total.ok += cell.samples.ok;
      total.nonfinite += cell.samples.nonfinite;
      total.skipped += cell.samples.skipped;
      tokens += cell.tokens;
      seconds += cell.seconds;
    }
    HtmlCell nonfinite = text_cell(fmt::format("{}", total.nonfinite));
    if (total.nonfinite > 0) nonfinite.css_class = "bad";
    table.add({text_cell(results.tasks[task].name), text_cell(fmt::format("{}", total.ok)),
               nonfinite, text_cell(fmt::format("{}", total.skipped)),
               text_cell(count_text(tokens)), text_cell(fmt::format("{:.1f}", seconds))});
  }
  return "<h2>Data health</h2>" + table.html("Samples over all models. Nothing is truncated.");
}

std::string provenance_section(const Results& results) {
  HtmlTable runs({{.title = "started"},
                  {.title = "finished"},
                  {.title = "command"},
                  {.title = "version"},
                  {.title = "backend"},
                  {.title = "host"}});
  const auto code = [](const std::string& text) {
    return HtmlCell{.body = "<code>" + escape_html(text) + "</code>", .css_class = ""};
  };
  for (const Run& run : results.runs) {
    runs.add({text_cell(run.started_at),
              text_cell(run.finished_at.empty() ? "did not finish" : run.finished_at),
              code(run.command), text_cell(run.version), text_cell(run.backend),
              text_cell(run.host)});
  }
  HtmlTable prints({{.title = "name"}, {.title = "fingerprint"}, {.title = "details"}});
  for (std::size_t m = 0; m < results.models.size(); ++m) {
    const Model& model = results.models[m];
    prints.add({model_cell(m, model.name), code(model.fingerprint),
                text_cell(model.tokenizer + "; BOS: " + model.bos)});
  }
  for (const Task& task : results.tasks) {
    const std::string definition =
        task.definition.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    prints.add({text_cell(task.name), code(task.fingerprint), code(definition)});
  }
  return "<h2>Made from</h2>" + runs.html("") +
         prints.html(fmt::format("Database: {}.", escape_html(results.database.string())));
}

}  // namespace yardstick::reports
