// The kinds of task, as an explicit table: a name, and what makes a task of it.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"
#include "tasks/downstream/generate_until.hpp"
#include "tasks/downstream/loglikelihood.hpp"
#include "tasks/downstream/loglikelihood_rolling.hpp"
#include "tasks/downstream/multiple_choice.hpp"
#include "tasks/needle/passkey.hpp"
#include "tasks/perplexity/perplexity.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {
namespace {

struct Kind {
  std::string_view name;
  std::unique_ptr<const Task> (*make)(Fields&, const TaskDefinition&);
};

constexpr std::array<Kind, 6> kKinds = {{{"generate_until", make_generate_until},
                                         {"loglikelihood", make_loglikelihood},
                                         {"loglikelihood_rolling", make_loglikelihood_rolling},
                                         {"multiple_choice", make_multiple_choice},
                                         {"passkey", make_passkey},
                                         {"perplexity", make_perplexity}}};

const Kind& kind_of(Fields& fields) {
  const bool is_foreign = !fields.has("kind") && fields.has("output_type");
  const std::string_view key = is_foreign ? "output_type" : "kind";
  const std::string name = fields.text(key);
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const Kind& kind) { return kind.name == name; });
  if (found != kKinds.end()) return *found;
  const std::vector<std::string> names = task_kinds();
  std::string listed;
  for (const std::string& known : names) listed += (listed.empty() ? "" : ", ") + known;
  throw fields.error(key, fmt::format("unknown kind of task '{}'{}; there are: {}", name,
                                      did_you_mean(name, names), listed));
}

}  // namespace

std::unique_ptr<const Task> make_task(const TaskDefinition& definition) {
  Fields fields(definition.parameters, "", fmt::format("the task '{}'", definition.name));
  const Kind& kind = kind_of(fields);
  // For people: what a definition file calls itself. They do not change a number.
  for (const char* const key : {"task", "version", "description"})
    static_cast<void>(fields.raw(key));
  std::unique_ptr<const Task> task = kind.make(fields, definition);
  fields.finish();
  return task;
}

std::vector<std::string> task_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace yardstick::tasks
