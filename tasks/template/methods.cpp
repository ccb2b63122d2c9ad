#include "tasks/template/methods.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tasks/template/operators.hpp"

namespace yardstick::tasks::jinja {
namespace {

constexpr auto kTextAttributes = std::to_array<std::string_view>(
    {"capitalize", "casefold",    "center",    "count",      "encode",       "endswith",
     "expandtabs", "find",        "format",    "format_map", "index",        "isalnum",
     "isalpha",    "isascii",     "isdecimal", "isdigit",    "isidentifier", "islower",
     "isnumeric",  "isprintable", "isspace",   "istitle",    "isupper",      "join",
     "ljust",      "lower",       "lstrip",    "maketrans",  "partition",    "removeprefix",
     "replace",    "rfind",       "rindex",    "rjust",      "rpartition",   "removesuffix",
     "rsplit",     "rstrip",      "split",     "splitlines", "startswith",   "strip",
     "swapcase",   "title",       "translate", "upper",      "zfill"});
constexpr auto kListAttributes =
    std::to_array<std::string_view>({"append", "clear", "copy", "count", "extend", "index",
                                     "insert", "pop", "remove", "reverse", "sort"});
constexpr auto kTupleAttributes = std::to_array<std::string_view>({"count", "index"});
constexpr auto kDictAttributes =
    std::to_array<std::string_view>({"clear", "copy", "fromkeys", "get", "items", "keys", "pop",
                                     "popitem", "setdefault", "update", "values"});
constexpr auto kNumberAttributes = std::to_array<std::string_view>(
    {"real", "imag", "numerator", "denominator", "conjugate", "bit_length", "bit_count",
     "as_integer_ratio", "to_bytes", "from_bytes", "is_integer", "hex", "fromhex", "from_number"});
constexpr auto kRangeAttributes =
    std::to_array<std::string_view>({"start", "stop", "step", "count", "index"});

std::span<const std::string_view> attributes_of(const Value& value) {
  if (value.as_text() != nullptr) return kTextAttributes;
  if (value.is<List>()) return kListAttributes;
  if (value.is<Tuple>()) return kTupleAttributes;
  if (value.is<Dict>()) return kDictAttributes;
  if (value.is<Range>()) return kRangeAttributes;
  if (as_number(value)) return kNumberAttributes;
  return {};
}

std::span<const Callable> methods_of(const Value& value) {
  if (value.as_text() != nullptr) return text_methods();
  if (value.is<List>() || value.is<Tuple>()) return sequence_methods();
  if (value.is<Dict>()) return dict_methods();
  if (value.is<Loop>()) return loop_methods();
  return {};
}

}  // namespace

bool is_method(std::string_view name) {
  for (const auto table : {text_methods(), sequence_methods(), dict_methods(), loop_methods()}) {
    if (find(table, name) != nullptr) return true;
  }
  return false;
}

std::vector<std::string> method_names() {
  std::vector<std::string> out;
  for (const auto table : {text_methods(), sequence_methods(), dict_methods(), loop_methods()}) {
    for (const Callable& method : table) out.emplace_back(method.name);
  }
  return out;
}

bool is_python_attribute(const Value& value, std::string_view name) {
  const std::span<const std::string_view> names = attributes_of(value);
  return std::find(names.begin(), names.end(), name) != names.end();
}

Value call_method(const Value& object, std::string_view name, const Arguments& arguments,
                  Budget& budget) {
  if (const Undefined* undefined = object.as<Undefined>()) throw Fault(*undefined->why);
  const Callable* method = find(methods_of(object), name);
  if (method == nullptr) {
    throw Fault(
        fmt::format("a value of type {} has no method '{}' here", object.type_name(), name));
  }
  return invoke(*method, object, arguments, budget);
}

}  // namespace yardstick::tasks::jinja
