#include "tasks/template/operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tasks/template/code_points.hpp"
#include "tasks/template/python_format.hpp"
#include "tasks/template/python_text.hpp"

namespace yardstick::tasks::jinja {
namespace {

constexpr std::array<std::string_view, 7> kArithmetic = {"+", "-", "*", "/", "//", "%", "**"};
constexpr std::array<std::string_view, 8> kComparisons = {
    "==", "!=", "<", "<=", ">", ">=", "in", "not in"};

Fault unsupported(std::string_view operation, const Value& left, const Value& right) {
  return Fault(fmt::format("'{}' is not defined between {} and {}", operation, left.type_name(),
                           right.type_name()));
}

const std::vector<Value>* list_items(const Value& value) {
  if (const List* list = value.as<List>()) return &list->elements->items;
  return nullptr;
}

const std::vector<Value>* tuple_items(const Value& value) {
  if (const Tuple* tuple = value.as<Tuple>()) return &tuple->elements->items;
  return nullptr;
}

Value concatenated(const std::vector<Value>& left, const std::vector<Value>& right,
                   Value (*make)(std::vector<Value>)) {
  std::vector<Value> items = left;
  items.insert(items.end(), right.begin(), right.end());
  return make(std::move(items));
}

Value repeated(const std::vector<Value>& items, std::int64_t times,
               Value (*make)(std::vector<Value>)) {
  std::vector<Value> out;
  if (times > 0 && !items.empty()) {
    if (static_cast<std::uint64_t>(times) > kMaxElements / items.size()) {
      throw Fault(fmt::format("a list of more than {} elements", kMaxElements));
    }
    for (std::int64_t i = 0; i < times; ++i) out.insert(out.end(), items.begin(), items.end());
  }
  return make(std::move(out));
}

Value repeated(const std::string& text, std::int64_t times) {
  TextBuilder out;
  if (!text.empty()) {
    for (std::int64_t i = 0; i < times; ++i) out.append(text);
  }
  return Value::text(out.take());
}

std::optional<Value> repeat(const Value& value, const Value& times) {
  const std::optional<Integer> count = as_integer(times);
  if (!count) return std::nullopt;
  const auto bounded = static_cast<std::int64_t>(std::clamp<Integer>(*count, 0, Integer{1} << 40));
  if (const std::string* text = value.as_text()) return repeated(*text, bounded);
  if (const auto* items = list_items(value)) return repeated(*items, bounded, &Value::list);
  if (const auto* items = tuple_items(value)) return repeated(*items, bounded, &Value::tuple);
  return std::nullopt;
}

Integer floor_quotient(Integer left, Integer right) {
  const Integer quotient = left / right;
  return quotient - ((left % right != 0 && (left < 0) != (right < 0)) ? 1 : 0);
}

double floor_remainder(double left, double right) {
  const double rest = std::fmod(left, right);
  if (rest == 0) return std::copysign(0.0, right);
  return (rest < 0) != (right < 0) ? rest + right : rest;
}

// As CPython rounds it: down from the quotient of what divides without a remainder.
double floor_quotient(double left, double right) {
  const double rest = std::fmod(left, right);
  double quotient = (left - rest) / right;
  if (rest != 0 && (right < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, left / right);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

double divided(Integer left, Integer right) {
  constexpr Integer kExact = Integer{1} << 53;
  if (left > kExact || left < -kExact || right > kExact || right < -kExact) {
    throw Fault("'/' of integers beyond 2^53 is not supported; use //");
  }
  return static_cast<double>(left) / static_cast<double>(right);
}

Value power(Integer base, Integer exponent) {
  if (exponent < 0) {
    if (base == 0) throw Fault("zero cannot be raised to a negative power");
    return {std::pow(static_cast<double>(base), static_cast<double>(exponent))};
  }
  if (base == 0 || base == 1 || base == -1) {
    if (exponent == 0) return {Integer{1}};
    return {base == -1 && exponent % 2 == 0 ? Integer{1} : base};
  }
  Integer out = 1;
  for (Integer i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(out, base, &out)) throw Fault("an integer lies beyond 64 bits");
  }
  return Value::integer(out);
}

Value with_integers(Arithmetic operation, Integer left, Integer right) {
  const bool divides = operation == Arithmetic::kDivide || operation == Arithmetic::kFloorDivide ||
                       operation == Arithmetic::kModulo;
  if (divides && right == 0) throw Fault("division by zero");
  switch (operation) {
    case Arithmetic::kAdd: return Value::integer(left + right);
    case Arithmetic::kSubtract: return Value::integer(left - right);
    case Arithmetic::kMultiply: {
      Integer product = 0;
      if (__builtin_mul_overflow(left, right, &product))
        throw Fault("an integer lies beyond 64 bits");
      return Value::integer(product);
    }
    case Arithmetic::kDivide: return {divided(left, right)};
    case Arithmetic::kFloorDivide: return Value::integer(floor_quotient(left, right));
    case Arithmetic::kModulo: return Value::integer(left - floor_quotient(left, right) * right);
    case Arithmetic::kPower: return power(left, right);
  }
  throw Fault("unknown operator");
}

Value with_numbers(Arithmetic operation, double left, double right) {
  const bool divides = operation == Arithmetic::kDivide || operation == Arithmetic::kFloorDivide ||
                       operation == Arithmetic::kModulo;
  if (divides && right == 0) throw Fault("division by zero");
  switch (operation) {
    case Arithmetic::kAdd: return {left + right};
    case Arithmetic::kSubtract: return {left - right};
    case Arithmetic::kMultiply: return {left * right};
    case Arithmetic::kDivide: return {left / right};
    case Arithmetic::kFloorDivide: return {floor_quotient(left, right)};
    case Arithmetic::kModulo: return {floor_remainder(left, right)};
    case Arithmetic::kPower: break;
  }
  if (left == 0 && right < 0) throw Fault("zero cannot be raised to a negative power");
  const double out = std::pow(left, right);
  if (std::isnan(out) && !std::isnan(left) && !std::isnan(right)) {
    throw Fault("a root of a negative number");
  }
  if (std::isinf(out) && std::isfinite(left) && std::isfinite(right)) {
    throw Fault("the power is too large for a float");
  }
  return {out};
}

// Exact, as Python compares an int with a float: a long double holds every integer here.
std::partial_ordering order(Integer left, double right) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  return static_cast<long double>(left) <=> static_cast<long double>(right);
}

std::partial_ordering reversed(std::partial_ordering order) { return 0 <=> order; }

// Numbers of any kind; nothing for other values.
std::optional<std::partial_ordering> number_order(const Value& left, const Value& right) {
  const std::optional<Integer> a = as_integer(left);
  const std::optional<Integer> b = as_integer(right);
  const double* x = left.as<double>();
  const double* y = right.as<double>();
  if (a && b) return *a <=> *b;
  if (a && y != nullptr) return order(*a, *y);
  if (x != nullptr && b) return reversed(order(*b, *x));
  if (x != nullptr && y != nullptr) return *x <=> *y;
  return std::nullopt;
}

bool all_equal(const std::vector<Value>& left, const std::vector<Value>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), equal);
}

bool same_pairs(const Pairs& left, const Pairs& right) {
  if (left.items.size() != right.items.size()) return false;
  return std::all_of(left.items.begin(), left.items.end(), [&](const auto& pair) {
    return std::any_of(right.items.begin(), right.items.end(), [&](const auto& other) {
      return equal(pair.first, other.first) && equal(pair.second, other.second);
    });
  });
}

bool same_ranges(const Range& left, const Range& right) {
  if (left.size() != right.size()) return false;
  if (left.size() == 0) return true;
  return left.start == right.start && (left.size() == 1 || left.step == right.step);
}

bool lexicographic_less(const std::vector<Value>& left, const std::vector<Value>& right) {
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (!equal(left[i], right[i])) return less(left[i], right[i]);
  }
  return left.size() < right.size();
}

Value at(const std::vector<Value>& items, Integer index, const Value& owner) {
  const auto size = static_cast<Integer>(items.size());
  const Integer position = index < 0 ? index + size : index;
  if (position < 0 || position >= size) {
    return Value::undefined(fmt::format("there is no element {}: the {} has {}", to_string(index),
                                        owner.type_name(), items.size()));
  }
  return items[static_cast<std::size_t>(position)];
}

Value at(const std::string& text, Integer index) {
  const std::int64_t size = length_of(text);
  const Integer position = index < 0 ? index + size : index;
  if (position < 0 || position >= size) {
    return Value::undefined(
        fmt::format("there is no character {}: the text has {}", to_string(index), size));
  }
  const std::size_t offset = offset_of(text, static_cast<std::int64_t>(position));
  return Value::text(
      text.substr(offset, first_code_point(std::string_view(text).substr(offset)).size));
}

Value at(const Range& range, Integer index) {
  const Integer position = index < 0 ? index + range.size() : index;
  if (position < 0 || position >= range.size()) {
    return Value::undefined(
        fmt::format("there is no element {}: the range has {}", to_string(index), range.size()));
  }
  return {Integer{range.start} + position * range.step};
}

struct SliceBounds {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::int64_t step = 1;

  [[nodiscard]] std::int64_t size() const { return Range{start, stop, step}.size(); }
};

std::optional<Integer> slice_part(const Value& value) {
  if (value.is<None>()) return std::nullopt;
  require_defined(value);
  const std::optional<Integer> number = as_integer(value);
  if (!number) {
    throw Fault(
        fmt::format("the bound of a slice is of type {}, expected an integer", value.type_name()));
  }
  return number;
}

// As Python's slice.indices(size).
SliceBounds slice_bounds(std::int64_t size, const Value& start, const Value& stop,
                         const Value& step) {
  const std::optional<Integer> stride = slice_part(step);
  if (stride && *stride == 0) throw Fault("the step of a slice is zero");
  constexpr Integer kFar = std::numeric_limits<std::int64_t>::max();
  SliceBounds out;
  out.step = static_cast<std::int64_t>(std::clamp<Integer>(stride.value_or(1), -kFar, kFar));
  const bool forward = out.step > 0;
  const Integer lowest = forward ? 0 : -1;
  const Integer highest = forward ? size : size - 1;
  const auto bound = [&](const Value& value, Integer fallback) {
    const std::optional<Integer> given = slice_part(value);
    if (!given) return static_cast<std::int64_t>(fallback);
    const Integer from_front = *given < 0 ? *given + size : *given;
    return static_cast<std::int64_t>(std::clamp(from_front, lowest, highest));
  };
  out.start = bound(start, forward ? lowest : highest);
  out.stop = bound(stop, forward ? highest : lowest);
  return out;
}

std::vector<Value> sliced(const std::vector<Value>& items, const SliceBounds& bounds) {
  std::vector<Value> out;
  const std::int64_t count = bounds.size();
  for (std::int64_t i = 0; i < count; ++i) {
    out.push_back(items[static_cast<std::size_t>(bounds.start + i * bounds.step)]);
  }
  return out;
}

std::string sliced(const std::string& text, const SliceBounds& bounds) {
  if (bounds.step == 1) {
    if (bounds.stop <= bounds.start) return "";
    const std::size_t begin = offset_of(text, bounds.start);
    const std::string_view rest = std::string_view(text).substr(begin);
    return std::string(rest.substr(0, offset_of(rest, bounds.stop - bounds.start)));
  }
  const std::vector<std::string_view> points = code_points(text);
  std::string out;
  const std::int64_t count = bounds.size();
  for (std::int64_t i = 0; i < count; ++i) {
    out += points[static_cast<std::size_t>(bounds.start + i * bounds.step)];
  }
  return out;
}

}  // namespace

std::string_view to_string(Arithmetic operation) {
  return kArithmetic.at(static_cast<std::size_t>(operation));
}

std::string_view to_string(Comparison comparison) {
  return kComparisons.at(static_cast<std::size_t>(comparison));
}

Value arithmetic(Arithmetic operation, const Value& left, const Value& right) {
  for (const Value* value : {&left, &right}) {
    if (const Undefined* undefined = value->as<Undefined>()) throw Fault(*undefined->why);
  }
  if (operation == Arithmetic::kModulo) {
    if (const std::string* format = left.as_text())
      return Value::text(percent_format(*format, right));
  }
  const std::optional<Integer> a = as_integer(left);
  const std::optional<Integer> b = as_integer(right);
  if (a && b) return with_integers(operation, *a, *b);
  const std::optional<double> x = as_number(left);
  const std::optional<double> y = as_number(right);
  if (x && y) return with_numbers(operation, *x, *y);
  if (operation == Arithmetic::kAdd) {
    const std::string* s = left.as_text();
    const std::string* t = right.as_text();
    if (s != nullptr && t != nullptr) {
      TextBuilder out;
      out.append(*s);
      out.append(*t);
      return Value::text(out.take());
    }
    const auto* lists = list_items(left);
    if (lists != nullptr && list_items(right) != nullptr) {
      return concatenated(*lists, *list_items(right), &Value::list);
    }
    const auto* tuples = tuple_items(left);
    if (tuples != nullptr && tuple_items(right) != nullptr) {
      return concatenated(*tuples, *tuple_items(right), &Value::tuple);
    }
  }
  if (operation == Arithmetic::kMultiply) {
    if (std::optional<Value> out = repeat(left, right)) return *out;
    if (std::optional<Value> out = repeat(right, left)) return *out;
  }
  throw unsupported(to_string(operation), left, right);
}

Value negative(const Value& value) {
  require_defined(value);
  if (const std::optional<Integer> number = as_integer(value)) return Value::integer(-*number);
  if (const double* number = value.as<double>()) return {-*number};
  throw Fault(fmt::format("'-' is not defined for {}", value.type_name()));
}

Value positive(const Value& value) {
  require_defined(value);
  if (const std::optional<Integer> number = as_integer(value)) return {*number};
  if (value.is<double>()) return value;
  throw Fault(fmt::format("'+' is not defined for {}", value.type_name()));
}

bool equal(const Value& left, const Value& right) {
  require_defined(left);
  require_defined(right);
  if (const auto order = number_order(left, right)) return *order == 0;
  if (left.variant().index() != right.variant().index()) return false;
  if (const std::string* text = left.as_text()) return *text == *right.as_text();
  if (const auto* items = list_items(left)) return all_equal(*items, *list_items(right));
  if (const auto* items = tuple_items(left)) return all_equal(*items, *tuple_items(right));
  if (const Dict* dict = left.as<Dict>()) return same_pairs(*dict->pairs, *right.as<Dict>()->pairs);
  if (const Range* range = left.as<Range>()) return same_ranges(*range, *right.as<Range>());
  if (left.is<None>() || left.is<Undefined>()) return true;
  throw Fault(fmt::format("values of type {} cannot be compared", left.type_name()));
}

bool less(const Value& left, const Value& right) {
  require_defined(left);
  require_defined(right);
  if (const auto order = number_order(left, right)) return *order < 0;
  const std::string* s = left.as_text();
  const std::string* t = right.as_text();
  // UTF-8 sorts as its code points do
  if (s != nullptr && t != nullptr) return *s < *t;
  const auto* lists = list_items(left);
  if (lists != nullptr && list_items(right) != nullptr) {
    return lexicographic_less(*lists, *list_items(right));
  }
  const auto* tuples = tuple_items(left);
  if (tuples != nullptr && tuple_items(right) != nullptr) {
    return lexicographic_less(*tuples, *tuple_items(right));
  }
  throw unsupported("<", left, right);
}

bool contains(const Value& container, const Value& item) {
  if (const std::string* text = container.as_text()) {
    const std::string* part = item.as_text();
    if (part == nullptr) throw unsupported("in", item, container);
    return text->find(*part) != std::string::npos;
  }
  if (const Dict* dict = container.as<Dict>()) {
    require_hashable(item);
    return std::any_of(dict->pairs->items.begin(), dict->pairs->items.end(),
                       [&](const auto& pair) { return equal(pair.first, item); });
  }
  const Walk elements = iterate(container);
  return std::any_of(elements.begin(), elements.end(),
                     [&](const Value& element) { return equal(element, item); });
}

bool compare(Comparison comparison, const Value& left, const Value& right) {
  switch (comparison) {
    case Comparison::kEqual: return equal(left, right);
    case Comparison::kNotEqual: return !equal(left, right);
    case Comparison::kIn: return contains(right, left);
    case Comparison::kNotIn: return !contains(right, left);
    default: break;
  }
  require_defined(left);
  require_defined(right);
  if (const auto order = number_order(left, right)) {
    if (comparison == Comparison::kLess) return *order < 0;
    if (comparison == Comparison::kLessEqual) return *order <= 0;
    if (comparison == Comparison::kGreater) return *order > 0;
    return *order >= 0;
  }
  if (comparison == Comparison::kLess) return less(left, right);
  if (comparison == Comparison::kGreater) return less(right, left);
  // Behind numbers no value is incomparable with itself.
  if (comparison == Comparison::kLessEqual) return less(left, right) || equal(left, right);
  return less(right, left) || equal(left, right);
}

std::int64_t length(const Value& value) {
  require_defined(value);
  if (value.is<Undefined>()) return 0;
  if (const std::string* text = value.as_text()) return length_of(*text);
  if (const Bytes* bytes = value.as<Bytes>()) return bytes->size;
  if (const List* list = value.as<List>()) return std::ssize(list->elements->items);
  if (const Tuple* tuple = value.as<Tuple>()) return std::ssize(tuple->elements->items);
  if (const View* view = value.as<View>()) return std::ssize(view->elements->items);
  if (const Dict* dict = value.as<Dict>()) return std::ssize(dict->pairs->items);
  if (const Range* range = value.as<Range>()) return range->size();
  throw Fault(fmt::format("a value of type {} has no length{}", value.type_name(),
                          value.is<Iterator>() ? "; put |list in front" : ""));
}

Value item(const Value& value, const Value& index) {
  if (const Undefined* undefined = value.as<Undefined>()) throw Fault(*undefined->why);
  require_defined(index);
  if (const Dict* dict = value.as<Dict>()) {
    require_hashable(index);
    for (const auto& [key, found] : dict->pairs->items) {
      if (equal(key, index)) return found;
    }
    return Value::undefined(fmt::format("the dict has no key {}", repr(index)));
  }
  const std::optional<Integer> position = as_integer(index);
  if (position) {
    if (const List* list = value.as<List>()) return at(list->elements->items, *position, value);
    if (const Tuple* tuple = value.as<Tuple>()) return at(tuple->elements->items, *position, value);
    if (const std::string* text = value.as_text()) return at(*text, *position);
    if (const Range* range = value.as<Range>()) return at(*range, *position);
  }
  return Value::undefined(
      fmt::format("a value of type {} has no element {}", value.type_name(), repr(index)));
}

Value slice(const Value& value, const Value& start, const Value& stop, const Value& step) {
  if (const Undefined* undefined = value.as<Undefined>()) throw Fault(*undefined->why);
  if (const std::string* text = value.as_text()) {
    return Value::text(sliced(*text, slice_bounds(length_of(*text), start, stop, step)));
  }
  if (const auto* items = list_items(value)) {
    return Value::list(sliced(*items, slice_bounds(std::ssize(*items), start, stop, step)));
  }
  if (const auto* items = tuple_items(value)) {
    return Value::tuple(sliced(*items, slice_bounds(std::ssize(*items), start, stop, step)));
  }
  if (const Range* range = value.as<Range>()) {
    const SliceBounds bounds = slice_bounds(range->size(), start, stop, step);
    return {Range{.start = range->start + bounds.start * range->step,
                  .stop = range->start + bounds.stop * range->step,
                  .step = bounds.step * range->step}};
  }
  throw Fault(fmt::format("a value of type {} has no slices", value.type_name()));
}

std::optional<Integer> as_integer(const Value& value) {
  if (const Integer* number = value.as<Integer>()) return *number;
  if (const bool* flag = value.as<bool>()) return *flag ? 1 : 0;
  return std::nullopt;
}

std::int64_t require_integer(const Value& value, std::string_view what) {
  require_defined(value);
  const std::optional<Integer> number = as_integer(value);
  if (!number) {
    throw Fault(fmt::format("{} is of type {}, expected an integer", what, value.type_name()));
  }
  if (*number > std::numeric_limits<std::int64_t>::max()) {
    throw Fault(fmt::format("{} is {}, too large", what, to_string(*number)));
  }
  return static_cast<std::int64_t>(*number);
}

const std::string& require_text(const Value& value, std::string_view what) {
  require_defined(value);
  const std::string* text = value.as_text();
  if (text == nullptr) {
    throw Fault(fmt::format("{} is of type {}, expected text", what, value.type_name()));
  }
  return *text;
}

std::optional<double> as_number(const Value& value) {
  if (const double* number = value.as<double>()) return *number;
  if (const std::optional<Integer> number = as_integer(value)) return static_cast<double>(*number);
  return std::nullopt;
}

void require_hashable(const Value& value) {
  require_defined(value);
  if (const Tuple* tuple = value.as<Tuple>()) {
    for (const Value& element : tuple->elements->items) require_hashable(element);
    return;
  }
  const bool is_plain = value.is<None>() || as_number(value) || value.as_text() != nullptr;
  if (!is_plain) {
    throw Fault(fmt::format("a value of type {} cannot be the key of a dict", value.type_name()));
  }
}

}  // namespace yardstick::tasks::jinja
