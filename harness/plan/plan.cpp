#include "harness/plan/plan.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "tasks/data/data_files.hpp"

namespace yardstick::harness {
namespace {

std::string describe_error(const std::string& place, std::string_view what, const std::string& name,
                           const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& caught) {
    return fmt::format("{}: {} '{}': {}", place, what, name, caught.what());
  }
}

/// Kept to those that the model lists, if it lists any.
std::vector<std::int64_t> lengths_of(const SuiteModel& model, const SuiteTask& task) {
  if (model.lengths.empty()) return task.lengths;
  std::vector<std::int64_t> kept;
  std::copy_if(
      task.lengths.begin(), task.lengths.end(), std::back_inserter(kept), [&](std::int64_t length) {
        return std::find(model.lengths.begin(), model.lengths.end(), length) != model.lengths.end();
      });
  if (kept.empty() && !task.lengths.empty()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: model '{}' lists no length of task '{}'; add one, or drop its key "
                            "'lengths'",
                            model.place, model.spec.name, task.definition.name));
  }
  return kept;
}

void open_models(OpenedSuite& opened, const ModelSource& source,
                 std::vector<std::exception_ptr>& errors) {
  const std::size_t count = opened.suite.models.size();
  opened.models.resize(count);
  errors.resize(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    try {
      opened.models[i] = source.open(opened.suite.models[i].spec);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
}

/// Erases what stands at the places of null pointers.
template <typename Pointer, typename Other>
void erase_beside(const std::vector<Pointer>& pointers, std::vector<Other>& others) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    if (!pointers[i]) continue;
    if (kept != i) others[kept] = std::move(others[i]);
    ++kept;
  }
  others.resize(kept);
}

std::vector<tasks::CellAxes> cells_of(const OpenedSuite& opened, std::size_t task,
                                      const std::vector<std::int64_t>& lengths) {
  try {
    return opened.tasks[task]->cells(lengths);
  } catch (const Error& error) {
    const SuiteTask& entry = opened.suite.tasks[task];
    throw error.within(fmt::format("{}: task '{}'", entry.place, entry.definition.name));
  }
}

}  // namespace

OpenedParts open_parts(Suite suite, const ModelSource& source, const TaskFactory& factory) {
  OpenedParts parts;
  OpenedSuite& opened = parts.opened;
  opened.suite = std::move(suite);
  std::vector<std::exception_ptr> errors;
  open_models(opened, source, errors);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!errors[i]) continue;
    const SuiteModel& model = opened.suite.models[i];
    parts.errors.push_back(describe_error(model.place, "model", model.spec.name, errors[i]));
  }
  for (const SuiteTask& task : opened.suite.tasks) {
    std::unique_ptr<const tasks::Task> made;
    std::string fingerprint;
    std::vector<FileStamp> files;
    try {
      made = factory(task.definition);
      Fingerprint described;
      made->describe(described);
      fingerprint = described.hex();
      if (const auto* const reader = dynamic_cast<const tasks::HasDataFiles*>(made.get()))
        files = reader->data_files();
    } catch (const std::exception&) {
      made.reset();
      parts.errors.push_back(
          describe_error(task.place, "task", task.definition.name, std::current_exception()));
    }
    opened.tasks.push_back(std::move(made));
    opened.task_fingerprints.push_back(std::move(fingerprint));
    opened.task_files.push_back(std::move(files));
  }
  return parts;
}

OpenedSuite open_suite(Suite suite, const ModelSource& source, const TaskFactory& factory) {
  OpenedParts parts = open_parts(std::move(suite), source, factory);
  if (!parts.errors.empty()) {
    throw Error(ErrorKind::kConfig, fmt::format("{}", fmt::join(parts.errors, "\n")));
  }
  return std::move(parts.opened);
}

OpenedSuite keep_opened(OpenedParts parts) {
  OpenedSuite& opened = parts.opened;
  const auto is_open = [](const auto& part) { return part != nullptr; };
  if (std::none_of(opened.models.begin(), opened.models.end(), is_open) ||
      std::none_of(opened.tasks.begin(), opened.tasks.end(), is_open)) {
    throw Error(ErrorKind::kConfig, fmt::format("{}", fmt::join(parts.errors, "\n")));
  }
  erase_beside(opened.models, opened.suite.models);
  std::erase(opened.models, nullptr);
  erase_beside(opened.tasks, opened.suite.tasks);
  erase_beside(opened.tasks, opened.task_fingerprints);
  erase_beside(opened.tasks, opened.task_files);
  std::erase(opened.tasks, nullptr);
  return std::move(opened);
}

std::string cell_key(const KeyInputs& inputs) {
  Fingerprint key;
  key.add("key version", kKeyVersion)
      .add("model", inputs.model_fingerprint)
      .add("task", inputs.task_fingerprint);
  if (inputs.axes.length_tokens) key.add("length", *inputs.axes.length_tokens);
  if (inputs.axes.depth) key.add("depth", *inputs.axes.depth);
  key.add("variant", inputs.axes.variant).add("seed", inputs.seed);
  if (inputs.subset.limit) {
    const bool is_first = inputs.subset.choice == tasks::Subset::Choice::kFirst;
    key.add(is_first ? "first" : "limit", *inputs.subset.limit);
  }
  return key.add("dtype", models::to_string(inputs.dtype)).hex();
}

std::string beyond_positions(const OpenedModel& model, std::int64_t tokens) {
  const std::optional<std::int64_t> longest = model.longest_sequence();
  if (!longest || tokens <= *longest) return "";
  return fmt::format("n/a: no position beyond {}", *longest);
}

double cell_weight(const PlannedCell& cell) {
  return static_cast<double>(cell.axes.length_tokens.value_or(512)) + 64.0;
}

std::vector<PlannedCell> make_plan(const OpenedSuite& opened) {
  std::vector<PlannedCell> plan;
  const Suite& suite = opened.suite;
  for (std::size_t t = 0; t < suite.tasks.size(); ++t) {
    for (std::size_t m = 0; m < suite.models.size(); ++m) {
      const std::vector<std::int64_t> lengths = lengths_of(suite.models[m], suite.tasks[t]);
      const std::vector<tasks::CellAxes> cells = cells_of(opened, t, lengths);
      if (cells.empty()) {
        throw Error(
            ErrorKind::kConfig,
            fmt::format("{}: task '{}' has nothing to run; give it (or the suite) 'lengths'",
                        suite.tasks[t].place, suite.tasks[t].definition.name));
      }
      for (const tasks::CellAxes& axes : cells) {
        PlannedCell cell{m, t, axes, "", ""};
        cell.key = cell_key({opened.models[m]->fingerprint(), opened.task_fingerprints[t], axes,
                             suite.seed, suite.subset, suite.dtype});
        if (axes.length_tokens)
          cell.not_applicable = beyond_positions(*opened.models[m], *axes.length_tokens);
        plan.push_back(std::move(cell));
      }
    }
  }
  return plan;
}

SuiteRecord make_record(const OpenedSuite& opened, const std::vector<PlannedCell>& plan,
                        RunRecord run) {
  SuiteRecord record;
  record.run = std::move(run);
  for (const auto& model : opened.models) record.models.push_back(model->record());
  for (std::size_t t = 0; t < opened.tasks.size(); ++t) {
    const tasks::Task& task = *opened.tasks[t];
    record.tasks.push_back({opened.task_fingerprints[t], std::string(task.kind()), task.protocol(),
                            opened.suite.tasks[t].definition.parameters.values().dump(),
                            task.headline()});
  }
  for (const PlannedCell& cell : plan) {
    record.cells.push_back({opened.suite.models[cell.model].spec.name,
                            opened.suite.tasks[cell.task].definition.name,
                            CellRecord{cell.key, opened.models[cell.model]->fingerprint(),
                                       opened.task_fingerprints[cell.task], cell.axes,
                                       opened.suite.seed, opened.suite.subset.limit,
                                       std::string(models::to_string(opened.suite.dtype))}});
  }
  return record;
}

}  // namespace yardstick::harness
