#include "tasks/downstream/transforms.hpp"

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/downstream/field_template.hpp"
#include "tasks/template/python_regex.hpp"
#include "tasks/template/template.hpp"

namespace yardstick::tasks {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kAll = 0;                           // matches are replaced
constexpr std::size_t kMostBytes = std::size_t{1} << 26U;  // of one text

ordered_json& field_of(TaskDocument& document, const std::string& name) {
  const auto found = document.fields.find(name);
  if (found != document.fields.end()) return *found;
  std::vector<std::string> names;
  for (const auto& [key, unused] : document.fields.items()) names.push_back(key);
  throw Error(ErrorKind::kData, fmt::format("the document has no field '{}'{}; it has: {}", name,
                                            did_you_mean(name, names), fmt::join(names, ", ")));
}

/// Gives fields the values of templates over the document as it was before.
class SetFields final : public Transform {
 public:
  using Value = std::variant<ordered_json, Template>;
  explicit SetFields(std::map<std::string, Value> values) : values_(std::move(values)) {}

  void apply(TaskDocument&& document, std::vector<TaskDocument>& out) const override {
    std::map<std::string, ordered_json> found;
    for (const auto& [name, value] : values_) {
      const auto* const source = std::get_if<Template>(&value);
      found[name] =
          source != nullptr ? value_of(*source, document.fields) : std::get<ordered_json>(value);
    }
    for (auto& [name, value] : found) document.fields[name] = std::move(value);
    out.push_back(std::move(document));
  }

 private:
  std::map<std::string, Value> values_;
};

/// Replaces the matches of a pattern in fields that are text or lists of texts.
class ReplaceText final : public Transform {
 public:
  ReplaceText(std::string place, std::vector<std::string> names, PythonRegex pattern,
              std::string replacement)
      : place_(std::move(place)),
        names_(std::move(names)),
        pattern_(std::move(pattern)),
        replacement_(std::move(replacement)) {}

  void apply(TaskDocument&& document, std::vector<TaskDocument>& out) const override {
    for (const std::string& name : names_) {
      ordered_json& value = field_of(document, name);
      if (!value.is_array()) {
        replace_in(value, name);
      } else {
        for (ordered_json& element : value) replace_in(element, name);
      }
    }
    out.push_back(std::move(document));
  }

 private:
  void replace_in(ordered_json& value, const std::string& name) const {
    if (!value.is_string()) {
      throw Error(ErrorKind::kData,
                  fmt::format("the field '{}' holds {}, expected text or a list of texts", name,
                              value.type_name()));
    }
    try {
      value =
          pattern_.substitute(value.get_ref<const std::string&>(), replacement_, kAll, kMostBytes);
    } catch (const Error& error) {
      throw error.within(fmt::format("{}: the field '{}'", place_, name));
    }
  }

  std::string place_;  // of the pattern in the task file
  std::vector<std::string> names_;
  PythonRegex pattern_;
  std::string replacement_;
};

/// What Python takes for true.
bool is_true(const ordered_json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.empty();
}

/// Keeps the documents for which an expression is true.
class KeepIf final : public Transform {
 public:
  explicit KeepIf(Template condition) : condition_(std::move(condition)) {}

  void apply(TaskDocument&& document, std::vector<TaskDocument>& out) const override {
    if (is_true(value_of(condition_, document.fields))) out.push_back(std::move(document));
  }

 private:
  Template condition_;
};

class RenameFields final : public Transform {
 public:
  explicit RenameFields(std::map<std::string, std::string> names) : names_(std::move(names)) {}

  void apply(TaskDocument&& document, std::vector<TaskDocument>& out) const override {
    std::map<std::string, ordered_json> moved;
    for (const auto& [from, to] : names_) {
      moved[to] = std::move(field_of(document, from));
      document.fields.erase(from);
    }
    for (auto& [name, value] : moved) {
      if (document.fields.contains(name)) {
        throw Error(ErrorKind::kData, fmt::format("the document has a field '{}' already", name));
      }
      document.fields[name] = std::move(value);
    }
    out.push_back(std::move(document));
  }

 private:
  std::map<std::string, std::string> names_;
};

/// A document for each element of a list, or of several lists of one length.
class Explode final : public Transform {
 public:
  explicit Explode(std::vector<std::string> names) : names_(std::move(names)) {}

  void apply(TaskDocument&& document, std::vector<TaskDocument>& out) const override {
    std::vector<ordered_json> lists;
    for (const std::string& name : names_) {
      ordered_json& list = field_of(document, name);
      if (!list.is_array() || (!lists.empty() && list.size() != lists.front().size())) {
        throw Error(ErrorKind::kData,
                    fmt::format("the field '{}' is {}, expected {}", name, list.type_name(),
                                lists.empty() ? "a list"
                                              : fmt::format("a list of {} as in '{}'",
                                                            lists.front().size(), names_.front())));
      }
      lists.push_back(std::move(list));
    }
    for (const std::string& name : names_) document.fields.erase(name);
    for (std::size_t i = 0; i < lists.front().size(); ++i) {
      TaskDocument part = document;
      part.part += fmt::format("-{}", i + 1);
      for (std::size_t k = 0; k < names_.size(); ++k) {
        put(part.fields, names_[k], std::move(lists[k][i]));
      }
      out.push_back(std::move(part));
    }
  }

 private:
  /// The members of an object become fields; any other element keeps its list's name.
  static void put(ordered_json& fields, const std::string& name, ordered_json&& element) {
    if (!element.is_object()) {
      fields[name] = std::move(element);
      return;
    }
    for (auto& [key, value] : element.items()) {
      if (fields.contains(key)) {
        throw Error(ErrorKind::kData,
                    fmt::format("'{}' in an element of '{}' is a field of the document already; "
                                "rename that one first",
                                key, name));
      }
      fields[key] = std::move(value);
    }
  }

  std::vector<std::string> names_;
};

/// A transform whose errors name its place in the task file; templates name theirs themselves.
class Placed final : public Transform {
 public:
  Placed(std::string place, std::unique_ptr<const Transform> inner)
      : place_(std::move(place)), inner_(std::move(inner)) {}

  void apply(TaskDocument&& document, std::vector<TaskDocument>& out) const override {
    try {
      inner_->apply(std::move(document), out);
    } catch (const Error& error) {
      throw error.within(place_);
    }
  }

 private:
  std::string place_;
  std::unique_ptr<const Transform> inner_;
};

using Made = std::unique_ptr<const Transform>;

Made placed(const Fields& step, std::string_view key, Made inner) {
  return std::make_unique<Placed>(fmt::format("{}: {}", step.where(key), key), std::move(inner));
}

Made read_set(Fields& step) {
  std::map<std::string, SetFields::Value> values;
  const nlohmann::json all = step.raw("set");
  for (const auto& [name, pointer] : step.members("set")) {
    const nlohmann::json& value = all.at(name);
    if (value.is_string()) {
      values.emplace(name, Template(value.get<std::string>(), step.located().where(pointer)));
    } else {
      values.emplace(name, ordered_json(value));
    }
  }
  if (values.empty()) throw step.error("set", "expected fields, such as `set: {query: \"...\"}`");
  return std::make_unique<SetFields>(std::move(values));
}

Made read_replace(Fields& step) {
  Fields keys(step.located(), step.pointer("replace"), "replace");
  std::vector<std::string> names = keys.texts("field");
  if (names.empty()) throw step.error("replace", "needs `field`: the name of one, or a list");
  const std::string pattern_text = keys.text("pattern");
  const std::string replacement = keys.text("with");
  keys.finish();
  try {
    PythonRegex pattern(pattern_text);
    static_cast<void>(pattern.substitute("", replacement, kAll, kMostBytes));  // reads both
    return placed(step, "replace",
                  std::make_unique<ReplaceText>(keys.where("pattern"), std::move(names),
                                                std::move(pattern), replacement));
  } catch (const Error& error) {
    throw error.within(keys.where("pattern"));
  }
}

Made read_filter(Fields& step) {
  Template condition(step.text("filter"), step.where("filter"));
  if (!condition.is_expression()) {
    throw step.error("filter",
                     "expected one expression, such as \"{{language == 'en'}}\", that says which "
                     "documents stay");
  }
  return std::make_unique<KeepIf>(std::move(condition));
}

Made read_rename(Fields& step) {
  Fields keys(step.located(), step.pointer("rename"), "rename");
  std::map<std::string, std::string> names;
  for (const auto& [from, unused] : step.members("rename")) names[from] = keys.text(from);
  return placed(step, "rename", std::make_unique<RenameFields>(std::move(names)));
}

Made read_explode(Fields& step) {
  std::vector<std::string> names = step.texts("explode");
  if (names.empty()) throw step.error("explode", "expected a field's name, or a list of them");
  return placed(step, "explode", std::make_unique<Explode>(std::move(names)));
}

struct Kind {
  std::string_view name;
  Made (*read)(Fields&);
};
constexpr std::array<Kind, 5> kKinds = {{{"set", read_set},
                                         {"replace", read_replace},
                                         {"filter", read_filter},
                                         {"rename", read_rename},
                                         {"explode", read_explode}}};

Transforms::Step read_step(const Fields& fields, const std::string& pointer) {
  Fields step(fields.located(), pointer, "a transform");
  const auto& keys = fields.located().values().at(nlohmann::json::json_pointer(pointer));
  if (keys.size() > 1) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: one element of the list holds {} keys, expected one transform",
                            fields.located().where(pointer), keys.size()));
  }
  for (const Kind& kind : kKinds) {
    if (!step.has(kind.name)) continue;
    Transforms::Step found{.name = std::string(kind.name),
                           .place = step.where(kind.name),
                           .transform = kind.read(step)};
    step.finish();
    return found;
  }
  step.finish();  // names an unknown transform and the nearest one
  throw Error(ErrorKind::kConfig,
              fmt::format("{}: a transform is one of: set, replace, filter, rename, explode",
                          fields.located().where(pointer)));
}

}  // namespace

std::vector<TaskDocument> Transforms::apply(std::vector<TaskDocument> documents,
                                            const std::string& file) const {
  std::vector<TaskDocument> current = std::move(documents);
  for (const Step& step : steps_) {
    std::vector<TaskDocument> next;
    for (TaskDocument& document : current) {
      const std::string place = fmt::format("{}:{}", file, document.line);
      try {
        step.transform->apply(std::move(document), next);
      } catch (const Error& error) {
        throw error.within(place);
      }
    }
    if (next.empty() && !current.empty()) {
      throw Error(ErrorKind::kData, fmt::format("{}: the {} at {} keeps none of {} documents", file,
                                                step.name, step.place, current.size()));
    }
    current = std::move(next);
  }
  return current;
}

Transforms read_transforms(Fields& fields, std::string_view key) {
  const nlohmann::json raw = fields.raw(key);
  if (!raw.is_null() && !raw.is_array()) {
    throw fields.error(key, "expected a list of transforms, such as `[{filter: \"{{...}}\"}]`");
  }
  std::vector<Transforms::Step> steps;
  for (const std::string& pointer : fields.elements(key)) {
    steps.push_back(read_step(fields, pointer));
  }
  return Transforms(std::move(steps));
}

}  // namespace yardstick::tasks
