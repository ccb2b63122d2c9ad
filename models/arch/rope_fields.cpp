#include "models/arch/rope_fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "models/position/frequencies.hpp"

namespace yardstick::models {
namespace {

using position::PositionPlan;
using position::ScalingKind;

/// The object that holds the rope settings of a layer type, if any: rope_parameters (version 5,
/// perhaps with an object a layer type) or rope_scaling.
std::optional<ConfigReader> rope_object(ConfigReader& config, std::string_view layer_type) {
  const nlohmann::json scaling = config.raw("rope_scaling");
  const nlohmann::json parameters = config.raw("rope_parameters");
  if (!scaling.is_null() && !parameters.is_null() && scaling != parameters) {
    throw config.error("rope_scaling", "differs from rope_parameters; remove one of them");
  }
  if (parameters.is_null()) {
    if (scaling.is_null()) return std::nullopt;
    return config.object("rope_scaling", "rope_scaling");
  }
  if (!scaling.is_null()) config.ignore(std::array<std::string_view, 1>{"rope_scaling"});  // equal
  ConfigReader object = config.object("rope_parameters", "rope_parameters");
  if (!has_rope_by_layer_type(config)) return object;
  if (!object.has(layer_type)) {
    throw config.error("rope_parameters", fmt::format("has no settings for {}", layer_type));
  }
  return object.object(layer_type, fmt::format("rope_parameters.{}", layer_type));
}

/// A setting inside the rope object and beside it must agree.
void check_agreement(ConfigReader& object, std::string_view key, double inside,
                     ConfigReader& config, std::string_view beside_key) {
  const auto beside = config.optional_number(beside_key, 0.0, kMostNumber);
  if (!beside || *beside == inside) return;
  throw object.error(
      key, fmt::format("is {}, but {} beside it is {}; remove one", inside, beside_key, *beside));
}

void read_query_scale(ConfigReader& object, PositionPlan& plan) {
  constexpr std::string_view kKey = "llama_4_scaling_beta";
  const std::optional<double> beta = object.optional_number(kKey, 0.0, kMostNumber);
  if (!beta) return;
  if (plan.scaling.original_length == 0) {
    throw object.error(kKey, "needs original_max_position_embeddings beside it");
  }
  plan.query_scale = {.kind = position::QueryScale::Kind::kLlama4,
                      .beta = *beta,
                      .original_length = plan.scaling.original_length};
  set_source(plan, "query_scale", object.origin(kKey));
}

/// FoPE in the words of its large public model: coefficients of each key head for all layers in
/// rotary_emb, as many pairs as frequencies.
void read_fope(ConfigReader& object, PositionPlan& plan) {
  const auto factor = object.optional_number("fope_init_factor", 0.0, kMostNumber);
  const auto separate = object.optional_flag("fope_sep_head");
  const auto count = object.optional_integer("num_inv_freq", 1, kMostDims);
  if (!factor && !separate && !count) return;
  if (separate == false) {
    throw object.error("fope_sep_head", "false is not supported; expected a matrix a key head");
  }
  if (plan.rotary_dims != plan.head_dim) {
    throw object.error("fope_sep_head", "FoPE covers the whole head, but only part of it rotates");
  }
  plan.kind = position::Kind::kFope;
  set_source(plan, "kind", object.origin(separate ? "fope_sep_head" : "fope_init_factor"));
  plan.fope.heads = position::Fope::Heads::kKeyHeads;
  plan.fope.outputs = position::Fope::Outputs::kAll;
  const std::int64_t pairs = plan.head_dim / 2;
  const auto frequency = [&](double pair) {
    return std::pow(plan.theta, -2.0 * pair / static_cast<double>(plan.head_dim));
  };
  if (count && *count < pairs) {
    // Between the last frequency that stays and the first that goes.
    plan.floor_frequency = frequency(static_cast<double>(*count) - 0.5);
    set_source(plan, "floor_frequency", object.origin("num_inv_freq"));
  } else if (!count) {
    // Strictly above the floor stays.
    const double floor = 2.0 * std::numbers::pi / static_cast<double>(plan.training_length);
    plan.floor_frequency = std::nextafter(static_cast<float>(floor), 1.0F);
    set_source(plan, "floor_frequency", "2 pi / max_position_embeddings");
  }
  const position::FopeCounts counts = position::fope_counts(plan);
  plan.fope.input_count = counts.input;
  plan.fope.output_count = counts.output;
  set_source(plan, "fope.input_count", "frequencies above the floor");
}

void read_object(ConfigReader& config, ConfigReader& object, const RopeContext& context,
                 const RopeFamily& family, PositionPlan& plan) {
  if (const auto theta = object.optional_number("rope_theta", kLeastPositive, kMostNumber)) {
    if (!has_rope_by_layer_type(config))
      check_agreement(object, "rope_theta", *theta, config, config.either(family.theta_keys));
    plan.theta = *theta;
    set_source(plan, "rope_theta", object.origin("rope_theta"));
  }
  constexpr std::string_view kPartial = "partial_rotary_factor";
  if (const auto share = object.optional_number(kPartial, kLeastPositive, 1.0)) {
    const std::string_view beside = config.either(family.partial_keys);
    const bool is_written = family.written_partial &&
                            config.optional_number(beside, 0.0, 1.0) == family.written_partial;
    if (!is_written) check_agreement(object, kPartial, *share, config, beside);
    set_rotary_dims(object, kPartial, *share, plan);
    set_source(plan, "rotary_dims", object.origin(kPartial));
  }
  constexpr std::array<std::string_view, 1> kBookkeeping = {"finetuned"};
  object.ignore(kBookkeeping);
  const std::optional<std::int64_t> original = read_scaling(object, context, plan);
  read_query_scale(object, plan);
  read_fope(object, plan);
  if (plan.scaling.kind != ScalingKind::kNone && original) {
    plan.training_length = *original;
    const auto source = std::ranges::find(plan.sources, "scaling.original_max_position_embeddings",
                                          &position::ValueSource::field);
    set_source(plan, "training_length", source == plan.sources.end() ? "" : source->source);
  }
}

}  // namespace

void set_rotary_dims(ConfigReader& where, std::string_view key, double share, PositionPlan& plan) {
  plan.rotary_dims = static_cast<std::int64_t>(static_cast<double>(plan.head_dim) * share);
  if (share > 1.0 || plan.rotary_dims < 2 || plan.rotary_dims % 2 != 0) {
    throw where.error(key, fmt::format("{} of {} head dims makes {} rotary dims; expected an even "
                                       "number from 2 to {}",
                                       share, plan.head_dim, plan.rotary_dims, plan.head_dim));
  }
}

bool has_rope_by_layer_type(ConfigReader& config) {
  const nlohmann::json parameters = config.raw("rope_parameters");
  if (!parameters.is_object() || parameters.empty()) return false;
  return std::ranges::any_of(parameters,
                             [](const nlohmann::json& value) { return value.is_object(); });
}

LayerRopes read_hf_ropes(ConfigReader& config, const PositionPlan& plan, const RopeFamily& family) {
  const auto read = [&](std::string_view layer_type) {
    PositionPlan out = plan;
    RopeFamily one = family;
    one.layer_type = layer_type;
    read_hf_rope(config, out, one);
    return out;
  };
  if (!has_rope_by_layer_type(config)) {
    const PositionPlan both = read(kFull);
    return {.full = both, .sliding = both};
  }
  const auto read_if_there = [&](std::string_view layer_type) -> std::optional<PositionPlan> {
    const nlohmann::json parameters = config.raw("rope_parameters");
    if (parameters.value(std::string(layer_type), nlohmann::json()).is_null()) return std::nullopt;
    return read(layer_type);
  };
  return {.full = read_if_there(kFull), .sliding = read_if_there(kSliding)};
}

PositionPlan without_scaling(PositionPlan plan) {
  std::erase_if(plan.sources,
                [](const position::ValueSource& s) { return s.field.starts_with("scaling."); });
  plan.scaling = {};
  set_source(plan, "scaling.rope_type", "family: window layers are not scaled");
  return plan;
}

void read_training_length(ConfigReader& config, PositionPlan& plan, KeyNames keys) {
  const std::string_view key = config.either(keys);
  plan.training_length = config.optional_integer(key, 1, kMostTokens).value_or(0);
  set_source(plan, "training_length", config.origin(key));
}

void read_hf_rope(ConfigReader& config, PositionPlan& plan, const RopeFamily& family) {
  plan.kind = position::Kind::kRope;
  set_source(plan, "kind", "family: rotary");
  plan.layout = family.layout;
  set_source(plan, "pair_layout",
             family.layout == position::PairLayout::kHalves ? "family: rotates halves"
                                                            : "family: rotates neighbours");
  set_source(plan, "floor_frequency", "family: no floor");
  set_source(plan, "clamp_order", "family: no floor");
  const std::string_view length_key = config.either(family.length_keys);
  RopeContext context;
  context.longest = config.optional_integer(length_key, 1, kMostTokens).value_or(family.length);
  context.longest_origin = config.origin(length_key);
  context.original = config.optional_integer("original_max_position_embeddings", 1, kMostTokens);
  context.original_origin = config.origin("original_max_position_embeddings");
  plan.training_length = context.longest;
  set_source(plan, "training_length", context.longest_origin);
  const std::string_view theta_key = config.either(family.theta_keys);
  plan.theta =
      config.optional_number(theta_key, kLeastPositive, kMostNumber).value_or(family.theta);
  set_source(plan, "rope_theta", config.origin(theta_key));
  const std::string_view partial_key = config.either(family.partial_keys);
  const auto share = config.optional_number(partial_key, kLeastPositive, 1.0);
  context.partial = share;
  set_rotary_dims(config, partial_key, share.value_or(family.partial), plan);
  set_source(plan, "rotary_dims", config.origin(partial_key));
  set_source(plan, "scaling.rope_type", config.origin("rope_scaling"));
  if (std::optional<ConfigReader> object = rope_object(config, family.layer_type)) {
    read_object(config, *object, context, family, plan);
  }
  if (plan.scaling.kind == ScalingKind::kNone && context.original &&
      *context.original != context.longest) {
    throw config.error("original_max_position_embeddings",
                       fmt::format("is {} and {} is {}, but no rope_scaling says how the one "
                                   "became the other",
                                   *context.original, length_key, context.longest));
  }
}

}  // namespace yardstick::models
