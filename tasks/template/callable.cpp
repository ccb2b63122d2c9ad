#include "tasks/template/callable.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "tasks/template/operators.hpp"

namespace yardstick::tasks::jinja {
namespace {

std::size_t count_parameters(const Callable& callable) {
  return static_cast<std::size_t>(
      std::find(callable.parameters.begin(), callable.parameters.end(), "") -
      callable.parameters.begin());
}

void bind(const Callable& callable, Invocation& call) {
  const std::size_t count = count_parameters(callable);
  const Arguments& given = call.arguments;
  if (given.positional.size() > count) {
    throw Fault(fmt::format("'{}' takes at most {} argument(s), found {}", callable.name, count,
                            given.positional.size()));
  }
  for (std::size_t i = 0; i < given.positional.size(); ++i) {
    call.bound.at(i) = &given.positional[i];
  }
  for (const auto& [name, value] : given.named) {
    const auto* const begin = callable.parameters.begin();
    const auto* const found = std::find(begin, begin + count, name);
    if (found == begin + count) {
      throw Fault(fmt::format("'{}' has no argument '{}'", callable.name, name));
    }
    const Value*& slot = call.bound.at(static_cast<std::size_t>(found - begin));
    if (slot != nullptr) throw Fault(fmt::format("'{}' got '{}' twice", callable.name, name));
    slot = &value;
  }
  for (std::size_t i = 0; i < callable.required; ++i) {
    if (!call.has(i)) {
      throw Fault(
          fmt::format("'{}' needs its argument '{}'", callable.name, callable.parameters.at(i)));
    }
  }
}

}  // namespace

std::string Invocation::text(std::size_t i, std::string_view fallback) const {
  return has(i) ? require_text(get(i), fmt::format("argument {}", i + 1)) : std::string(fallback);
}

std::int64_t Invocation::integer(std::size_t i, std::int64_t fallback) const {
  return has(i) ? require_integer(get(i), fmt::format("argument {}", i + 1)) : fallback;
}

bool Invocation::is_true(std::size_t i) const { return has(i) && get(i).truth(); }

Value invoke(const Callable& callable, const Value& subject, const Arguments& arguments,
             Budget& budget) {
  Invocation call{.subject = subject, .arguments = arguments, .budget = budget};
  if (!callable.parameters.front().starts_with('*')) bind(callable, call);
  Value out = callable.apply(call);
  budget.spend(1 + subject.weight() / 4 + out.weight());
  return out;
}

const Callable* find(std::span<const Callable> callables, std::string_view name) {
  const auto found = std::find_if(callables.begin(), callables.end(),
                                  [&](const Callable& callable) { return callable.name == name; });
  return found == callables.end() ? nullptr : &*found;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::vector<std::string> known) {
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return fmt::format("'{}' is not a known {}{}; {}s: {}", name, kind, did_you_mean(name, known),
                     kind, fmt::join(known, ", "));
}

}  // namespace yardstick::tasks::jinja
