// Markdown: the tables of the report, and the table form that lm-evaluation-harness prints.
#include <fmt/format.h>

#include "core/text.hpp"
#include "reports/effective_length.hpp"
#include "reports/format.hpp"
#include "reports/report.hpp"
#include "reports/summary.hpp"

namespace yardstick::reports {
namespace {

std::string row(const std::vector<std::string>& fields) {
  std::string out = "|";
  for (const std::string& field : fields) out += " " + field + " |";
  return out + "\n";
}

std::string header(const std::vector<std::string>& names) {
  return row(names) + row(std::vector<std::string>(names.size(), "---"));
}

std::string curve_table(const Results& results, std::size_t index) {
  const Task& task = results.tasks[index];
  std::vector<std::string> names{"model"};
  for (const std::int64_t length : lengths_of(results, index))
    names.push_back(format_length(length));
  names.emplace_back("effective length");
  std::string out = header(names);
  for (const Curve& curve : curves(results, index)) {
    const Model& model = results.models[curve.model];
    std::vector<std::string> fields{escape_markdown(model.name)};
    for (const CurvePoint& point : curve.points) {
      const std::string value = interval_text(point.metric);
      const std::string shown = value.empty() ? "n/a" : value;
      fields.push_back(model.training_length == point.length ? "**" + shown + "**" : shown);
    }
    const auto effective = effective_length(task, model, curve);
    fields.push_back(effective ? escape_markdown(to_text(*effective, curve)) : "n/a");
    out += row(fields);
  }
  return out + fmt::format("\nBold: the training length. Effective length: {}.\n",
                           effective_length_rule(task));
}

/// Every metric of the cells that have no length: all of a task that has none, or those beside its
/// curve (the questions as they are).
std::string value_table(const Results& results, std::size_t index) {
  const std::vector<std::string> metrics = metric_names(results, index);
  std::vector<std::string> names{"model"};
  names.insert(names.end(), metrics.begin(), metrics.end());
  names.emplace_back("n");
  std::string rows;
  for (const Cell& cell : results.cells) {
    if (cell.task != index || cell.length) continue;
    const std::string axes = axes_text(cell);
    const std::string& model = results.models[cell.model].name;
    std::vector<std::string> fields{
        escape_markdown(axes.empty() ? model : fmt::format("{} ({})", model, axes))};
    std::int64_t n = 0;
    for (const std::string& name : metrics) {
      const Metric* metric = cell.find(name);
      fields.push_back(metric == nullptr ? "n/a" : interval_text(*metric));
      if (metric != nullptr) n = metric->n;
    }
    fields.push_back(fmt::format("{}", n));
    rows += row(fields);
  }
  return rows.empty() ? rows : header(names) + rows;
}

/// The task file's own version: `metadata.version` or `version`.
std::string version_of(const Task& task) {
  const nlohmann::json* holder = &task.definition;
  const auto metadata = task.definition.find("metadata");
  if (metadata != task.definition.end() && metadata->is_object()) holder = &*metadata;
  const auto version = holder->find("version");
  if (version == holder->end() || !version->is_primitive()) return "1";
  return escape_markdown(version->is_string() ? version->get<std::string>() : version->dump());
}

std::string shots_of(const Task& task) {
  const auto shots = task.definition.find("num_fewshot");
  return shots != task.definition.end() && shots->is_number_integer() ? shots->dump() : "0";
}

std::string harness_table(const Results& results) {
  std::string out =
      header({"Tasks", "Version", "Filter", "n-shot", "Metric", "", "Value", "", "Stderr"});
  for (const Cell& cell : results.cells) {
    const Task& task = results.tasks[cell.task];
    std::string name = escape_markdown(results.models[cell.model].name + "/" + task.name);
    if (cell.length) name += "@" + format_length(*cell.length);
    if (cell.depth) name += fmt::format("/{:.2f}", *cell.depth);
    if (!cell.variant.empty()) name += " " + escape_markdown(cell.variant);
    for (const Metric& metric : cell.metrics) {
      const std::string value = metric.value ? fmt::format("{:.4f}", *metric.value) : "N/A";
      const std::string error =
          metric.standard_error ? fmt::format("{:.4f}", *metric.standard_error) : "N/A";
      const MetricName split = split_filter(metric.name);
      out += row({name, version_of(task), escape_markdown(split.filter), shots_of(task),
                  escape_markdown(split.metric), std::string(direction_mark(metric.name)), value,
                  "±", error});
    }
  }
  return out;
}

std::string unfinished_table(const Results& results) {
  std::string rows;
  for (const Cell& cell : results.cells) {
    if (cell.status == "ok") continue;
    rows += row({escape_markdown(results.models[cell.model].name),
                 escape_markdown(results.tasks[cell.task].name),
                 cell.length ? format_length(*cell.length) : "", cell.status,
                 escape_markdown(cell.message)});
  }
  if (rows.empty()) return "All cells finished.\n";
  return header({"model", "task", "length", "status", "reason"}) + rows;
}

}  // namespace

std::string markdown(const Results& results) {
  std::string out = fmt::format("# {}\n\n", escape_markdown(results.suite));
  for (const std::string& sentence : findings(results))
    out += "- " + escape_markdown(sentence) + "\n";
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    out += fmt::format("\n## {}\n\n{}\n\n", escape_markdown(results.tasks[task].name),
                       escape_markdown(results.tasks[task].protocol));
    if (shape_of(results, task) != Shape::kTable) out += curve_table(results, task) + "\n";
    out += value_table(results, task);
  }
  out += "\n## All metrics\n\n" + harness_table(results);
  out += "\n## Cells without a result\n\n" + unfinished_table(results);
  out += "\n## Made from\n\n";
  for (const Model& model : results.models) {
    out += fmt::format("- {}: {}, {} parameters, {}\n", escape_markdown(model.name),
                       escape_markdown(model.encoding), count_text(model.parameters),
                       model.fingerprint);
  }
  for (const Run& run : results.runs) {
    out += fmt::format("- run {}: `{}`, yardstick {}, {}, {}\n", run.started_at,
                       escape_markdown(run.command), run.version, escape_markdown(run.backend),
                       escape_markdown(run.host));
  }
  return out;
}

}  // namespace yardstick::reports
