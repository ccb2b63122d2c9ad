#include "reports/position_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace yardstick::reports {
namespace {

using nlohmann::json;

constexpr std::size_t kLongList = 6;  // lists of more numbers are told by their ends

std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array() && value.size() > kLongList) {
    return fmt::format("[{}, ..., {}; {} numbers]", value.front().dump(), value.back().dump(),
                       value.size());
  }
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// "yarn (factor 4, truncate true)": an object that names its kind under `kind_key`.
std::string kind_text(const json& object, const char* kind_key) {
  std::vector<std::string> parameters;
  for (const auto& [key, value] : object.items()) {
    if (key != kind_key) parameters.push_back(fmt::format("{} {}", key, text_of(value)));
  }
  const std::string kind = object.contains(kind_key) ? text_of(object[kind_key]) : "unknown";
  return parameters.empty() ? kind : fmt::format("{} ({})", kind, fmt::join(parameters, ", "));
}

/// The parts of a plan that have a kind and parameters, and the key that names the kind.
constexpr std::array<std::pair<const char*, const char*>, 3> kKinds = {
    {{"scaling", "rope_type"}, {"reach", "kind"}, {"query_scale", "kind"}}};

bool is_plain(const json& object, const char* kind_key) {
  return object.contains(kind_key) && object[kind_key] == "default";
}

/// A source's field at its place in the plan's JSON; null if it stands nowhere.
json value_at(const json& plan, std::string_view field) {
  if (field == "fope.zero_pairs") field = "fope.zero_sin";
  if (field == "alibi_bias_max") field = "alibi.bias_max";
  std::string pointer = "/" + std::string(field);
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  const json::json_pointer place(pointer);
  return plan.contains(place) ? plan[place] : json();
}

std::vector<std::string> facts(const json& plan) {
  std::vector<std::string> parts;
  const auto number = [&](const char* key) {
    const auto found = plan.find(key);
    return found != plan.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  if (const double theta = number("rope_theta"); theta != 0.0)
    parts.push_back(fmt::format("theta {}", theta));
  const double turning = number("rotary_dims");
  if (turning != 0.0 && turning != number("head_dim"))
    parts.push_back(fmt::format("{} of {} dimensions turn", turning, number("head_dim")));
  for (const auto& [name, kind_key] : kKinds) {
    const auto found = plan.find(name);
    if (found == plan.end() || !found->is_object() || is_plain(*found, kind_key)) continue;
    parts.push_back(fmt::format("{} {}", name, kind_text(*found, kind_key)));
  }
  if (const double floor = number("floor_frequency"); floor != 0.0)
    parts.push_back(fmt::format("no frequency below {:.3g} radians a token", floor));
  return parts;
}

std::vector<std::string> overrides(const json& plan) {
  std::vector<std::string> parts;
  const auto sources = plan.find("sources");
  if (sources == plan.end() || !sources->is_object()) return parts;
  const auto add = [&](std::string part) {
    if (std::find(parts.begin(), parts.end(), part) == parts.end())
      parts.push_back(std::move(part));
  };
  for (const auto& [field, source] : sources->items()) {
    if (!source.is_string() || !source.get<std::string>().starts_with("override")) continue;
    const std::string head = field.substr(0, field.find('.'));
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const auto& entry) { return entry.first == head; });
    if (kind != kKinds.end() && plan.contains(head) && plan[head].is_object()) {
      add(fmt::format("{} {}", head, kind_text(plan[head], kind->second)));
      continue;
    }
    const json value = value_at(plan, field);
    add(value.is_null() ? field : fmt::format("{} {}", field, text_of(value)));
  }
  return parts;
}

using Describe = std::vector<std::string> (*)(const json&);

/// Of the model's own plan, then of the kinds of layers that have another, under their names.
std::vector<std::string> of_all_layers(const json& plan, Describe describe) {
  std::vector<std::string> parts = describe(plan);
  const json others = value_at(plan, "layers.others");
  if (!others.is_object()) return parts;
  for (const auto& [name, other] : others.items()) {
    const std::vector<std::string> own = describe(other);
    if (!own.empty()) parts.push_back(fmt::format("{}: {}", name, fmt::join(own, ", ")));
  }
  return parts;
}

}  // namespace

std::string position_text(const nlohmann::json& plan) {
  return fmt::format("{}", fmt::join(of_all_layers(plan, facts), "; "));
}

std::string overrides_text(const nlohmann::json& plan, const std::string& bos) {
  std::vector<std::string> parts = of_all_layers(plan, overrides);
  for (const char* const policy : {"bos: always", "bos: never"}) {
    if (bos.find(policy) != std::string::npos) parts.emplace_back(policy);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace yardstick::reports
