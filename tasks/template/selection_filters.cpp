#include <fmt/format.h>

#include "tasks/template/attribute_path.hpp"
#include "tasks/template/filters.hpp"
#include "tasks/template/operators.hpp"
#include "tasks/template/value_tests.hpp"

namespace yardstick::tasks::jinja {
namespace {

using Call = Invocation;

// Jinja takes whatever is false, None or 0 as well, for an empty list.
bool has_elements(const Call& call) { return call.subject.truth(); }

// The arguments of `call` from the `count`-th on.
Arguments without_first(const Call& call, std::size_t count) {
  const std::vector<Value>& given = call.arguments.positional;
  return {.positional = {given.begin() + static_cast<std::ptrdiff_t>(count), given.end()},
          .named = call.arguments.named};
}

Value map_attribute(const Call& call) {
  const Value* attribute = nullptr;
  const Value* fallback = nullptr;
  for (const auto& [name, value] : call.arguments.named) {
    if (name != "attribute" && name != "default") {
      throw Fault(fmt::format("'map' has no argument '{}'", name));
    }
    (name == "attribute" ? attribute : fallback) = &value;
  }
  if (attribute == nullptr) throw Fault("'map' needs a filter's name, or attribute=");
  if (fallback != nullptr && fallback->is<None>()) fallback = nullptr;
  const AttributePath path(*attribute);
  std::vector<Value> out;
  if (!has_elements(call)) return Value::iterator({});
  for (const Value& element : iterate(call.subject)) {
    call.budget.spend(1);
    out.push_back(path.of(element, fallback));
  }
  return Value::iterator(std::move(out));
}

Value map(const Call& call) {
  if (call.arguments.positional.empty()) return map_attribute(call);
  const std::string& name = require_text(call.arguments.positional.front(), "the filter of map");
  const Callable* filter = find_filter(name);
  if (filter == nullptr) throw Fault(unknown_name("filter", name, filter_names()));
  if (makes_markup(*filter)) throw Fault(fmt::format("map('{}') is not supported", name));
  const Arguments arguments = without_first(call, 1);
  std::vector<Value> out;
  if (!has_elements(call)) return Value::iterator({});
  for (const Value& element : iterate(call.subject)) {
    out.push_back(invoke(*filter, element, arguments, call.budget));
  }
  return Value::iterator(std::move(out));
}

enum class Keep { kPassing, kFailing };

// Elements whose `path` passes (or fails) the test that the arguments from `first` on name; without
// one, whose `path` is true.
Value selected(const Call& call, const AttributePath& path, std::size_t first, Keep keep) {
  const Callable* test = nullptr;
  Arguments arguments;
  if (call.arguments.positional.size() > first) {
    const std::string& name = require_text(call.arguments.positional[first], "the name of a test");
    test = find_test(name);
    if (test == nullptr) throw Fault(unknown_name("test", name, test_names()));
    arguments = without_first(call, first + 1);
  } else if (!call.arguments.named.empty()) {
    throw Fault("named arguments need a test");
  }
  std::vector<Value> out;
  if (!has_elements(call)) return Value::iterator({});
  for (const Value& element : iterate(call.subject)) {
    call.budget.spend(1);
    const Value chosen = path.of(element);
    const bool passes =
        (test == nullptr ? chosen : invoke(*test, chosen, arguments, call.budget)).truth();
    if (passes == (keep == Keep::kPassing)) out.push_back(element);
  }
  return Value::iterator(std::move(out));
}

template <Keep kKeep>
Value select(const Call& call) {
  return selected(call, {}, 0, kKeep);
}

template <Keep kKeep>
Value select_by_attribute(const Call& call) {
  if (call.arguments.positional.empty()) throw Fault("the name of an attribute is missing");
  return selected(call, AttributePath(call.arguments.positional.front()), 1, kKeep);
}

constexpr auto kFilters = std::to_array<Callable>({
    {"map", {"*"}, 0, &map},
    {"select", {"*"}, 0, &select<Keep::kPassing>},
    {"reject", {"*"}, 0, &select<Keep::kFailing>},
    {"selectattr", {"*"}, 0, &select_by_attribute<Keep::kPassing>},
    {"rejectattr", {"*"}, 0, &select_by_attribute<Keep::kFailing>},
});

}  // namespace

std::span<const Callable> selection_filters() { return kFilters; }

}  // namespace yardstick::tasks::jinja
