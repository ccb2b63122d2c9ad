// JSON: everything a program may want, and lm-evaluation-harness's own keys beside it.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "reports/effective_length.hpp"
#include "reports/metric_name.hpp"
#include "reports/position_text.hpp"
#include "reports/report.hpp"
#include "reports/summary.hpp"

namespace yardstick::reports {
namespace {

using Json = nlohmann::json;

Json number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

template <typename T>
Json optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json metric_json(const Metric& metric) {
  return {{"metric", metric.name},
          {"value", number(metric.value)},
          {"stderr", number(metric.standard_error)},
          {"ci_low", number(metric.ci_low)},
          {"ci_high", number(metric.ci_high)},
          {"n", metric.n},
          {"unit", to_string(metric.meaning.unit)},
          {"better", to_string(metric.meaning.better)},
          {"scale", to_string(metric.meaning.scale)}};
}

Json cell_json(const Results& results, const Cell& cell) {
  Json metrics = Json::array();
  for (const Metric& metric : cell.metrics) metrics.push_back(metric_json(metric));
  Json losses = Json::array();
  for (const PositionLoss& loss : cell.position_losses) {
    losses.push_back({{"first", loss.first},
                      {"last", loss.last},
                      {"sum_nll", number(loss.sum_nll)},
                      {"count", loss.count}});
  }
  return {{"model", results.models[cell.model].name},
          {"task", results.tasks[cell.task].name},
          {"length", optional(cell.length)},
          {"depth", number(cell.depth)},
          {"variant", cell.variant},
          {"status", cell.status},
          {"message", cell.message},
          {"key", cell.key},
          {"dtype", cell.dtype},
          {"device", cell.device},
          {"seed", cell.seed},
          {"limit", optional(cell.limit)},
          {"tokens", cell.tokens},
          {"seconds", cell.seconds},
          {"samples",
           {{"ok", cell.samples.ok},
            {"nonfinite", cell.samples.nonfinite},
            {"skipped", cell.samples.skipped},
            {"documents", cell.samples.documents}}},
          {"metrics", std::move(metrics)},
          {"position_losses", std::move(losses)}};
}

// lm-evaluation-harness names a result "metric,filter"; a cell's axes become part of the task.
std::string harness_task(const Results& results, const Cell& cell) {
  std::string name = results.tasks[cell.task].name;
  if (cell.length) name += fmt::format("@{}", *cell.length);
  if (cell.depth) name += fmt::format("/{:.4g}", *cell.depth);
  if (!cell.variant.empty()) name += " " + cell.variant;
  return name;
}

Json harness_results(const Results& results, std::size_t model) {
  Json tasks = Json::object();
  for (const Cell& cell : results.cells) {
    if (cell.model != model) continue;
    const std::string name = harness_task(results, cell);
    for (const Metric& metric : cell.metrics) {
      const auto [metric_name, filter] = split_filter(metric.name);
      tasks[name][metric_name + "," + filter] = number(metric.value);
      tasks[name][metric_name + "_stderr," + filter] = number(metric.standard_error);
    }
    tasks[name]["alias"] = name;
  }
  return tasks;
}

Json model_json(const Results& results, std::size_t index) {
  const Model& model = results.models[index];
  Json effective = Json::object();
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    if (shape_of(results, task) == Shape::kTable) continue;
    const std::vector<Curve> all = curves(results, task);
    for (const Curve& curve : all) {
      if (curve.model != index) continue;
      std::string name = results.tasks[task].name;
      if (curve.variant != common_variant(all)) name += " " + curve.variant;
      if (const auto length = effective_length(results.tasks[task], model, curve))
        effective[name] = to_text(*length, curve);
    }
  }
  return {{"fingerprint", model.fingerprint},
          {"architecture", model.architecture},
          {"encoding", model.encoding},
          {"parameters", model.parameters},
          {"weight_dtype", model.weight_dtype},
          {"training_length", optional(model.training_length)},
          {"position_plan", model.position_plan},
          {"overrides", overrides_text(model.position_plan, model.bos)},
          {"tokenizer", model.tokenizer},
          {"bos", model.bos},
          {"effective_length", std::move(effective)},
          {"results", harness_results(results, index)}};
}

Json task_json(const Task& task) {
  return {{"kind", task.kind},
          {"fingerprint", task.fingerprint},
          {"protocol", task.protocol},
          {"definition", task.definition},
          {"headline", task.headline},
          {"better", to_string(task.meaning.better)},
          {"unit", to_string(task.meaning.unit)},
          {"scale", to_string(task.meaning.scale)},
          {"effective_length_rule", effective_length_rule(task)}};
}

}  // namespace

std::string json(const Results& results) {
  Json models = Json::object();
  for (std::size_t i = 0; i < results.models.size(); ++i)
    models[results.models[i].name] = model_json(results, i);
  Json tasks = Json::object();
  for (const Task& task : results.tasks) tasks[task.name] = task_json(task);
  Json cells = Json::array();
  for (const Cell& cell : results.cells) cells.push_back(cell_json(results, cell));
  Json runs = Json::array();
  for (const Run& run : results.runs) {
    runs.push_back({{"started_at", run.started_at},
                    {"finished_at", run.finished_at.empty() ? Json() : Json(run.finished_at)},
                    {"command", run.command},
                    {"version", run.version},
                    {"backend", run.backend},
                    {"host", run.host}});
  }
  const Json document{{"suite", results.suite},
                      {"models", std::move(models)},
                      {"tasks", std::move(tasks)},
                      {"cells", std::move(cells)},
                      {"runs", std::move(runs)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace yardstick::reports
