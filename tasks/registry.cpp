// The kinds of task, as an explicit table: a name, and what makes a task of it.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"
#include "tasks/kinds.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {
namespace {

struct Kind {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<const Task> (*make)(Fields&, const TaskDefinition&);
};

constexpr Kind kKinds[] = {
#define TASK_KIND(name, description) {#name, description, make_##name},
#include "tasks/kinds.def"
#undef TASK_KIND
};

const Kind& kind_of(Fields& fields) {
  const bool is_foreign = !fields.has("kind") && fields.has("output_type");
  const std::string_view key = is_foreign ? "output_type" : "kind";
  const std::string name = fields.text(key);
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const Kind& kind) { return kind.name == name; });
  if (found != std::end(kKinds)) return *found;
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
  for (const char* const key : {"task", "tag", "group", "version", "description"})
    static_cast<void>(fields.raw(key));
  std::unique_ptr<const Task> task = kind.make(fields, definition);
  fields.finish();
  return task;
}

std::vector<std::string> task_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

std::string_view describe_kind(std::string_view name) {
  for (const Kind& kind : kKinds)
    if (kind.name == name) return kind.description;
  return "";
}

}  // namespace yardstick::tasks
