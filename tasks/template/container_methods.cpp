#include <algorithm>

#include <fmt/format.h>

#include "tasks/template/methods.hpp"
#include "tasks/template/operators.hpp"
#include "tasks/template/python_text.hpp"

namespace yardstick::tasks::jinja {
namespace {

using Call = Invocation;

const std::vector<Value>& elements(const Call& call) {
  if (const List* list = call.subject.as<List>()) return list->elements->items;
  return call.subject.as<Tuple>()->elements->items;
}

const Pairs& pairs(const Call& call) { return *call.subject.as<Dict>()->pairs; }

Value index(const Call& call) {
  const std::vector<Value>& items = elements(call);
  const std::int64_t size = std::ssize(items);
  const auto bound = [&](std::size_t i, std::int64_t fallback) {
    const std::int64_t given = call.integer(i, fallback);
    return given < 0 ? std::max<std::int64_t>(given + size, 0) : std::min(given, size);
  };
  const std::int64_t end = bound(2, size);
  for (std::int64_t i = bound(1, 0); i < end; ++i) {
    if (equal(items[static_cast<std::size_t>(i)], call.get(0))) return {Integer{i}};
  }
  throw Fault(fmt::format("{} is not in the {}", repr(call.get(0)), call.subject.type_name()));
}

Value count(const Call& call) {
  const std::vector<Value>& items = elements(call);
  return {Integer{std::count_if(items.begin(), items.end(), [&](const Value& element) {
    return equal(element, call.get(0));
  })}};
}

Value get(const Call& call) {
  const Value found = item(call.subject, call.get(0));
  if (!found.is<Undefined>()) return found;
  return call.has(1) ? call.get(1) : Value();
}

Value keys(const Call& call) {
  std::vector<Value> out;
  for (const auto& [key, value] : pairs(call).items) out.push_back(key);
  return Value::view("dict_keys", std::move(out));
}

Value values(const Call& call) {
  std::vector<Value> out;
  for (const auto& [key, value] : pairs(call).items) out.push_back(value);
  return Value::view("dict_values", std::move(out));
}

Value items(const Call& call) {
  std::vector<Value> out;
  for (const auto& [key, value] : pairs(call).items) out.push_back(Value::tuple({key, value}));
  return Value::view("dict_items", std::move(out));
}

Value cycle(const Call& call) {
  const std::vector<Value>& given = call.arguments.positional;
  if (given.empty() || !call.arguments.named.empty()) {
    throw Fault("loop.cycle expects the values to choose from");
  }
  return given[call.subject.as<Loop>()->index0 % given.size()];
}

constexpr auto kSequenceMethods = std::to_array<Callable>({
    {"index", {"value", "start", "stop"}, 1, &index},
    {"count", {"value"}, 1, &count},
});
constexpr auto kDictMethods = std::to_array<Callable>({
    {"get", {"key", "default"}, 1, &get},
    {"keys", {}, 0, &keys},
    {"values", {}, 0, &values},
    {"items", {}, 0, &items},
});
constexpr auto kLoopMethods = std::to_array<Callable>({
    {"cycle", {"*"}, 0, &cycle},
});

}  // namespace

std::span<const Callable> sequence_methods() { return kSequenceMethods; }
std::span<const Callable> dict_methods() { return kDictMethods; }
std::span<const Callable> loop_methods() { return kLoopMethods; }

}  // namespace yardstick::tasks::jinja
