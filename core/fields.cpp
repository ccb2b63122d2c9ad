#include "core/fields.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace yardstick {
namespace {

std::string shorten(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

std::string join(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

const nlohmann::json& object_at(const Located& located, const std::string& pointer,
                                const std::string& what) {
  const nlohmann::json& value = located.values().at(nlohmann::json::json_pointer(pointer));
  if (!value.is_object()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: {} must be a mapping of keys to values, found {}",
                            located.where(pointer), what, shorten(value)));
  }
  return value;
}

std::optional<std::int64_t> as_length(const nlohmann::json& value) {
  if (value.is_number_integer()) return parse_length(std::to_string(value.get<std::int64_t>()));
  if (value.is_number_float()) return parse_length(fmt::format("{:.17g}", value.get<double>()));
  if (value.is_string()) return parse_length(value.get_ref<const std::string&>());
  return std::nullopt;
}

std::vector<std::string> unasked(const nlohmann::json& object,
                                 const std::set<std::string, std::less<>>& asked) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items())
    if (!asked.contains(name)) names.push_back(name);
  return names;
}

/// `message`, and the one of `others` that looks like the missing key, if there is one.
template <typename Where>
Error missing_key(std::string message, std::string_view key, const std::vector<std::string>& others,
                  const Where& where) {
  if (const std::optional<std::string> near = nearest_name(key, others)) {
    message += fmt::format("; '{}' stands at {}: did you mean '{}'?", *near, where(*near), key);
  }
  return {ErrorKind::kConfig, message};
}

}  // namespace

Fields::Fields(const Located& located, std::string pointer, std::string what)
    : located_(located),
      pointer_(std::move(pointer)),
      what_(std::move(what)),
      object_(object_at(located, pointer_, what_)) {}

const nlohmann::json* Fields::find(std::string_view key) {
  asked_.emplace(key);
  const auto it = object_.find(std::string(key));
  return it == object_.end() || it->is_null() ? nullptr : &*it;
}

bool Fields::has(std::string_view key) { return find(key) != nullptr; }

std::string Fields::pointer(std::string_view key) const {
  std::string escaped;
  for (const char c : key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return pointer_ + "/" + escaped;
}

std::string Fields::where(std::string_view key) const { return located_.where(pointer(key)); }

Error Fields::error(std::string_view key, std::string_view message) const {
  // A place has line and column; where a file has none (JSON), the whole path says where.
  const std::string place = where(key);
  std::string path(key);
  if (place == located_.file()) {
    path = pointer(key).substr(1);
    std::ranges::replace(path, '/', '.');
  }
  return {ErrorKind::kConfig, fmt::format("{}: {}: {}", place, path, message)};
}

void Fields::fail_type(std::string_view key, const nlohmann::json& found,
                       std::string_view expected) const {
  throw error(key, fmt::format("found {}, expected {}", shorten(found), expected));
}

void Fields::fail_choice(std::string_view key, const std::string& found,
                         const std::vector<std::string>& names) const {
  throw error(key, fmt::format("unknown value '{}'{}; it is one of: {}", found,
                               did_you_mean(found, names), join(names)));
}

std::optional<std::string> Fields::optional_text(std::string_view key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) fail_type(key, *value, "text (put it in quotes)");
  return value->get<std::string>();
}

std::string Fields::text(std::string_view key) {
  std::optional<std::string> value = optional_text(key);
  if (!value) {
    throw missing_key(
        fmt::format("{}: {} needs the key '{}'", located_.where(pointer_), what_, key), key,
        unasked(object_, asked_),
        [&](const std::string& name) { return located_.where_key(pointer(name)); });
  }
  return *std::move(value);
}

std::optional<std::int64_t> Fields::optional_integer(std::string_view key, std::int64_t low,
                                                     std::int64_t high) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::string expected = fmt::format("a whole number from {} to {}", low, high);
  double real = 0;
  if (value->is_number_integer()) {
    const auto number = value->get<std::int64_t>();
    if (number < low || number > high) fail_type(key, *value, expected);
    return number;
  }
  if (!value->is_number_float()) fail_type(key, *value, expected);
  real = value->get<double>();  // 1e4 is a whole number, too
  if (real != static_cast<double>(static_cast<std::int64_t>(std::clamp(real, -9e15, 9e15))) ||
      real < static_cast<double>(low) || real > static_cast<double>(high)) {
    fail_type(key, *value, expected);
  }
  return static_cast<std::int64_t>(real);
}

std::int64_t Fields::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  const std::optional<std::int64_t> value = optional_integer(key, low, high);
  if (!value) {
    throw missing_key(
        fmt::format("{}: {} needs the key '{}'", located_.where(pointer_), what_, key), key,
        unasked(object_, asked_),
        [&](const std::string& name) { return located_.where_key(pointer(name)); });
  }
  return *value;
}

std::optional<double> Fields::optional_number(std::string_view key, double low, double high) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::string expected = fmt::format("a number from {} to {}", low, high);
  if (!value->is_number()) fail_type(key, *value, expected);
  const auto number = value->get<double>();
  if (!(number >= low && number <= high)) fail_type(key, *value, expected);
  return number;
}

std::optional<bool> Fields::optional_flag(std::string_view key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) fail_type(key, *value, "true or false");
  return value->get<bool>();
}

std::optional<std::int64_t> Fields::optional_length(std::string_view key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::optional<std::int64_t> length = as_length(*value);
  if (!length) fail_type(key, *value, "a length in tokens like 512, 4k, 131_072 or 1e6");
  return length;
}

std::vector<std::int64_t> Fields::lengths(std::string_view key) {
  const nlohmann::json* value = find(key);
  std::vector<std::int64_t> out;
  if (value == nullptr) return out;
  const nlohmann::json list = value->is_array() ? *value : nlohmann::json::array({*value});
  for (const nlohmann::json& item : list) {
    const std::optional<std::int64_t> length = as_length(item);
    if (!length) fail_type(key, item, "lengths in tokens like 512, 4k, 131_072 or 1e6");
    out.push_back(*length);
  }
  return out;
}

std::vector<std::string> Fields::texts(std::string_view key) {
  const nlohmann::json* value = find(key);
  std::vector<std::string> out;
  if (value == nullptr) return out;
  const nlohmann::json list = value->is_array() ? *value : nlohmann::json::array({*value});
  for (const nlohmann::json& item : list) {
    if (!item.is_string()) fail_type(key, item, "text or a list of texts");
    out.push_back(item.get<std::string>());
  }
  return out;
}

nlohmann::json Fields::raw(std::string_view key) {
  const nlohmann::json* value = find(key);
  return value == nullptr ? nlohmann::json() : *value;
}

std::vector<std::string> Fields::elements(std::string_view key) {
  const nlohmann::json* value = find(key);
  std::vector<std::string> out;
  if (value == nullptr) return out;
  if (!value->is_array()) fail_type(key, *value, "a list");
  for (std::size_t i = 0; i < value->size(); ++i)
    out.push_back(fmt::format("{}/{}", pointer(key), i));
  return out;
}

std::vector<std::pair<std::string, std::string>> Fields::members(std::string_view key) {
  const nlohmann::json* value = find(key);
  std::vector<std::pair<std::string, std::string>> out;
  if (value == nullptr) return out;
  if (!value->is_object()) fail_type(key, *value, "a mapping of keys to values");
  const std::string base = pointer(key);
  for (const auto& [name, unused] : value->items()) {
    std::string escaped;
    for (const char c : name) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    out.emplace_back(name, base + "/" + escaped);
  }
  return out;
}

void Fields::finish() const {
  const std::vector<std::string> known(asked_.begin(), asked_.end());
  for (const auto& [key, value] : object_.items()) {
    if (asked_.contains(key)) continue;
    const std::string near = did_you_mean(key, known);
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: unknown key '{}' in {}{}", located_.where_key(pointer(key)), key,
                            what_, near.empty() ? "; valid keys: " + join(known) : near));
  }
}

}  // namespace yardstick
