// Markdown: the tables of the report, and the table form that lm-evaluation-harness prints.
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"
#include "reports/effective_length.hpp"
#include "reports/format.hpp"
#include "reports/position_text.hpp"
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

std::string point_text(const CurvePoint& point) {
  std::string text = interval_text(point.metric);
  if (text.empty()) return "n/a";
  if (const std::int64_t missing = point.cells_missing.value_or(0); missing > 0)
    text += fmt::format(" (without {})", plural_text(missing, "depth"));
  return text;
}

std::string curve_table(const Results& results, std::size_t index) {
  const Task& task = results.tasks[index];
  const std::vector<Curve> all = curves(results, index);
  std::vector<std::string> names{"model"};
  for (const std::int64_t length : lengths_of(results, index))
    names.push_back(format_length(length));
  names.emplace_back("effective length");
  std::string out = header(names);
  for (const Curve& curve : all) {
    const Model& model = results.models[curve.model];
    std::vector<std::string> fields{escape_markdown(curve_name(results, all, curve))};
    for (const CurvePoint& point : curve.points) {
      const std::string shown = point_text(point);
      fields.push_back(model.training_length == point.length ? "**" + shown + "**" : shown);
    }
    const auto effective = effective_length(task, model, curve);
    fields.push_back(effective ? escape_markdown(to_text(*effective, curve)) : "n/a");
    out += row(fields);
  }
  const std::string variant = common_variant(all);
  return out + fmt::format(
                   "\n{} with 95 % intervals; {}{}. Bold: the training length. Effective "
                   "length: {}.\n",
                   escape_markdown(metric_title(task.headline)), ran_text(results, index),
                   variant.empty() ? "" : "; cells: " + escape_markdown(variant),
                   effective_length_rule(task));
}

/// Every metric of the cells that have no length: all of a task that has none, or those beside its
/// curve (the questions as they are).
std::string value_table(const Results& results, std::size_t index) {
  const std::vector<std::string> metrics = metric_names(results, index);
  std::vector<std::string> names{"model"};
  for (const std::string& name : metrics) names.push_back(escape_markdown(name));
  names.emplace_back("samples");
  std::string rows;
  for (const Cell& cell : results.cells) {
    if (cell.task != index || cell.length) continue;
    const std::string axes = axes_text(cell);
    const std::string& model = results.models[cell.model].name;
    std::vector<std::string> fields{
        escape_markdown(axes.empty() ? model : fmt::format("{} ({})", model, axes))};
    for (const std::string& name : metrics) {
      const Metric* metric = cell.find(name);
      const std::string value = metric == nullptr ? "" : interval_text(*metric);
      fields.push_back(value.empty() ? "n/a" : value);
    }
    fields.push_back(fmt::format("{}", cell.samples.ok));
    rows += row(fields);
  }
  if (rows.empty()) return rows;
  return header(names) + rows + fmt::format("\n95 % intervals; {}.\n", ran_text(results, index));
}

std::string models_table(const Results& results) {
  std::string out = header(
      {"model", "encoding", "parameters", "trained at", "weights", "position plan", "overrides"});
  for (const Model& model : results.models) {
    const std::string overrides = overrides_text(model.position_plan, model.bos);
    out += row(
        {escape_markdown(model.name), escape_markdown(model.encoding), count_text(model.parameters),
         model.training_length ? format_length(*model.training_length) : "unknown",
         escape_markdown(model.weight_dtype), escape_markdown(position_text(model.position_plan)),
         overrides.empty() ? "none" : escape_markdown(overrides)});
  }
  return out;
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

/// "±" and the standard error; where all samples are equal, which gives an error of 0 that says
/// nothing, the interval instead.
std::pair<std::string, std::string> spread_of(const Metric& metric) {
  const bool has_error = metric.standard_error && *metric.standard_error > 0;
  if (has_error) return {"±", fmt::format("{:.4f}", *metric.standard_error)};
  if (metric.ci_low && metric.ci_high && *metric.ci_low < *metric.ci_high) {
    return {"95 %", fmt::format("[{:.4f}, {:.4f}]", *metric.ci_low, *metric.ci_high)};
  }
  return {"", "N/A"};
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
      const auto [sign, error] = spread_of(metric);
      const MetricName split = split_filter(metric.name);
      out += row({name, version_of(task), escape_markdown(split.filter), shots_of(task),
                  escape_markdown(split.metric), std::string(direction_mark(metric.meaning.better)),
                  value, sign, error});
    }
  }
  return out;
}

std::string unfinished_table(const Results& results) {
  std::string rows;
  for (const Cell& cell : results.cells) {
    if (cell.status == "ok") continue;
    rows += row({escape_markdown(results.models[cell.model].name),
                 escape_markdown(results.tasks[cell.task].name), escape_markdown(axes_text(cell)),
                 escape_markdown(cell.status), escape_markdown(cell.message)});
  }
  if (rows.empty()) return "All cells finished.\n";
  return header({"model", "task", "cell", "status", "reason"}) + rows;
}

}  // namespace

std::string markdown(const Results& results) {
  std::string out = fmt::format("# {}\n\n", escape_markdown(results.suite));
  for (const std::string& sentence : findings(results))
    out += "- " + escape_markdown(sentence) + "\n";
  out += "\n## Models\n\n" + models_table(results);
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
    out += fmt::format("- {}: {}, BOS {}\n", escape_markdown(model.name),
                       escape_markdown(model.fingerprint), escape_markdown(model.bos));
  }
  for (const Run& run : results.runs) {
    out += fmt::format("- run {}: {}, yardstick {}, {}, {}\n", escape_markdown(run.started_at),
                       code_markdown(run.command), escape_markdown(run.version),
                       escape_markdown(run.backend), escape_markdown(run.host));
  }
  return out;
}

}  // namespace yardstick::reports
