// The kinds of task, as an explicit table: a name, and what makes a task of it.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"
#include "tasks/downstream/python_functions.hpp"
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

constexpr const char* kDefaultKind = "generate_until";  // lm-evaluation-harness's

/// Whether a key stands there that looks like the missing `key`.
bool is_misspelt(const Fields& fields, std::string_view key) {
  std::vector<std::string> keys;
  for (const auto& [name, unused] : fields.located().values().items()) keys.push_back(name);
  return nearest_name(key, keys).has_value();
}

/// The key that says the kind and what it says.
std::pair<std::string_view, std::string> read_kind(Fields& fields) {
  if (fields.has("kind")) return {"kind", fields.text("kind")};
  const bool is_foreign = fields.has("output_type") || is_misspelt(fields, "output_type");
  if (is_foreign) return {"output_type", fields.text("output_type")};
  const bool has_questions = fields.has("doc_to_text") || fields.has("doc_to_target");
  if (has_questions && !is_misspelt(fields, "kind")) return {"output_type", kDefaultKind};
  return {"kind", fields.text("kind")};
}

const Kind& kind_of(Fields& fields) {
  const auto [key, name] = read_kind(fields);
  const auto found =
      std::find_if(std::begin(kKinds), std::end(kKinds),
                   [&, &name = name](const Kind& kind) { return kind.name == name; });
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
  refuse_python_functions(definition.parameters);
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
