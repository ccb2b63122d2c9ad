#include "models/arch/hf_windows.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace yardstick::models {
namespace {

/// Gives each layer the plan of its type, the window included.
void set_typed_plans(ConfigReader& reader, DecoderConfig& config,
                     const std::vector<std::string>& types, WindowPlans plans) {
  const std::optional<std::int64_t> window = read_window(reader);
  const auto has_layers = [&](std::string_view type) {
    return std::ranges::find(types, type) != types.end();
  };
  std::vector<std::pair<std::string, position::PositionPlan>> kinds;
  for (auto& [type, plan] : {std::pair{kFull, &plans.full}, std::pair{kSliding, &plans.sliding}}) {
    if (!has_layers(type)) continue;
    if (!*plan) throw reader.error("rope_parameters", fmt::format("has no settings for {}", type));
    kinds.emplace_back(type, **plan);
  }
  if (has_layers(kSliding)) {
    if (!window) {
      throw reader.error("sliding_window",
                         "some layers have sliding_attention, which needs this number");
    }
    set_window(kinds.back().second, *window, reader.origin("sliding_window"));
  }
  if (plans.first == kSliding) std::ranges::reverse(kinds);
  set_layer_plans(config, types, std::move(kinds));
}

}  // namespace

std::vector<std::string> read_layer_types(ConfigReader& reader, std::int64_t layers,
                                          const LayerTest& is_sliding) {
  std::vector<std::string> types;
  const nlohmann::json list = reader.raw("layer_types");
  if (list.is_null()) {
    for (std::int64_t layer = 0; layer < layers; ++layer)
      types.emplace_back(is_sliding(layer) ? kSliding : kFull);
    return types;
  }
  if (!list.is_array() || static_cast<std::int64_t>(list.size()) != layers) {
    throw reader.error("layer_types", fmt::format("{}; expected a list of {} types, one a layer",
                                                  list.dump(), layers));
  }
  for (const nlohmann::json& type : list) {
    if (type != kFull && type != kSliding) {
      throw reader.error("layer_types", fmt::format("{} is not supported; expected '{}' or '{}'",
                                                    type.dump(), kFull, kSliding));
    }
    types.push_back(type.get<std::string>());
  }
  return types;
}

std::optional<std::int64_t> read_window(ConfigReader& reader, std::optional<std::int64_t> absent) {
  if (reader.is_absent("sliding_window")) return absent;
  return reader.optional_integer("sliding_window", 1, kMostTokens);
}

void set_window(position::PositionPlan& plan, std::int64_t window, std::string source) {
  plan.reach = {.kind = position::ReachKind::kWindow, .window = window};
  set_source(plan, "reach", std::move(source));
}

void set_layer_plans(DecoderConfig& config, const std::vector<std::string>& types,
                     std::vector<std::pair<std::string, position::PositionPlan>> plans) {
  std::erase_if(plans, [&](const auto& plan) {
    return !types.empty() && std::ranges::find(types, plan.first) == types.end();
  });
  config.position = plans.front().second;
  config.layer_plans = {};
  if (types.empty() || plans.size() == 1) return;
  for (const auto& [name, plan] : plans) config.layer_plans.names.push_back(name);
  for (std::size_t i = 1; i < plans.size(); ++i)
    config.layer_plans.others.push_back(plans[i].second);
  for (const std::string& type : types) {
    const auto found = std::ranges::find(config.layer_plans.names, type);
    config.layer_plans.of_layer.push_back(found - config.layer_plans.names.begin());
  }
}

std::string_view uniform_type(ConfigReader& reader, std::optional<std::int64_t> absent) {
  return read_window(reader, absent) ? kSliding : kFull;
}

void read_uniform_window(ConfigReader& reader, DecoderConfig& config,
                         std::optional<std::int64_t> absent) {
  if (const auto window = read_window(reader, absent))
    set_window(config.position, *window, reader.origin("sliding_window"));
}

void set_window_plans(ConfigReader& reader, DecoderConfig& config, WindowPlans plans) {
  const std::vector<std::string> types = read_layer_types(reader, config.layers, plans.is_sliding);
  set_typed_plans(reader, config, types, std::move(plans));
}

position::PositionPlan without_rotation(const position::PositionPlan& plan) {
  position::PositionPlan out;
  out.kind = position::Kind::kNone;
  out.heads = plan.heads;
  out.kv_heads = plan.kv_heads;
  out.head_dim = plan.head_dim;
  out.training_length = plan.training_length;
  for (const position::ValueSource& source : plan.sources) {
    const bool is_kept = source.field == "heads" || source.field == "kv_heads" ||
                         source.field == "head_dim" || source.field == "training_length";
    if (is_kept) out.sources.push_back(source);
  }
  set_source(out, "kind", "family: these layers have no position encoding");
  return out;
}

void read_qwen_windows(ConfigReader& reader, DecoderConfig& config, WindowPlans plans) {
  const bool uses = reader.optional_flag("use_sliding_window").value_or(false);
  const std::optional<std::int64_t> window = read_window(reader);
  const std::int64_t first =
      reader.optional_integer("max_window_layers", 0, kMostLayers).value_or(28);
  const std::vector<std::string> types = read_layer_types(
      reader, config.layers, [&](std::int64_t layer) { return uses && window && layer >= first; });
  const bool slides = std::ranges::find(types, kSliding) != types.end();
  if (slides && (!uses || !window)) {
    throw reader.error("layer_types",
                       "has sliding_attention layers, but there is no window: "
                       "use_sliding_window is not true or sliding_window is null");
  }
  set_typed_plans(reader, config, types, std::move(plans));
}

}  // namespace yardstick::models
