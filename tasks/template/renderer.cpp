#include "tasks/template/renderer.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "tasks/template/methods.hpp"
#include "tasks/template/operators.hpp"
#include "tasks/template/python_text.hpp"

namespace yardstick::tasks::jinja {
namespace {

constexpr std::array<std::string_view, 3> kFunctions = {"range", "dict", "namespace"};

// Runs `action`; a fault without a place gets this one.
template <typename Action>
auto placed(std::size_t offset, const Action& action) {
  try {
    return action();
  } catch (Fault& fault) {
    fault.set_offset(offset);
    throw;
  }
}

Value make_range(const Arguments& arguments) {
  const std::vector<Value>& given = arguments.positional;
  if (given.empty() || given.size() > 3 || !arguments.named.empty()) {
    throw Fault("range expects one to three integers");
  }
  Range out;
  std::array<std::int64_t, 3> numbers{};
  for (std::size_t i = 0; i < given.size(); ++i) {
    numbers.at(i) = require_integer(given[i], fmt::format("argument {} of range", i + 1));
  }
  out.start = given.size() > 1 ? numbers[0] : 0;
  out.stop = given.size() > 1 ? numbers[1] : numbers[0];
  out.step = given.size() > 2 ? numbers[2] : 1;
  if (out.step == 0) throw Fault("the step of range is zero");
  constexpr std::int64_t kFar = std::int64_t{1} << 60;
  if (std::max({out.start, out.stop, out.step}) > kFar ||
      std::min({out.start, out.stop, out.step}) < -kFar ||
      out.size() > static_cast<std::int64_t>(kMaxElements)) {
    throw Fault(fmt::format("range gives more than {} numbers", kMaxElements));
  }
  return {out};
}

Value make_dict(const Arguments& arguments) {
  std::vector<std::pair<Value, Value>> pairs;
  if (arguments.positional.size() > 1) throw Fault("dict expects at most one dict");
  for (const Value& value : arguments.positional) {
    const Dict* dict = value.as<Dict>();
    if (dict == nullptr) {
      throw Fault(fmt::format("dict of a {} is not supported", value.type_name()));
    }
    pairs = dict->pairs->items;
  }
  for (const auto& [name, value] : arguments.named) {
    pairs.emplace_back(Value::text(std::string(name)), value);
  }
  return Value::dict(std::move(pairs));
}

Value loop_attribute(const Loop& loop, std::string_view name) {
  const auto size = static_cast<Integer>(loop.items->items.size());
  const auto index0 = static_cast<Integer>(loop.index0);
  if (name == "index") return {index0 + 1};
  if (name == "index0") return {index0};
  if (name == "revindex") return {size - index0};
  if (name == "revindex0") return {size - index0 - 1};
  if (name == "first") return {index0 == 0};
  if (name == "last") return {index0 + 1 == size};
  if (name == "length") return {size};
  if (name == "depth") return {Integer{1}};
  if (name == "depth0") return {Integer{0}};
  if (name == "previtem") {
    return loop.index0 == 0 ? Value::undefined("there is no previous item")
                            : loop.items->items[loop.index0 - 1];
  }
  if (name == "nextitem") {
    return index0 + 1 == size ? Value::undefined("there is no next item")
                              : loop.items->items[loop.index0 + 1];
  }
  throw Fault(fmt::format("'loop.{}' is not known", name));
}

}  // namespace

// Counts the levels of evaluation: those of the syntax, and those of macros that call macros.
class Renderer::Level {
 public:
  explicit Level(Renderer& renderer) : renderer_(renderer) {
    if (++renderer_.level_ > kMaxEvaluation) throw Fault("macros call each other too deeply");
    renderer_.budget_.spend(4);
  }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  ~Level() { --renderer_.level_; }

 private:
  Renderer& renderer_;
};

struct Renderer::Evaluate {
  Renderer& renderer;
  const std::vector<Expression>& operands;

  [[nodiscard]] Value part(std::size_t i) const { return renderer.evaluate(operands[i]); }

  [[nodiscard]] std::vector<Value> parts(std::size_t from = 0) const {
    std::vector<Value> out;
    out.reserve(operands.size() - from);
    for (std::size_t i = from; i < operands.size(); ++i) out.push_back(part(i));
    return out;
  }

  // Operands from `from` on, of which the last have the names `keywords`.
  [[nodiscard]] Arguments arguments(std::size_t from,
                                    const std::vector<std::string>& keywords) const {
    const std::size_t named = operands.size() - keywords.size();
    Arguments out;
    for (std::size_t i = from; i < named; ++i) out.positional.push_back(part(i));
    for (std::size_t i = 0; i < keywords.size(); ++i) {
      out.named.emplace_back(keywords[i], part(named + i));
    }
    return out;
  }

  Value operator()(const Constant& constant) const { return constant.value; }
  Value operator()(const Variable& variable) const { return renderer.look_up(variable.name); }
  Value operator()(const ListDisplay&) const { return Value::list(parts()); }
  Value operator()(const TupleDisplay&) const { return Value::tuple(parts()); }
  Value operator()(const DictDisplay&) const {
    std::vector<std::pair<Value, Value>> pairs;
    for (std::size_t i = 0; i + 1 < operands.size(); i += 2) {
      Value key = part(i);
      pairs.emplace_back(std::move(key), part(i + 1));
    }
    return Value::dict(std::move(pairs));
  }
  Value operator()(const Negation&) const { return negative(part(0)); }
  Value operator()(const Position&) const { return positive(part(0)); }
  Value operator()(const Not&) const { return {!part(0).truth()}; }
  Value operator()(const All&) const {
    Value value = part(0);
    for (std::size_t i = 1; i < operands.size() && value.truth(); ++i) value = part(i);
    return value;
  }
  Value operator()(const Any&) const {
    Value value = part(0);
    for (std::size_t i = 1; i < operands.size() && !value.truth(); ++i) value = part(i);
    return value;
  }
  Value operator()(const ArithmeticChain& chain) const {
    Value value = part(0);
    for (std::size_t i = 0; i < chain.operations.size(); ++i) {
      value = arithmetic(chain.operations[i], value, part(i + 1));
      renderer.budget_.spend(value.weight());
    }
    return value;
  }
  Value operator()(const ComparisonChain& chain) const {
    Value left = part(0);
    for (std::size_t i = 0; i < chain.comparisons.size(); ++i) {
      Value right = part(i + 1);
      renderer.budget_.spend(left.weight() + right.weight());
      if (!compare(chain.comparisons[i], left, right)) return {false};
      left = std::move(right);
    }
    return {true};
  }
  Value operator()(const Concatenation&) const {
    TextBuilder out;
    for (std::size_t i = 0; i < operands.size(); ++i) out.append(str(part(i)));
    renderer.budget_.spend(out.size());
    return Value::text(out.take());
  }
  Value operator()(const Conditional&) const {
    if (part(0).truth()) return part(1);
    if (operands.size() > 2) return part(2);
    return {
        Undefined{std::make_shared<const std::string>("the inline if has no else, and is false"),
                  Undefined::Use::kEmpty}};
  }
  Value operator()(const Attribute& attribute) const {
    return renderer.attribute(part(0), attribute.name);
  }
  Value operator()(const Subscript&) const {
    const Value object = part(0);
    const Value index = part(1);
    renderer.budget_.spend(object.as_text() != nullptr ? object.weight() : 1);
    Value found = item(object, index);
    // Python looks for an attribute next.
    const std::string* name = index.as_text();
    if (found.is<Undefined>() && name != nullptr && is_python_attribute(object, *name)) {
      throw Fault(fmt::format("'{}' of a {} is a method of Python's; call it as .{}()", *name,
                              object.type_name(), *name));
    }
    return found;
  }
  Value operator()(const Slicing&) const {
    const std::vector<Value> all = parts();
    Value out = slice(all[0], all[1], all[2], all[3]);
    renderer.budget_.spend(all[0].as_text() != nullptr ? all[0].weight() : out.weight());
    return out;
  }
  Value operator()(const MethodCall& call) const {
    const Value object = part(0);
    return call_method(object, call.name, arguments(1, call.keywords), renderer.budget_);
  }
  Value operator()(const FunctionCall& call) const {
    return renderer.call_function(call.name, arguments(0, call.keywords));
  }
  Value operator()(const Filtering& filtering) const {
    const Value value = part(0);
    return invoke(*filtering.filter, value, arguments(1, filtering.keywords), renderer.budget_);
  }
  Value operator()(const Testing& testing) const {
    const Value value = part(0);
    return invoke(*testing.test, value, arguments(1, testing.keywords), renderer.budget_);
  }
};

Renderer::Renderer(const nlohmann::ordered_json& document) : document_(document), scopes_(1) {}

std::string Renderer::render(const Body& body) {
  TextBuilder out;
  run(body, out);
  return out.take();
}

Value Renderer::evaluate(const Expression& expression) {
  return placed(expression.offset, [&] {
    const Level level(*this);
    return std::visit(Evaluate{*this, expression.operands}, expression.node);
  });
}

void Renderer::run(const Body& body, TextBuilder& out) {
  for (const Statement& statement : body) {
    placed(statement.offset, [&] { run(statement, out); });
  }
}

void Renderer::run(const Statement& statement, TextBuilder& out) {
  const Level level(*this);
  if (const auto* data = std::get_if<Data>(&statement.node)) {
    out.append(data->text);
    budget_.spend(data->text.size());
  } else if (const auto* print = std::get_if<Print>(&statement.node)) {
    const Value value = evaluate(print->expression);
    placed(print->expression.offset, [&] { out.append(str(value)); });
    budget_.spend(value.weight());
  } else if (const auto* branches = std::get_if<If>(&statement.node)) {
    run(*branches, out);
  } else if (const auto* loop = std::get_if<For>(&statement.node)) {
    run(*loop, out);
  } else if (const auto* assign = std::get_if<Assign>(&statement.node)) {
    run(*assign);
  } else if (const auto* block = std::get_if<AssignBlock>(&statement.node)) {
    scopes_.emplace_back();
    std::string text = render(block->body);
    scopes_.pop_back();
    set(block->target, Value::text(std::move(text)));
  } else if (const auto* with = std::get_if<With>(&statement.node)) {
    Scope scope;
    for (const auto& [name, value] : with->variables) scope.emplace_back(name, evaluate(value));
    scopes_.push_back(std::move(scope));
    run(with->body, out);
    scopes_.pop_back();
  } else {
    const auto& macro = std::get<std::shared_ptr<MacroDefinition>>(statement.node);
    set(macro->name, {Macro{macro.get()}});
  }
}

void Renderer::run(const If& branches, TextBuilder& out) {
  for (const If::Branch& branch : branches.branches) {
    if (evaluate(branch.condition).truth()) return run(branch.body, out);
  }
  run(branches.otherwise, out);
}

void Renderer::run(const For& loop, TextBuilder& out) {
  const Value iterable = evaluate(loop.iterable);
  Walk elements = placed(loop.iterable.offset, [&] { return iterate(iterable); });
  budget_.spend(8 * elements.size());
  if (loop.condition) {
    std::vector<Value> kept;
    for (const Value& element : elements) {
      scopes_.emplace_back();
      unpack(loop.targets, loop.unpacks, element);
      if (evaluate(*loop.condition).truth()) kept.push_back(element);
      scopes_.pop_back();
    }
    elements = Walk(std::make_shared<const Elements>(make_elements(std::move(kept))));
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    scopes_.emplace_back();
    set("loop", {Loop{elements.elements(), i}});
    unpack(loop.targets, loop.unpacks, elements[i]);
    run(loop.body, out);
    scopes_.pop_back();
    budget_.spend(16);
  }
  if (elements.empty()) {
    scopes_.emplace_back();
    run(loop.otherwise, out);
    scopes_.pop_back();
  }
}

void Renderer::run(const Assign& assign) {
  Value value = evaluate(assign.value);
  if (assign.attribute.empty()) return unpack(assign.targets, assign.unpacks, value);
  const Value target = look_up(assign.targets.front());
  const Namespace* space = target.as<Namespace>();
  if (space == nullptr) {
    throw Fault(fmt::format("'{}' is no namespace; only those have attributes that can be set",
                            assign.targets.front()));
  }
  Scope& attributes = namespaces_[space->index];
  const auto same = std::find_if(attributes.begin(), attributes.end(), [&](const auto& entry) {
    return entry.first == assign.attribute;
  });
  if (same != attributes.end()) {
    same->second = std::move(value);
  } else {
    attributes.emplace_back(assign.attribute, std::move(value));
  }
}

std::string Renderer::call_macro(const MacroDefinition& macro, const Arguments& arguments) {
  const Level level(*this);
  if (arguments.positional.size() > macro.parameters.size()) {
    throw Fault(fmt::format("the macro '{}' takes at most {} argument(s), found {}", macro.name,
                            macro.parameters.size(), arguments.positional.size()));
  }
  Scope given;
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
    given.emplace_back(macro.parameters[i].first, arguments.positional[i]);
  }
  for (const auto& [name, value] : arguments.named) {
    const bool is_known =
        std::any_of(macro.parameters.begin(), macro.parameters.end(),
                    [&, &key = name](const auto& parameter) { return parameter.first == key; });
    const bool is_twice =
        std::any_of(given.begin(), given.end(),
                    [&, &key = name](const auto& entry) { return entry.first == key; });
    if (!is_known || is_twice) {
      throw Fault(fmt::format("the macro '{}' {} '{}'", macro.name,
                              is_twice ? "got twice its argument" : "has no argument", name));
    }
    given.emplace_back(name, value);
  }
  const std::size_t outer = visible_from_;
  visible_from_ = scopes_.size();
  scopes_.push_back(std::move(given));
  for (const auto& [name, fallback] : macro.parameters) {
    const Scope& scope = scopes_.back();
    const bool is_given =
        std::any_of(scope.begin(), scope.end(),
                    [&, &key = name](const auto& entry) { return entry.first == key; });
    if (is_given) continue;
    set(name, fallback ? evaluate(*fallback)
                       : Value::undefined(fmt::format("the argument '{}' of the macro '{}' was not "
                                                      "given",
                                                      name, macro.name)));
  }
  std::string text = render(macro.body);
  scopes_.pop_back();
  visible_from_ = outer;
  return text;
}

Value Renderer::look_up(std::string_view name) {
  const auto find_in = [&](const Scope& scope) -> const Value* {
    const auto found = std::find_if(scope.rbegin(), scope.rend(),
                                    [&](const auto& entry) { return entry.first == name; });
    return found == scope.rend() ? nullptr : &found->second;
  };
  for (std::size_t i = scopes_.size(); i-- > visible_from_;) {
    if (const Value* found = find_in(scopes_[i])) return *found;
  }
  if (const Value* found = find_in(scopes_.front())) return *found;
  if (const Value* found = find_in(fields_)) return *found;
  if (document_.is_object()) {
    const auto field = document_.find(name);
    if (field != document_.end()) {
      Value value = Value::from_json(*field);
      budget_.spend(value.weight());
      fields_.emplace_back(name, value);
      return value;
    }
  }
  const auto* const function = std::find(kFunctions.begin(), kFunctions.end(), name);
  if (function != kFunctions.end()) return {Function{*function}};
  return Value::undefined(missing_name(name));
}

std::string Renderer::missing_name(std::string_view name) const {
  std::vector<std::string> keys;
  if (document_.is_object()) {
    for (const auto& [key, unused] : document_.items()) keys.push_back(key);
  }
  return fmt::format("unknown field '{}'{}; the document has: {}", name, did_you_mean(name, keys),
                     keys.empty() ? "nothing" : fmt::format("{}", fmt::join(keys, ", ")));
}

void Renderer::set(std::string_view name, Value value) {
  Scope& scope = scopes_.back();
  const auto same = std::find_if(scope.begin(), scope.end(),
                                 [&](const auto& entry) { return entry.first == name; });
  if (same != scope.end()) {
    same->second = std::move(value);
  } else {
    scope.emplace_back(name, std::move(value));
  }
}

void Renderer::unpack(const std::vector<std::string>& targets, bool unpacks, const Value& value) {
  if (!unpacks) return set(targets.front(), value);
  const Walk elements = iterate(value);
  if (elements.size() != targets.size()) {
    throw Fault(fmt::format("{} value(s) to unpack, expected {}", elements.size(), targets.size()));
  }
  for (std::size_t i = 0; i < targets.size(); ++i) set(targets[i], elements[i]);
}

Value Renderer::call_function(std::string_view name, const Arguments& arguments) {
  const Value callee = look_up(name);
  require_defined(callee);
  if (const Macro* macro = callee.as<Macro>()) {
    return Value::text(call_macro(*macro->definition, arguments));
  }
  if (!callee.is<Function>()) {
    throw Fault(fmt::format("'{}' is of type {} and cannot be called", name, callee.type_name()));
  }
  const std::string_view function = callee.as<Function>()->name;
  if (function == "range") return make_range(arguments);
  Value dict = make_dict(arguments);
  if (function == "dict") return dict;
  // Attributes of a namespace are looked up by names that outlive it.
  if (!arguments.positional.empty()) throw Fault("namespace expects named arguments");
  namespaces_.emplace_back(arguments.named.begin(), arguments.named.end());
  return {Namespace{namespaces_.size() - 1}};
}

// Jinja: an attribute of Python's object, or else an item of that name.
Value Renderer::attribute(const Value& object, std::string_view name) {
  if (const Undefined* undefined = object.as<Undefined>()) throw Fault(*undefined->why);
  if (const Loop* loop = object.as<Loop>()) return loop_attribute(*loop, name);
  if (const Namespace* space = object.as<Namespace>()) {
    for (const auto& [key, value] : namespaces_[space->index]) {
      if (key == name) return value;
    }
    return Value::undefined(fmt::format("the namespace has no '{}'", name));
  }
  if (is_python_attribute(object, name)) {
    throw Fault(
        fmt::format("'.{}' of a {} is Python's own; write .{}() to call it, or ['{}'] for a "
                    "field of that name",
                    name, object.type_name(), name, name));
  }
  if (const Dict* dict = object.as<Dict>()) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : dict->pairs->items) {
      const std::string* text = key.as_text();
      if (text == nullptr) continue;
      if (*text == name) return value;
      keys.push_back(*text);
    }
    return Value::undefined(
        fmt::format("unknown field '{}'{}; there are: {}", name, did_you_mean(name, keys),
                    keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", "))));
  }
  return Value::undefined(
      fmt::format("a value of type {} has no field '{}'", object.type_name(), name));
}

}  // namespace yardstick::tasks::jinja
