#include "tasks/template/value.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "tasks/template/code_points.hpp"
#include "tasks/template/limits.hpp"
#include "tasks/template/operators.hpp"

namespace yardstick::tasks::jinja {
namespace {

template <typename T>
constexpr bool kHasElements =
    std::is_same_v<T, List> || std::is_same_v<T, Tuple> || std::is_same_v<T, View>;

// Where a value with parts counts them: their weight and their nesting.
struct Measure {
  std::size_t weight = 1;
  int nesting = 0;

  void add(const Value& part) {
    weight += part.weight();
    nesting = std::max(nesting, part.nesting());
    if (weight > kMaxWeight) throw Fault("the value is too large (more than 2^26 parts)");
    if (nesting >= kMaxNesting) {
      throw Fault(fmt::format("lists and dicts are nested more than {} deep", kMaxNesting));
    }
  }
};

template <typename Items>
nlohmann::ordered_json array(const Items& items) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Value& item : items) out.push_back(item.to_json());
  return out;
}

nlohmann::ordered_json object(const Pairs& pairs) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [key, value] : pairs.items) {
    const std::string* name = key.as_text();
    if (name == nullptr) {
      throw Fault(fmt::format("a key of the dict is of type {}, expected text", key.type_name()));
    }
    out[*name] = value.to_json();
  }
  return out;
}

Value from_json_at(const nlohmann::ordered_json& json, int level) {
  if (level > kMaxNesting) {
    throw Fault(fmt::format("the document is nested more than {} deep", kMaxNesting));
  }
  if (json.is_boolean()) return {json.get<bool>()};
  if (json.is_number_unsigned()) return {Integer{json.get<std::uint64_t>()}};
  if (json.is_number_integer()) return {Integer{json.get<std::int64_t>()}};
  if (json.is_number()) return {json.get<double>()};
  if (json.is_string()) return Value::text(json.get_ref<const std::string&>());
  if (json.is_array()) {
    std::vector<Value> items;
    items.reserve(json.size());
    for (const auto& element : json) items.push_back(from_json_at(element, level + 1));
    return Value::list(std::move(items));
  }
  if (json.is_object()) {
    auto pairs = std::make_shared<Pairs>();
    Measure measure;
    for (const auto& [key, element] : json.items()) {
      pairs->items.emplace_back(Value::text(key), from_json_at(element, level + 1));
      measure.add(pairs->items.back().first);
      measure.add(pairs->items.back().second);
    }
    pairs->weight = measure.weight;
    pairs->nesting = measure.nesting + 1;
    return {Dict{std::move(pairs)}};
  }
  return {};
}

}  // namespace

std::int64_t Range::size() const {
  const Integer span = step > 0 ? Integer{stop} - start : Integer{start} - stop;
  const Integer stride = step > 0 ? Integer{step} : -Integer{step};
  return span <= 0 ? 0 : static_cast<std::int64_t>((span + stride - 1) / stride);
}

Value Value::undefined(std::string why) {
  return {Undefined{std::make_shared<const std::string>(std::move(why)), Undefined::Use::kStrict}};
}

Value Value::text(std::string bytes) {
  return {Text{std::make_shared<const std::string>(std::move(bytes))}};
}

Value Value::integer(Integer value) {
  if (value < std::numeric_limits<std::int64_t>::min() ||
      value > std::numeric_limits<std::uint64_t>::max()) {
    throw Fault("an integer lies beyond 64 bits");
  }
  return {value};
}

Value Value::size(std::size_t value) { return {Integer{value}}; }

Elements make_elements(std::vector<Value> items) {
  if (items.size() > kMaxElements) {
    throw Fault(
        fmt::format("a list of {} elements; at most {} are allowed", items.size(), kMaxElements));
  }
  Measure measure;
  for (const Value& item : items) measure.add(item);
  return {.items = std::move(items), .weight = measure.weight, .nesting = measure.nesting + 1};
}

Value Value::list(std::vector<Value> items) {
  return {List{std::make_shared<const Elements>(make_elements(std::move(items)))}};
}

Value Value::tuple(std::vector<Value> items) {
  return {Tuple{std::make_shared<const Elements>(make_elements(std::move(items)))}};
}

Value Value::view(std::string_view name, std::vector<Value> items) {
  return {View{name, std::make_shared<const Elements>(make_elements(std::move(items)))}};
}

Value Value::iterator(std::vector<Value> items) {
  auto state = std::make_shared<Iterator::State>();
  state->elements = make_elements(std::move(items));
  return {Iterator{std::move(state)}};
}

Value Value::dict(std::vector<std::pair<Value, Value>> given) {
  if (given.size() > 1000) throw Fault("a dict of more than 1000 keys is not supported");
  auto pairs = std::make_shared<Pairs>();
  for (auto& [key, value] : given) {
    require_hashable(key);
    const auto same = std::find_if(pairs->items.begin(), pairs->items.end(),
                                   [&](const auto& pair) { return equal(pair.first, key); });
    if (same != pairs->items.end()) {
      same->second = std::move(value);
    } else {
      pairs->items.emplace_back(std::move(key), std::move(value));
    }
  }
  Measure measure;
  for (const auto& [key, value] : pairs->items) {
    measure.add(key);
    measure.add(value);
  }
  pairs->weight = measure.weight;
  pairs->nesting = measure.nesting + 1;
  return {Dict{std::move(pairs)}};
}

Value Value::from_json(const nlohmann::ordered_json& json) { return from_json_at(json, 0); }

nlohmann::ordered_json Value::to_json() const {
  return std::visit(
      [&](const auto& value) -> nlohmann::ordered_json {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, None>) {
          return nullptr;
        } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double>) {
          return value;
        } else if constexpr (std::is_same_v<T, Integer>) {
          if (value > std::numeric_limits<std::int64_t>::max()) {
            return static_cast<std::uint64_t>(value);
          }
          return static_cast<std::int64_t>(value);
        } else if constexpr (std::is_same_v<T, Text>) {
          return *value.bytes;
        } else if constexpr (kHasElements<T>) {
          return array(value.elements->items);
        } else if constexpr (std::is_same_v<T, Dict>) {
          return object(*value.pairs);
        } else if constexpr (std::is_same_v<T, Range> || std::is_same_v<T, Iterator>) {
          return array(iterate(*this));
        } else {
          require_defined(*this);
          throw Fault(fmt::format("a value of type {} is no data", type_name()));
        }
      },
      variant_);
}

std::string Value::type_name() const {
  struct Names {
    std::string operator()(const Undefined&) const { return "Undefined"; }
    std::string operator()(const None&) const { return "NoneType"; }
    std::string operator()(bool) const { return "bool"; }
    std::string operator()(Integer) const { return "int"; }
    std::string operator()(double) const { return "float"; }
    std::string operator()(const Text&) const { return "str"; }
    std::string operator()(const Bytes&) const { return "bytes"; }
    std::string operator()(const List&) const { return "list"; }
    std::string operator()(const Tuple&) const { return "tuple"; }
    std::string operator()(const View& view) const { return std::string(view.name); }
    std::string operator()(const Iterator&) const { return "generator"; }
    std::string operator()(const Dict&) const { return "dict"; }
    std::string operator()(const Range&) const { return "range"; }
    std::string operator()(const Namespace&) const { return "namespace"; }
    std::string operator()(const Loop&) const { return "loop"; }
    std::string operator()(const Macro&) const { return "macro"; }
    std::string operator()(const Function&) const { return "function"; }
  };
  return std::visit(Names{}, variant_);
}

bool Value::truth() const {
  require_defined(*this);
  return std::visit(
      [](const auto& value) -> bool {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Undefined> || std::is_same_v<T, None>) {
          return false;
        } else if constexpr (std::is_same_v<T, bool>) {
          return value;
        } else if constexpr (std::is_same_v<T, Integer> || std::is_same_v<T, double>) {
          return value != 0;
        } else if constexpr (std::is_same_v<T, Text>) {
          return !value.bytes->empty();
        } else if constexpr (std::is_same_v<T, Bytes>) {
          return value.size != 0;
        } else if constexpr (kHasElements<T>) {
          return !value.elements->items.empty();
        } else if constexpr (std::is_same_v<T, Dict>) {
          return !value.pairs->items.empty();
        } else if constexpr (std::is_same_v<T, Range>) {
          return value.size() != 0;
        } else {
          return true;
        }
      },
      variant_);
}

std::size_t Value::weight() const {
  return std::visit(
      [](const auto& value) -> std::size_t {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Text>) {
          return value.bytes->size() + 1;
        } else if constexpr (kHasElements<T>) {
          return value.elements->weight;
        } else if constexpr (std::is_same_v<T, Iterator>) {
          return value.state->elements.weight;
        } else if constexpr (std::is_same_v<T, Dict>) {
          return value.pairs->weight;
        } else if constexpr (std::is_same_v<T, Loop>) {
          return value.items->weight;
        } else {
          return 1;
        }
      },
      variant_);
}

int Value::nesting() const {
  return std::visit(
      [](const auto& value) -> int {
        using T = std::decay_t<decltype(value)>;
        if constexpr (kHasElements<T>) {
          return value.elements->nesting;
        } else if constexpr (std::is_same_v<T, Iterator>) {
          return value.state->elements.nesting;
        } else if constexpr (std::is_same_v<T, Dict>) {
          return value.pairs->nesting;
        } else if constexpr (std::is_same_v<T, Loop>) {
          return value.items->nesting + 1;
        } else {
          return 0;
        }
      },
      variant_);
}

void require_defined(const Value& value) {
  const Undefined* undefined = value.as<Undefined>();
  if (undefined != nullptr && undefined->use == Undefined::Use::kStrict) {
    throw Fault(*undefined->why);
  }
}

Walk iterate(const Value& value) {
  require_defined(value);
  std::vector<Value> items;
  if (const List* list = value.as<List>()) return Walk(list->elements);
  if (const Tuple* tuple = value.as<Tuple>()) return Walk(tuple->elements);
  if (const View* view = value.as<View>()) return Walk(view->elements);
  if (const Iterator* iterator = value.as<Iterator>()) {
    if (iterator->state->used) {
      throw Fault("what map, select and the like give can be used once; put |list behind it");
    }
    iterator->state->used = true;
    return Walk({iterator->state, &iterator->state->elements});
  }
  if (const Dict* dict = value.as<Dict>()) {
    for (const auto& [key, unused] : dict->pairs->items) items.push_back(key);
  } else if (const std::string* text = value.as_text()) {
    for (const std::string_view c : code_points(*text)) {
      items.push_back(Value::text(std::string(c)));
      if (items.size() > kMaxElements) break;
    }
  } else if (const Range* range = value.as<Range>()) {
    if (range->size() > static_cast<std::int64_t>(kMaxElements)) {
      throw Fault(fmt::format("a range of {} numbers; at most {} are allowed", range->size(),
                              kMaxElements));
    }
    for (std::int64_t i = 0; i < range->size(); ++i) {
      items.push_back({Integer{range->start} + Integer{i} * range->step});
    }
  } else if (!value.is<Undefined>()) {
    throw Fault(
        fmt::format("a value of type {} cannot be iterated over; expected a list, dict, "
                    "text or range",
                    value.type_name()));
  }
  return Walk(std::make_shared<const Elements>(make_elements(std::move(items))));
}

}  // namespace yardstick::tasks::jinja
