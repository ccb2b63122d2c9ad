#include "models/arch/config_reader.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"

namespace yardstick::models {
namespace {

/// "rope_parameters.factor" for "/rope_parameters/factor".
std::string dotted(std::string_view pointer) {
  std::string words(pointer.substr(1));
  std::ranges::replace(words, '/', '.');
  return words;
}

/// The names of the keys of the object at `pointer` among pointers of keys.
std::vector<std::string> asked_below(const std::set<std::string, std::less<>>& keys,
                                     const std::string& pointer) {
  std::vector<std::string> names;
  for (const std::string& key : keys) {
    const std::size_t slash = key.rfind('/');
    if (std::string_view(key).substr(0, slash) == pointer) names.push_back(key.substr(slash + 1));
  }
  return names;
}

}  // namespace

ConfigReader::ConfigReader(const Located& located, std::string pointer, std::string what)
    : located_(located),
      pointer_(std::move(pointer)),
      what_(std::move(what)),
      fields_(located, pointer_, what_),
      asked_(std::make_shared<Asked>()) {}

ConfigReader::ConfigReader(const ConfigReader& outer, std::string_view key, std::string what)
    : located_(outer.located_),
      pointer_(outer.pointer(key)),
      what_(std::move(what)),
      fields_(located_, pointer_, what_),
      asked_(outer.asked_) {}

ConfigReader ConfigReader::object(std::string_view key, std::string what) {
  ask(key);
  return {*this, key, std::move(what)};
}

bool ConfigReader::has(std::string_view key) {
  ask(key);
  return fields_.has(key);
}

bool ConfigReader::is_absent(std::string_view key) {
  ask(key);
  return !located_.values().at(nlohmann::json::json_pointer(pointer_)).contains(key);
}

std::int64_t ConfigReader::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  ask(key);
  return fields_.integer(key, low, high);
}

std::optional<std::int64_t> ConfigReader::optional_integer(std::string_view key, std::int64_t low,
                                                           std::int64_t high) {
  ask(key);
  return fields_.optional_integer(key, low, high);
}

std::optional<double> ConfigReader::optional_number(std::string_view key, double low, double high) {
  ask(key);
  return fields_.optional_number(key, low, high);
}

double ConfigReader::number(std::string_view key, double low, double high) {
  const std::optional<double> value = optional_number(key, low, high);
  if (!value) throw error(key, fmt::format("{} needs this key", what_));
  return *value;
}

std::optional<bool> ConfigReader::optional_flag(std::string_view key) {
  ask(key);
  return fields_.optional_flag(key);
}

bool ConfigReader::flag(std::string_view key) {
  const std::optional<bool> value = optional_flag(key);
  if (!value) throw error(key, fmt::format("{} needs this key, true or false", what_));
  return *value;
}

std::optional<std::string> ConfigReader::optional_text(std::string_view key) {
  ask(key);
  return fields_.optional_text(key);
}

std::optional<std::vector<double>> ConfigReader::optional_numbers(std::string_view key) {
  if (!has(key)) return std::nullopt;
  const nlohmann::json list = raw(key);
  const auto is_number = [](const nlohmann::json& item) { return item.is_number(); };
  if (!list.is_array() || !std::ranges::all_of(list, is_number)) {
    throw error(key, "expected a list of numbers");
  }
  return list.get<std::vector<double>>();
}

nlohmann::json ConfigReader::raw(std::string_view key) {
  ask(key);
  return fields_.raw(key);
}

std::string_view ConfigReader::either(std::initializer_list<std::string_view> keys) {
  std::string_view found = *keys.begin();
  bool is_found = false;
  for (const std::string_view key : keys) {
    if (!has(key)) continue;
    if (is_found && raw(key) != raw(found)) {
      throw error(key, fmt::format("is {}, but {} is {}; they are two names of one setting: "
                                   "remove the wrong one",
                                   raw(key).dump(), found, raw(found).dump()));
    }
    if (!is_found) found = key;
    is_found = true;
  }
  return found;
}

void ConfigReader::require(std::string_view key, const nlohmann::json& expected,
                           std::string_view why) {
  const nlohmann::json found = raw(key);
  if (found.is_null() || found == expected) return;
  throw error(
      key, fmt::format("{} is not supported: {}; expected {}", found.dump(), why, expected.dump()));
}

void ConfigReader::ignore(std::span<const std::string_view> keys) {
  for (const std::string_view key : keys) asked_->ignored.insert(pointer(key));
}

std::string ConfigReader::origin(std::string_view key) {
  const std::string file = file_name(located_.file());
  const std::string place = dotted(pointer(key));
  if (!has(key)) return fmt::format("default, for {} has no {}", file, place);
  return fmt::format("{}: {}", file, place);
}

Error ConfigReader::error(std::string_view key, std::string_view message) const {
  return fields_.error(key, message);
}

void ConfigReader::finish() const {
  const nlohmann::json& object = located_.values().at(nlohmann::json::json_pointer(pointer_));
  for (const auto& [key, value] : object.items()) {
    const std::string place = pointer(key);
    if (value.is_null() || asked_->ignored.contains(place)) continue;
    if (!asked_->keys.contains(place)) {
      throw Error(
          ErrorKind::kConfig,
          fmt::format("{}: unknown key '{}' in {}{}: it may change the numbers, so it is not "
                      "ignored; remove it if it has no effect",
                      located_.where_key(place), dotted(place), what_,
                      did_you_mean(key, asked_below(asked_->keys, pointer_))));
    }
    if (value.is_object()) ConfigReader(*this, key, dotted(place)).finish();
  }
}

void set_source(position::PositionPlan& plan, std::string_view field, std::string source) {
  const auto found = std::ranges::find(plan.sources, field, &position::ValueSource::field);
  if (found != plan.sources.end()) {
    found->source = std::move(source);
  } else {
    plan.sources.push_back({std::string(field), std::move(source)});
  }
}

bool has_model_type(const ConfigSource& config, std::string_view name) {
  if (!config.values.is_object()) return false;
  const auto type = config.values.find("model_type");
  return type != config.values.end() && type->is_string() &&
         type->get_ref<const std::string&>() == name;
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace yardstick::models
