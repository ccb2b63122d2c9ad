#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "tasks/template/attribute_path.hpp"
#include "tasks/template/code_points.hpp"
#include "tasks/template/filters.hpp"
#include "tasks/template/operators.hpp"
#include "tasks/template/python_text.hpp"

namespace yardstick::tasks::jinja {
namespace {

using Call = Invocation;

AttributePath path_in(const Call& call, std::size_t i) {
  return call.has(i) ? AttributePath(call.get(i)) : AttributePath();
}

// What each element is compared by: argument `case_at` says whether case counts, `path_at` which
// attribute it is.
std::vector<Value> keys_of(const Call& call, const Walk& items, std::size_t case_at,
                           std::size_t path_at) {
  const AttributePath path = path_in(call, path_at);
  std::vector<Value> keys;
  for (const Value& element : items) {
    Value key = path.of(element);
    keys.push_back(call.is_true(case_at) ? std::move(key) : without_case(key));
  }
  return keys;
}

Value length_filter(const Call& call) { return {Integer{length(call.subject)}}; }

Value join(const Call& call) {
  const std::string separator = call.has(0) ? str(call.get(0)) : "";
  const AttributePath path = path_in(call, 1);
  TextBuilder out;
  bool is_first = true;
  for (const Value& element : iterate(call.subject)) {
    if (!is_first) out.append(separator);
    is_first = false;
    out.append(str(path.of(element)));
  }
  return Value::text(out.take());
}

Value list(const Call& call) { return Value::list(iterate(call.subject).copy()); }

Value first(const Call& call) {
  const auto elements = iterate(call.subject);
  if (elements.empty()) return Value::undefined("there is no first element: it is empty");
  return elements[0];
}

void require_reversible(const Value& value) {
  if (value.is<Iterator>())
    throw Fault("what map, select and the like give has no end yet; put |list in front");
}

Value last(const Call& call) {
  require_reversible(call.subject);
  const auto elements = iterate(call.subject);
  if (elements.empty()) return Value::undefined("there is no last element: it is empty");
  return elements[elements.size() - 1];
}

Value reverse(const Call& call) {
  if (const std::string* text = call.subject.as_text()) {
    const std::vector<std::string_view> points = code_points(*text);
    std::string out;
    std::for_each(points.rbegin(), points.rend(), [&](std::string_view c) { out += c; });
    return Value::text(std::move(out));
  }
  const auto elements = iterate(call.subject);
  std::vector<Value> items(std::make_reverse_iterator(elements.end()),
                           std::make_reverse_iterator(elements.begin()));
  if (call.subject.is<Iterator>()) return Value::list(std::move(items));
  return Value::iterator(std::move(items));
}

enum class Order { kAscending, kDescending };

// The order that the call's argument `reverse`, at this place, asks for.
Order order_in(const Call& call, std::size_t reverse) {
  return call.is_true(reverse) ? Order::kDescending : Order::kAscending;
}

// Indices of `keys` in order; equal ones keep theirs.
std::vector<std::size_t> order_of(const Call& call, const std::vector<Value>& keys, Order wanted) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::size_t low = wanted == Order::kDescending ? b : a;
    const std::size_t high = wanted == Order::kDescending ? a : b;
    call.budget.spend(1 + std::min(keys[low].weight(), keys[high].weight()));
    return less(keys[low], keys[high]);
  });
  return order;
}

Value sort(const Call& call) {
  const auto elements = iterate(call.subject);
  std::vector<Value> keys;
  // Python compares lists of one attribute: values that are equal need no order.
  for (Value& key : keys_of(call, elements, 1, 2)) {
    require_defined(key);
    keys.push_back(Value::tuple({std::move(key)}));
  }
  std::vector<Value> out;
  for (const std::size_t i : order_of(call, keys, order_in(call, 0))) {
    out.push_back(elements[i]);
  }
  return Value::list(std::move(out));
}

Value dictsort(const Call& call) {
  const Dict* dict = call.subject.as<Dict>();
  if (dict == nullptr)
    throw Fault(fmt::format("dictsort expects a dict, found {}", call.subject.type_name()));
  const std::string by = call.text(1, "key");
  if (by != "key" && by != "value") {
    throw Fault(fmt::format("dictsort sorts by '{}', expected key or value", by));
  }
  std::vector<Value> keys;
  for (const auto& [key, value] : dict->pairs->items) {
    const Value& chosen = by == "key" ? key : value;
    keys.push_back(call.is_true(0) ? chosen : without_case(chosen));
  }
  std::vector<Value> out;
  for (const std::size_t i : order_of(call, keys, order_in(call, 2))) {
    out.push_back(Value::tuple({dict->pairs->items[i].first, dict->pairs->items[i].second}));
  }
  return Value::list(std::move(out));
}

Value unique(const Call& call) {
  const auto elements = iterate(call.subject);
  const std::vector<Value> keys = keys_of(call, elements, 0, 1);
  std::vector<const Value*> seen;
  std::vector<Value> out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    require_hashable(keys[i]);
    call.budget.spend(1 + seen.size());
    const bool is_new = std::none_of(seen.begin(), seen.end(),
                                     [&](const Value* other) { return equal(*other, keys[i]); });
    if (!is_new) continue;
    seen.push_back(&keys[i]);
    out.push_back(elements[i]);
  }
  return Value::iterator(std::move(out));
}

template <bool (*kBefore)(const Value&, const Value&)>
Value extreme(const Call& call) {
  const auto elements = iterate(call.subject);
  if (elements.empty())
    return Value::undefined("there is no least or largest element: it is empty");
  const std::vector<Value> keys = keys_of(call, elements, 0, 1);
  std::size_t best = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (kBefore(keys[i], keys[best])) best = i;
  }
  return elements[best];
}

bool is_less(const Value& a, const Value& b) { return less(a, b); }
bool is_greater(const Value& a, const Value& b) { return less(b, a); }

// Python (from 3.12 on) adds floats with Neumaier's correction.
class Sum {
 public:
  explicit Sum(Value start) : total_(std::move(start)) {}

  void add(const Value& value) {
    const std::optional<double> number = as_number(value);
    if (number && total_.is<double>()) {
      const double before = *total_.as<double>();
      const double after = before + *number;
      if (value.is<double>()) {
        correction_ += std::fabs(before) >= std::fabs(*number) ? (before - after) + *number
                                                               : (*number - after) + before;
      }
      total_ = Value(after);
      return;
    }
    total_ = arithmetic(Arithmetic::kAdd, total(), value);
    correction_ = 0;
  }

  [[nodiscard]] Value total() const {
    const bool is_corrected = total_.is<double>() && correction_ != 0 && std::isfinite(correction_);
    return is_corrected ? Value(*total_.as<double>() + correction_) : total_;
  }

 private:
  Value total_;
  double correction_ = 0;
};

Value sum(const Call& call) {
  const AttributePath path = path_in(call, 0);
  Value start = call.has(1) ? call.get(1) : Value(Integer{0});
  if (start.as_text() != nullptr)
    throw Fault("sum expects numbers or lists, found a text; use join");
  Sum out(std::move(start));
  for (const Value& element : iterate(call.subject)) {
    call.budget.spend(1 + element.weight());
    out.add(path.of(element));
    if (!as_number(out.total())) call.budget.spend(out.total().weight());
  }
  return out.total();
}

Value batch(const Call& call) {
  const std::int64_t count = call.integer(0, 0);
  std::vector<Value> out;
  std::vector<Value> row;
  const auto size = [&] { return std::ssize(row); };
  for (const Value& element : iterate(call.subject)) {
    // Python yields an empty list first where the count is 0, and one list where it is negative.
    if (size() == count) {
      out.push_back(Value::list(std::move(row)));
      row.clear();
    }
    row.push_back(element);
  }
  if (!row.empty()) {
    const bool fills = call.has(1) && !call.get(1).is<None>();
    if (fills && count > static_cast<std::int64_t>(kMaxElements))
      throw Fault("the count of batch is too large");
    while (fills && size() < count) row.push_back(call.get(1));
    out.push_back(Value::list(std::move(row)));
  }
  return Value::iterator(std::move(out));
}

Value items(const Call& call) {
  std::vector<Value> out;
  const Dict* dict = call.subject.as<Dict>();
  if (dict == nullptr && !call.subject.is<Undefined>()) {
    throw Fault(fmt::format("items expects a dict, found {}", call.subject.type_name()));
  }
  if (dict != nullptr) {
    for (const auto& [key, value] : dict->pairs->items) out.push_back(Value::tuple({key, value}));
  }
  return Value::iterator(std::move(out));
}

Value default_filter(const Call& call) {
  const bool is_missing =
      call.subject.is<Undefined>() || (call.is_true(1) && !call.subject.truth());
  if (!is_missing) return call.subject;
  return call.has(0) ? call.get(0) : Value::text("");
}

constexpr auto kFilters = std::to_array<Callable>({
    {"length", {}, 0, &length_filter},
    {"count", {}, 0, &length_filter},
    {"join", {"d", "attribute"}, 0, &join},
    {"list", {}, 0, &list},
    {"first", {}, 0, &first},
    {"last", {}, 0, &last},
    {"reverse", {}, 0, &reverse},
    {"sort", {"reverse", "case_sensitive", "attribute"}, 0, &sort},
    {"dictsort", {"case_sensitive", "by", "reverse"}, 0, &dictsort},
    {"unique", {"case_sensitive", "attribute"}, 0, &unique},
    {"min", {"case_sensitive", "attribute"}, 0, &extreme<is_less>},
    {"max", {"case_sensitive", "attribute"}, 0, &extreme<is_greater>},
    {"sum", {"attribute", "start"}, 0, &sum},
    {"batch", {"linecount", "fill_with"}, 1, &batch},
    {"items", {}, 0, &items},
    {"default", {"default_value", "boolean"}, 0, &default_filter},
    {"d", {"default_value", "boolean"}, 0, &default_filter},
});

}  // namespace

std::span<const Callable> list_filters() { return kFilters; }

}  // namespace yardstick::tasks::jinja
