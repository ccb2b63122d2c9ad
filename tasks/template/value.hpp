// A value of a template, as Python has it. Immutable (namespaces live in the renderer), cheap to
// copy, without cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

namespace yardstick::tasks::jinja {

class Value;
struct MacroDefinition;

/// Between -2^63 and 2^64 - 1; see checked_integer().
__extension__ typedef __int128 Integer;

/// A name, attribute or element that is not there. Using a strict one is an error.
struct Undefined {
  enum class Use { kStrict, kEmpty };  ///< kEmpty: an inline if without else, which prints nothing
  std::shared_ptr<const std::string> why;
  Use use = Use::kStrict;
};
struct None {};
struct Text {
  std::shared_ptr<const std::string> bytes;  ///< UTF-8
};
/// Encoded text. Templates only ask for its length.
struct Bytes {
  std::int64_t size = 0;
};
struct Elements {
  std::vector<Value> items;
  std::size_t weight = 0;
  int nesting = 0;
};
struct List {
  std::shared_ptr<const Elements> elements;
};
struct Tuple {
  std::shared_ptr<const Elements> elements;
};
/// keys(), values() or items() of a dict.
struct View {
  std::string_view name;  ///< "dict_keys"
  std::shared_ptr<const Elements> elements;
};
/// What map, select, ... give: to be walked through once.
struct Iterator {
  struct State {
    Elements elements;
    mutable bool used = false;
  };
  std::shared_ptr<const State> state;
};
struct Pairs {
  std::vector<std::pair<Value, Value>> items;  ///< in order of insertion, keys differ
  std::size_t weight = 0;
  int nesting = 0;
};
struct Dict {
  std::shared_ptr<const Pairs> pairs;
};
struct Range {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::int64_t step = 1;

  [[nodiscard]] std::int64_t size() const;
};
struct Namespace {
  std::size_t index = 0;  ///< in the renderer
};
/// The variable `loop` in one step of a loop.
struct Loop {
  std::shared_ptr<const Elements> items;
  std::size_t index0 = 0;
};
struct Macro {
  const MacroDefinition* definition = nullptr;
};
/// range, dict, namespace.
struct Function {
  std::string_view name;
};

class Value {
 public:
  using Variant = std::variant<Undefined, None, bool, Integer, double, Text, Bytes, List, Tuple,
                               View, Iterator, Dict, Range, Namespace, Loop, Macro, Function>;

  Value() : variant_(None{}) {}
  Value(Variant variant) : variant_(std::move(variant)) {}  // NOLINT: a Value is its variant

  [[nodiscard]] static Value undefined(std::string why);
  [[nodiscard]] static Value text(std::string bytes);
  /// @throws Fault beyond -2^63 ... 2^64 - 1.
  [[nodiscard]] static Value integer(Integer value);
  [[nodiscard]] static Value size(std::size_t value);
  /// @throws Fault for values that are nested too deeply or too large.
  [[nodiscard]] static Value list(std::vector<Value> items);
  [[nodiscard]] static Value tuple(std::vector<Value> items);
  [[nodiscard]] static Value view(std::string_view name, std::vector<Value> items);
  [[nodiscard]] static Value iterator(std::vector<Value> items);
  /// `pairs` may repeat a key; the last one counts. @throws Fault for a key that has no hash.
  [[nodiscard]] static Value dict(std::vector<std::pair<Value, Value>> pairs);

  [[nodiscard]] static Value from_json(const nlohmann::ordered_json& json);
  /// Tuples, ranges and iterators become arrays. @throws Fault for what JSON has not.
  [[nodiscard]] nlohmann::ordered_json to_json() const;

  [[nodiscard]] const Variant& variant() const { return variant_; }
  template <typename T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&variant_);
  }
  template <typename T>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<T>(variant_);
  }
  /// The bytes of a text, else null.
  [[nodiscard]] const std::string* as_text() const {
    const Text* text = as<Text>();
    return text != nullptr ? text->bytes.get() : nullptr;
  }

  /// Python's name of the type: "str", "NoneType".
  [[nodiscard]] std::string type_name() const;
  /// Python's bool(). @throws Fault for a strict undefined value.
  [[nodiscard]] bool truth() const;
  /// Values and bytes of text in it, each as often as it is printed.
  [[nodiscard]] std::size_t weight() const;
  /// Levels of lists and dicts in it: 0 for a number or text.
  [[nodiscard]] int nesting() const;

 private:
  Variant variant_;
};

/// Throws what a strict undefined value says; a lenient one passes.
void require_defined(const Value& value);

/// Elements to walk through, kept alive by it.
class Walk {
 public:
  explicit Walk(std::shared_ptr<const Elements> elements) : elements_(std::move(elements)) {}

  [[nodiscard]] auto begin() const { return elements_->items.begin(); }
  [[nodiscard]] auto end() const { return elements_->items.end(); }
  [[nodiscard]] std::size_t size() const { return elements_->items.size(); }
  [[nodiscard]] bool empty() const { return elements_->items.empty(); }
  [[nodiscard]] const Value& operator[](std::size_t i) const { return elements_->items[i]; }
  [[nodiscard]] std::vector<Value> copy() const { return elements_->items; }
  [[nodiscard]] const std::shared_ptr<const Elements>& elements() const { return elements_; }

 private:
  std::shared_ptr<const Elements> elements_;
};

/// What a for loop visits: the elements of a list, tuple or view, the keys of a dict, the code
/// points of a text, the numbers of a range, or an iterator, which is used up.
/// @throws Fault for other values.
[[nodiscard]] Walk iterate(const Value& value);

/// Makes elements that share nothing else. @throws Fault as Value::list().
[[nodiscard]] Elements make_elements(std::vector<Value> items);

}  // namespace yardstick::tasks::jinja
