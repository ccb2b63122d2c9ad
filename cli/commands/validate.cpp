// `yardstick validate`: opens all that a suite names (models, tokenizers, data), renders the first
// request of each task, and computes nothing.
#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/byte_codec.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/model_arguments.hpp"
#include "cli/commands/selection.hpp"
#include "cli/commands/stops.hpp"
#include "cli/commands/suite_run.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"
#include "harness/plan/build_cell.hpp"
#include "harness/plan/plan.hpp"
#include "reports/position_text.hpp"

namespace yardstick::cli {
namespace {

constexpr std::int64_t kLookLength = 1024;  // of a task file's cell, if no length is given

/// The text with its middle left out, on one line.
std::string preview(const std::string& text) {
  constexpr std::size_t kEnds = 120;
  std::string shown = text;
  if (text.size() > 2 * kEnds + 10) {
    std::size_t head = kEnds;
    std::size_t tail = text.size() - kEnds;
    const auto is_inside = [&](std::size_t i) {
      return (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
    };
    while (head > 0 && is_inside(head)) --head;
    while (tail < text.size() && is_inside(tail)) ++tail;
    shown = fmt::format("{} [...] {}", text.substr(0, head), text.substr(tail));
  }
  return escaped(shown);
}

void print_model(const harness::OpenedSuite& opened, std::size_t index) {
  const harness::ModelRecord record = opened.models[index]->record();
  const std::string trained =
      record.training_length ? format_length(*record.training_length) : "unknown";
  fmt::print("ok  model {}: {}, {}, {:.2f}M parameters ({}), training length {}, BOS {}\n",
             opened.suite.models[index].spec.name, record.architecture, record.encoding,
             static_cast<double>(record.parameters) / 1e6, record.weight_dtype, trained,
             escaped(record.bos));
  fmt::print("    answers end at {}\n", escaped(record.generation_ends));
  for (const std::string& note : opened.models[index]->notes())
    fmt::print("    warning: {}\n", escaped(note));
  const nlohmann::json plan = nlohmann::json::parse(record.position_plan);
  const std::string overrides = reports::overrides_text(plan, record.bos);
  if (const std::string position = reports::position_text(plan); !position.empty())
    fmt::print("    position: {}\n", escaped(position));
  if (!overrides.empty()) fmt::print("    overrides: {}\n", escaped(overrides));
}

std::string describe_request(const Request& request, const tasks::Task& task) {
  const auto size = static_cast<std::int64_t>(request.tokens.size());
  std::string text = fmt::format("{} tokens", size);
  if (request.score_from < size) text += fmt::format(", {} scored", size - request.score_from);
  if (request.max_new_tokens > 0)
    text += fmt::format(", up to {} generated, ending at {}", request.max_new_tokens,
                        describe_stops(request, task));
  return text;
}

void print_first_request(const harness::OpenedSuite& opened, const harness::PlannedCell& cell) {
  const std::string& model = opened.suite.models[cell.model].spec.name;
  const harness::BuiltCell built = harness::build_cell(opened, cell);
  if (built.samples.empty()) {
    const std::string reason =
        built.skipped.empty() ? "the task has no sample" : built.skipped.front().reason;
    fmt::print("    {}: nothing can be asked: {}\n", model, escaped(reason));
    return;
  }
  const Request& request = built.samples.front().requests.front();
  fmt::print("    {}: first request: {}\n", model,
             describe_request(request, *opened.tasks[cell.task]));
  if (opened.models[cell.model]->has_tokenizer())
    fmt::print("      {}\n", preview(opened.models[cell.model]->codec().decode(request.tokens)));
}

/// A task file names no models; of what is no file read_suite() says what is there.
bool is_task(const std::filesystem::path& file) {
  return std::filesystem::is_regular_file(file) && harness::is_task_file(read_yaml(file));
}

void print_prompt(const tasks::Task& task, const tasks::CellAxes& cell, const TextCodec& codec,
                  const std::string& name) {
  const tasks::Task::Built built =
      task.build(cell, {.codec = codec, .seed = 0, .subset = {.limit = 1, .choice = {}}});
  if (built.samples.empty()) {
    fmt::print(
        "    {}: nothing can be asked: {}\n", name,
        built.skipped.empty() ? "the task has no sample" : escaped(built.skipped.front().reason));
    return;
  }
  const Request& request = built.samples.front().requests.front();
  fmt::print("    {}: a request: {}\n", escaped(name), describe_request(request, task));
  fmt::print("      {}\n", preview(codec.decode(request.tokens)));
}

/// The cells that a look at a task builds: its first, shortest and longest.
std::vector<tasks::CellAxes> telling_cells(const tasks::Task& task,
                                           std::vector<std::int64_t> lengths) {
  if (lengths.empty()) lengths = {kLookLength};
  const std::vector<tasks::CellAxes> cells = task.cells(lengths);
  std::vector<tasks::CellAxes> chosen = {cells.at(0)};
  const auto by_length = [](const tasks::CellAxes& a, const tasks::CellAxes& b) {
    return a.length_tokens < b.length_tokens;
  };
  const auto [shortest, longest] = std::minmax_element(cells.begin(), cells.end(), by_length);
  for (const auto& end : {shortest, longest})
    if (std::find(chosen.begin(), chosen.end(), *end) == chosen.end()) chosen.push_back(*end);
  return chosen;
}

/// Prompts in bytes, where there is no tokenizer: templates and data are tried all the same.
void print_prompts_in_bytes(const tasks::Task& task, const std::vector<std::int64_t>& lengths) {
  constexpr std::int64_t kBytesPerToken = 4;  // a usual text's
  std::vector<std::int64_t> in_bytes;
  for (const std::int64_t length : lengths) in_bytes.push_back(kBytesPerToken * length);
  if (lengths.empty()) in_bytes = {kBytesPerToken * kLookLength};
  for (const tasks::CellAxes& cell : telling_cells(task, in_bytes)) {
    print_prompt(task, cell, ByteCodec(),
                 "without --model, counted in bytes" + describe_cell(cell));
  }
}

/// A task file alone: all that can be checked without a model, and its first prompt with each.
int validate_task(const ValidateOptions& options) {
  Selection selection = options.selection;
  selection.tasks = {options.file.string()};
  const Located located = suite_of(selection);
  Fields fields(located, "", "the command line");
  const harness::TaskDefaults defaults{
      .base = {},
      .lengths = {},
      .data_folders = selection.data_folders,
      .num_fewshot = selection.num_fewshot,
      .forced_lengths = lengths_of(selection),
      .haystack = selection.haystack,
      .questions = selection.questions,
      .library = harness::TaskLibrary::standard(selection.task_folders)};
  harness::OpenedSuite looked_at;
  looked_at.suite.tasks = harness::read_tasks(fields, defaults);
  for (const harness::SuiteTask& entry : looked_at.suite.tasks) {
    looked_at.tasks.push_back(tasks::make_task(entry.definition));
    const std::unique_ptr<const tasks::Task>& task = looked_at.tasks.back();
    std::vector<std::pair<std::string, models::ModelFolder>> opened;
    for (const NamedModel& named : named_models(selection.models)) {
      models::ModelSpec spec;
      spec.folder = named.path;
      opened.emplace_back(named.name.value_or(named.path.string()),
                          models::ModelFolder(std::move(spec)));
    }
    fmt::print("ok  task {}: {}\n", entry.definition.name, escaped(task->protocol()));
    if (opened.empty()) print_prompts_in_bytes(*task, entry.lengths);
    for (const auto& [name, model] : opened) {
      for (const tasks::CellAxes& cell : telling_cells(*task, entry.lengths))
        print_prompt(*task, cell, model.codec(), name + describe_cell(cell));
    }
  }
  print_notes(looked_at);
  return kDone;
}

/// Errors of the task with each model, one line each.
std::vector<std::string> check_task(const harness::OpenedSuite& opened, std::size_t task,
                                    const std::vector<harness::PlannedCell>& plan) {
  std::vector<std::string> errors;
  const std::string& name = opened.suite.tasks[task].definition.name;
  const auto cells = std::count_if(plan.begin(), plan.end(),
                                   [&](const harness::PlannedCell& c) { return c.task == task; });
  fmt::print("ok  task {}: {}; {} cells\n", name, escaped(opened.tasks[task]->protocol()), cells);
  for (std::size_t model = 0; model < opened.models.size(); ++model) {
    const auto cell = std::find_if(plan.begin(), plan.end(), [&](const harness::PlannedCell& c) {
      return c.task == task && c.model == model && c.not_applicable.empty();
    });
    if (cell == plan.end()) continue;
    try {
      print_first_request(opened, *cell);
    } catch (const Error& error) {
      errors.push_back(fmt::format("{}: task '{}' with model '{}': {}",
                                   opened.suite.tasks[task].place, name,
                                   opened.suite.models[model].spec.name, error.what()));
    }
  }
  return errors;
}

}  // namespace

int validate(const ValidateOptions& options) {
  if (is_task(options.file)) return validate_task(options);
  harness::Suite suite = harness::read_suite(
      options.file,
      with_selection(
          {.set = options.set, .devices = {}, .subset = tasks::Subset{.limit = 1, .choice = {}}},
          options.selection));
  const harness::FolderModels source;
  harness::OpenedParts parts = harness::open_parts(std::move(suite), source, tasks::make_task);
  const harness::OpenedSuite& opened = parts.opened;
  std::vector<std::string> errors = std::move(parts.errors);
  for (std::size_t i = 0; i < opened.models.size(); ++i)
    if (opened.models[i]) print_model(opened, i);
  if (errors.empty()) {
    const std::vector<harness::PlannedCell> plan = harness::make_plan(opened);
    print_notes(opened);
    for (std::size_t i = 0; i < opened.tasks.size(); ++i) {
      const std::vector<std::string> found = check_task(opened, i, plan);
      errors.insert(errors.end(), found.begin(), found.end());
    }
  } else {
    for (std::size_t i = 0; i < opened.tasks.size(); ++i) {
      if (!opened.tasks[i]) continue;
      fmt::print("ok  task {}: {}\n", opened.suite.tasks[i].definition.name,
                 escaped(opened.tasks[i]->protocol()));
    }
  }
  for (const std::string& error : errors) fmt::print(stderr, "error: {}\n", escaped_lines(error));
  if (!errors.empty()) return kBadInput;
  fmt::print("ok  suite {}\n", opened.suite.name);
  return kDone;
}

}  // namespace yardstick::cli
