#include "tasks/template/value_tests.hpp"

#include "tasks/template/letter_case.hpp"
#include "tasks/template/operators.hpp"
#include "tasks/template/python_text.hpp"

namespace yardstick::tasks::jinja {
namespace {

using Call = Invocation;

bool is_flag(const Value& value, bool wanted) {
  const bool* flag = value.as<bool>();
  return flag != nullptr && *flag == wanted;
}

template <typename... Kinds>
Value is_one_of(const Call& call) {
  return {(call.subject.is<Kinds>() || ...)};
}

Value defined(const Call& call) { return {!call.subject.is<Undefined>()}; }
Value is_true(const Call& call) { return {is_flag(call.subject, true)}; }
Value is_false(const Call& call) { return {is_flag(call.subject, false)}; }
Value is_callable(const Call& call) {
  require_defined(call.subject);
  return {call.subject.is<Macro>() || call.subject.is<Function>()};
}
Value iterable(const Call& call) {
  require_defined(call.subject);
  return {!(call.subject.is<None>() || as_number(call.subject) || call.subject.is<Macro>() ||
            call.subject.is<Function>() || call.subject.is<Namespace>())};
}
Value lower_case(const Call& call) { return {is_lower(str(call.subject))}; }
Value upper_case(const Call& call) { return {is_upper(str(call.subject))}; }

bool leaves(const Value& value, const Value& divisor, std::int64_t rest) {
  return equal(arithmetic(Arithmetic::kModulo, value, divisor), Value(Integer{rest}));
}
Value odd(const Call& call) { return {leaves(call.subject, {Integer{2}}, 1)}; }
Value even(const Call& call) { return {leaves(call.subject, {Integer{2}}, 0)}; }
Value divisible_by(const Call& call) { return {leaves(call.subject, call.get(0), 0)}; }

template <Comparison kComparison>
Value compares(const Call& call) {
  return {compare(kComparison, call.subject, call.get(0))};
}

constexpr auto kTests = std::to_array<Callable>({
    {"defined", {}, 0, &defined},
    {"undefined", {}, 0, &is_one_of<Undefined>},
    {"none", {}, 0, &is_one_of<None>},
    {"boolean", {}, 0, &is_one_of<bool>},
    {"true", {}, 0, &is_true},
    {"false", {}, 0, &is_false},
    {"integer", {}, 0, &is_one_of<Integer>},
    {"float", {}, 0, &is_one_of<double>},
    {"number", {}, 0, &is_one_of<bool, Integer, double>},
    {"string", {}, 0, &is_one_of<Text>},
    {"mapping", {}, 0, &is_one_of<Dict>},
    {"sequence", {}, 0, &is_one_of<Text, List, Tuple, Dict, Range, Bytes>},
    {"iterable", {}, 0, &iterable},
    {"callable", {}, 0, &is_callable},
    {"lower", {}, 0, &lower_case},
    {"upper", {}, 0, &upper_case},
    {"odd", {}, 0, &odd},
    {"even", {}, 0, &even},
    {"divisibleby", {"num"}, 1, &divisible_by},
    {"in", {"seq"}, 1, &compares<Comparison::kIn>},
    {"==", {"b"}, 1, &compares<Comparison::kEqual>},
    {"eq", {"b"}, 1, &compares<Comparison::kEqual>},
    {"equalto", {"b"}, 1, &compares<Comparison::kEqual>},
    {"!=", {"b"}, 1, &compares<Comparison::kNotEqual>},
    {"ne", {"b"}, 1, &compares<Comparison::kNotEqual>},
    {"<", {"b"}, 1, &compares<Comparison::kLess>},
    {"lt", {"b"}, 1, &compares<Comparison::kLess>},
    {"lessthan", {"b"}, 1, &compares<Comparison::kLess>},
    {"<=", {"b"}, 1, &compares<Comparison::kLessEqual>},
    {"le", {"b"}, 1, &compares<Comparison::kLessEqual>},
    {">", {"b"}, 1, &compares<Comparison::kGreater>},
    {"gt", {"b"}, 1, &compares<Comparison::kGreater>},
    {"greaterthan", {"b"}, 1, &compares<Comparison::kGreater>},
    {">=", {"b"}, 1, &compares<Comparison::kGreaterEqual>},
    {"ge", {"b"}, 1, &compares<Comparison::kGreaterEqual>},
});

}  // namespace

const Callable* find_test(std::string_view name) { return find(kTests, name); }

std::vector<std::string> test_names() {
  std::vector<std::string> out;
  for (const Callable& test : kTests) {
    const bool is_symbol = test.name.find_first_of("=<>") != std::string_view::npos;
    if (!is_symbol) out.emplace_back(test.name);
  }
  return out;
}

}  // namespace yardstick::tasks::jinja
