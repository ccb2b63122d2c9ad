// RULER: 13 tasks of retrieval, tracing, aggregation and question answering at any length.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/home_path.hpp"
#include "core/text.hpp"
#include "tasks/kinds.hpp"
#include "tasks/needle/prompt_maker.hpp"
#include "tasks/needle/ruler/family.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::int64_t kPublishedSamples = 500;
constexpr std::int64_t kStrictSamples = 100;

enum class Family { kNiah, kTracking, kCommonWords, kFrequentWords, kQa };

struct RulerTask {
  std::string_view name;
  Family family;
  std::int64_t tokens;  ///< RULER's tokens_to_generate
};

constexpr std::array<RulerTask, 13> kTasks = {
    {{"niah_single_1", Family::kNiah, kNiahTokens},
     {"niah_single_2", Family::kNiah, kNiahTokens},
     {"niah_single_3", Family::kNiah, kNiahTokens},
     {"niah_multikey_1", Family::kNiah, kNiahTokens},
     {"niah_multikey_2", Family::kNiah, kNiahTokens},
     {"niah_multikey_3", Family::kNiah, kNiahTokens},
     {"niah_multivalue", Family::kNiah, kNiahTokens},
     {"niah_multiquery", Family::kNiah, kNiahTokens},
     {"vt", Family::kTracking, kTrackingTokens},
     {"cwe", Family::kCommonWords, kCommonWordsTokens},
     {"fwe", Family::kFrequentWords, kFrequentWordsTokens},
     {"qa_1", Family::kQa, kQaTokens},
     {"qa_2", Family::kQa, kQaTokens}}};

constexpr std::array<std::pair<std::string_view, RulerPreset>, 2> kPresets = {
    {{"strict", RulerPreset::kStrict}, {"ruler", RulerPreset::kPublished}}};

const RulerTask& task_of(Fields& fields) {
  std::string name = fields.text("task");
  if (name.starts_with("ruler/")) name.erase(0, std::string_view("ruler/").size());
  std::vector<std::string> names;
  for (const RulerTask& task : kTasks) {
    if (task.name == name) return task;
    names.emplace_back(task.name);
  }
  throw fields.error("task",
                     fmt::format("found '{}', expected one of RULER's tasks{}: {}. To call a task "
                                 "something else, give its entry in the suite a `name`; a file of "
                                 "the task library goes by its path",
                                 name, did_you_mean(name, names), fmt::join(names, ", ")));
}

RulerSettings read_settings(Fields& fields, const RulerTask& task,
                            const TaskDefinition& definition) {
  RulerSettings settings{.task = std::string(task.name), .base = definition.base};
  settings.preset =
      fields.choice("preset", RulerPreset::kStrict,
                    std::span<const std::pair<std::string_view, RulerPreset>>(kPresets));
  settings.budget.fixed = fields.optional_integer("tokens_to_generate", 1, 100'000);
  if (!settings.budget.fixed && settings.is_published()) settings.budget.fixed = task.tokens;
  // A question's answer must not show in the budget; that of the others has a known size.
  if (task.family == Family::kQa) settings.budget.at_least = task.tokens;
  if (const std::optional<std::string> file = fields.optional_text("words")) {
    const std::filesystem::path path = path_from(definition.base, *file);
    if (!std::filesystem::is_regular_file(path)) {
      throw fields.error("words", fmt::format("there is no file '{}'", path.string()));
    }
    settings.words = WordPool::from_file(path);
  }
  return settings;
}

}  // namespace

Random RulerSettings::stream(const PromptKey& key, std::string_view purpose) const {
  return {key.seed, fmt::format("ruler/{}/{}", task, purpose),
          static_cast<std::uint64_t>(key.index)};
}

Random RulerSettings::stream_of_length(const PromptKey& key, std::string_view purpose) const {
  return stream(key, fmt::format("{}/{}", key.length_tokens, purpose));
}

void RulerSettings::describe(Fingerprint& fingerprint) const {
  fingerprint.add("ruler.task", task)
      .add("preset", is_published() ? "ruler" : "strict")
      .add("tokens_to_generate", budget.fixed.value_or(0));
  if (words) words->describe(fingerprint);
}

std::unique_ptr<const Task> make_ruler(Fields& fields, const TaskDefinition& definition) {
  const RulerTask& task = task_of(fields);
  RulerSettings settings = read_settings(fields, task, definition);
  const std::optional<std::int64_t> asked = fields.optional_integer("num_samples", 1, 1'000'000);
  const bool is_published = settings.is_published();
  PromptTaskSettings cells{
      .kind = "ruler",
      .lengths = fields.lengths("lengths"),
      .depths = {},
      .samples = asked.value_or(is_published ? kPublishedSamples : kStrictSamples),
      .headline = is_published ? "ruler_match" : "strict_match"};
  std::unique_ptr<const PromptMaker> maker;
  switch (task.family) {
    case Family::kNiah: maker = make_ruler_niah(fields, std::move(settings)); break;
    case Family::kTracking: maker = make_ruler_tracking(fields, std::move(settings)); break;
    case Family::kCommonWords: maker = make_ruler_common_words(fields, std::move(settings)); break;
    case Family::kFrequentWords:
      maker = make_ruler_frequent_words(fields, std::move(settings));
      break;
    case Family::kQa: {
      QaMaker qa = make_ruler_qa(fields, std::move(settings));
      if (asked && *asked > qa.questions) {
        throw fields.error("num_samples", fmt::format("found {}, but the data hold {} questions",
                                                      *asked, qa.questions));
      }
      cells.samples = std::min(cells.samples, qa.questions);
      maker = std::move(qa.maker);
      break;
    }
  }
  return make_prompt_task(std::move(cells), std::move(maker));
}

}  // namespace yardstick::tasks
