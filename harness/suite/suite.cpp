#include "harness/suite/suite.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"
#include "harness/suite/override.hpp"

namespace yardstick::harness {
namespace {

namespace fs = std::filesystem;

/// Names end up in tables, on terminals and in --set paths: no control characters.
void check_name(const std::string& name, const std::string& where) {
  if (name.empty() || has_control_character(name) || find_invalid_utf8(name)) {
    throw Error(
        ErrorKind::kConfig,
        fmt::format("{}: name: found '{}', expected text without control characters", where, name));
  }
}

/// The suite's own name ends up in file names, too.
void check_file_name(const std::string& name, const std::string& where) {
  check_name(name, where);
  if (name.find('/') != std::string::npos || name == "." || name == "..") {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: name: found '{}', expected text without '/'", where, name));
  }
}

/// Refuses a second entry of one name, saying where the first stands.
class Names {
 public:
  void add(const std::string& name, const std::string& where, std::string_view what) {
    check_name(name, where);
    const auto [it, fresh] = seen_.emplace(name, where);
    if (fresh) return;
    throw Error(ErrorKind::kConfig, fmt::format("{}: a second {} is called '{}' (the first is at "
                                                "{}); give it another name",
                                                where, what, name, it->second));
  }

 private:
  std::map<std::string, std::string> seen_;
};

fs::path existing(Fields& fields, std::string_view key, const fs::path& path, bool is_there,
                  std::string_view what) {
  if (!is_there) throw fields.error(key, fmt::format("there is no {} '{}'", what, path.string()));
  return path;
}

SuiteModel read_model(const Located& suite, const std::string& pointer, const fs::path& base) {
  Fields fields(suite, pointer, "a model");
  SuiteModel model;
  model.place = suite.where(pointer);
  const fs::path folder = from_folder(base, fields.text("path"));
  const bool is_gguf = folder.extension() == ".gguf" && !fs::is_directory(folder);
  model.spec.folder = is_gguf ? existing(fields, "path", folder, fs::exists(folder), "GGUF file")
                              : existing(fields, "path", folder, fs::is_directory(folder),
                                         "folder with a model at");
  const fs::path trimmed = folder.has_filename() ? folder : folder.parent_path();
  const fs::path name = is_gguf ? trimmed.stem() : trimmed.filename();
  model.spec.name = fields.optional_text("name").value_or(name.string());
  if (fields.has("position")) {
    const Fields position(suite, fields.pointer("position"), "position");  // it is a mapping
    model.spec.overrides.position = fields.raw("position");
  }
  model.spec.overrides.tie_embeddings = fields.optional_flag("tie_embeddings");
  static constexpr std::array<std::pair<std::string_view, models::BosPolicy>, 3> kPolicies = {
      {{"auto", models::BosPolicy::kAuto},
       {"always", models::BosPolicy::kAlways},
       {"never", models::BosPolicy::kNever}}};
  model.spec.bos = fields.choice<models::BosPolicy>("bos", models::BosPolicy::kAuto, kPolicies);
  if (const auto tokenizer = fields.optional_text("tokenizer")) {
    const fs::path path = from_folder(base, *tokenizer);
    model.spec.tokenizer = existing(fields, "tokenizer", path, fs::exists(path), "tokenizer at");
  }
  model.lengths = read_lengths(fields);
  fields.finish();
  return model;
}

std::vector<std::string> read_report(const Located& suite, Fields& fields) {
  std::vector<std::string> formats = {"html"};
  if (!fields.has("report")) return formats;
  Fields report(suite, fields.pointer("report"), "report");
  if (report.has("formats")) formats = report.texts("formats");
  static constexpr std::array<std::string_view, 4> kKnown = {"html", "md", "csv", "json"};
  for (const std::string& format : formats) {
    if (std::find(kKnown.begin(), kKnown.end(), format) != kKnown.end()) continue;
    const std::vector<std::string> known(kKnown.begin(), kKnown.end());
    throw report.error("formats", fmt::format("unknown format '{}'{}; known: {}", format,
                                              did_you_mean(format, known), fmt::join(known, ", ")));
  }
  report.finish();
  return formats;
}

void read_devices(Fields& fields, const SuiteOverrides& overrides, Suite& suite) {
  const auto threads = static_cast<int>(fields.optional_integer("threads", 1, 4096).value_or(0));
  std::vector<std::string> names =
      fields.has("devices") ? fields.texts("devices") : std::vector<std::string>{"cpu"};
  std::string where = fields.where("devices");
  if (!overrides.devices.empty()) {
    names = overrides.devices;
    where = "--devices";
  }
  const auto processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  suite.devices = parse_devices(names, threads, processors, where);
}

models::ComputeType read_dtype(Fields& fields) {
  const std::optional<std::string> name = fields.optional_text("dtype");
  if (!name) return models::ComputeType::kFloat32;
  try {
    return models::parse_compute_type(*name);
  } catch (const Error& error) {
    throw error.within(fields.where("dtype"));
  }
}

/// `limit: 50` or `first_n: 50`.
tasks::Subset read_subset(Fields& fields) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  tasks::Subset subset{.limit = fields.optional_integer("limit", 1, kMost)};
  const std::optional<std::int64_t> first = fields.optional_integer("first_n", 1, kMost);
  if (!first) return subset;
  if (subset.limit) throw fields.error("first_n", "cannot stand beside 'limit'; remove one");
  return {.limit = first, .choice = tasks::Subset::Choice::kFirst};
}

/// Those of the command line, the suite's `data_dir`, then YARDSTICK_DATA.
std::vector<fs::path> read_data_folders(Fields& fields, const fs::path& base,
                                        const SuiteOverrides& overrides) {
  std::vector<fs::path> folders = overrides.data_folders;
  for (const std::string& written : fields.texts("data_dir")) {
    const fs::path folder = from_folder(base, written);
    folders.push_back(existing(fields, "data_dir", folder, fs::is_directory(folder), "folder"));
  }
  if (const char* const folder = std::getenv("YARDSTICK_DATA")) folders.emplace_back(folder);
  return folders;
}

Suite read_typed(const Located& located, const fs::path& file, const SuiteOverrides& overrides) {
  Fields fields(located, "", "a suite");
  Suite suite;
  suite.file = file;
  suite.name = fields.optional_text("name").value_or(file.stem().string());
  check_file_name(suite.name, fields.where("name"));
  suite.seed = static_cast<std::uint64_t>(
      fields.optional_integer("seed", 0, std::numeric_limits<std::int64_t>::max()).value_or(0));
  suite.dtype = read_dtype(fields);
  read_devices(fields, overrides, suite);
  std::vector<std::int64_t> lengths = read_lengths(fields);
  suite.subset = overrides.subset.value_or(read_subset(fields));
  suite.batch_tokens = fields.optional_length("batch_tokens").value_or(suite.batch_tokens);
  suite.report_formats = read_report(located, fields);
  const fs::path base = file.parent_path();
  Names model_names;
  for (const std::string& pointer : fields.elements("models")) {
    suite.models.push_back(read_model(located, pointer, base));
    model_names.add(suite.models.back().spec.name, suite.models.back().place, "model");
  }
  suite.tasks = read_tasks(fields, {.base = base,
                                    .lengths = std::move(lengths),
                                    .data_folders = read_data_folders(fields, base, overrides),
                                    .num_fewshot = overrides.num_fewshot,
                                    .forced_lengths = overrides.lengths,
                                    .haystack = overrides.haystack,
                                    .questions = overrides.questions,
                                    .library = TaskLibrary::standard(overrides.task_folders)});
  Names task_names;
  for (const SuiteTask& task : suite.tasks)
    task_names.add(task.definition.name, task.place, "task");
  fields.finish();
  if (suite.models.empty()) throw fields.error("models", "a suite needs at least one model");
  if (suite.tasks.empty()) throw fields.error("tasks", "a suite needs at least one task");
  suite.config = located.values();
  return suite;
}

constexpr std::array<const char*, 5> kTaskKeys = {"kind", "output_type", "include", "task",
                                                  "doc_to_text"};

}  // namespace

bool is_task_file(const Located& located) {
  const nlohmann::json& values = located.values();
  if (!values.is_object() || values.contains("models") || values.contains("tasks")) return false;
  return std::any_of(kTaskKeys.begin(), kTaskKeys.end(),
                     [&](const char* key) { return values.contains(key); });
}

Suite read_suite(const Located& values, const SuiteOverrides& overrides) {
  Located located = values;
  for (const std::string& assignment : overrides.set)
    apply_override(located, assignment, fs::current_path());
  return read_typed(located, {}, overrides);
}

Suite read_suite(const fs::path& file, const SuiteOverrides& overrides) {
  if (!fs::is_regular_file(file)) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: {}", file.string(),
                            fs::exists(file) ? "is no file; expected a suite (YAML)"
                                             : "there is no such suite file"));
  }
  Located located = read_yaml(file);
  if (is_task_file(located)) {
    throw Error(
        ErrorKind::kConfig,
        fmt::format("{0}: is a task file, no suite: it names no models and tasks; run it with: "
                    "yardstick run --tasks {0} --model DIR",
                    file.string()));
  }
  for (const std::string& assignment : overrides.set)
    apply_override(located, assignment, fs::current_path());
  return read_typed(located, file, overrides);
}

}  // namespace yardstick::harness
