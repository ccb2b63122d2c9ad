#include "models/arch/overrides.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/arch/position_words.hpp"
#include "models/arch/reach_fields.hpp"
#include "models/arch/rope_fields.hpp"
#include "models/arch/scaling_fields.hpp"

namespace yardstick::models {
namespace {

using position::Kind;
using position::PositionPlan;

constexpr std::array<Word<Kind>, 4> kKindWords = {
    {{"none", Kind::kNone}, {"rope", Kind::kRope}, {"alibi", Kind::kAlibi}, {"fope", Kind::kFope}}};

std::string origin(std::string_view key) { return fmt::format("override: {}", key); }

/// Another encoding than the checkpoint's: a plain one, with nothing of the old but the heads.
void change_kind(ConfigReader& reader, PositionPlan& plan) {
  const std::optional<Kind> kind = reader.optional_choice<Kind>("kind", kKindWords);
  if (!kind || *kind == plan.kind) return;
  if (*kind == Kind::kFope) {
    throw reader.error("kind", fmt::format("a model with encoding '{}' has no Fourier coefficients "
                                           "and cannot become 'fope'",
                                           to_string(plan.kind)));
  }
  PositionPlan plain;
  plain.kind = *kind;
  plain.heads = plan.heads;
  plain.kv_heads = plan.kv_heads;
  plain.head_dim = plan.head_dim;
  plain.training_length = plan.training_length;
  // Which keys a query sees is no matter of the encoding: a window stays.
  if (plan.reach.kind == position::ReachKind::kWindow) plain.reach = plan.reach;
  for (const position::ValueSource& source : plan.sources) {
    const bool is_kept = source.field == "heads" || source.field == "kv_heads" ||
                         source.field == "head_dim" || source.field == "training_length" ||
                         source.field == "reach" || source.field == "tie_embeddings";
    if (is_kept) plain.sources.push_back(source);
  }
  if (*kind == Kind::kRope) {
    plain.rotary_dims = plan.head_dim;
    set_source(plain, "rope_theta", "default of an overridden kind");
    set_source(plain, "rotary_dims", "head_dim, for the whole head rotates");
    set_source(plain, "pair_layout", "default of an overridden kind");
  }
  if (*kind == Kind::kAlibi) {
    set_source(plain, "alibi.slopes", "default of an overridden kind");
    set_source(plain, "alibi_bias_max", "default of an overridden kind");
  }
  plan = std::move(plain);
  set_source(plan, "kind", origin("kind"));
}

void refuse_without(ConfigReader& reader, std::string_view key, std::string_view needs,
                    const PositionPlan& plan) {
  throw reader.error(
      key, fmt::format("needs {}, but the model's encoding is '{}'", needs, to_string(plan.kind)));
}

void change_rope(ConfigReader& reader, PositionPlan& plan) {
  constexpr std::array<std::string_view, 19> kRopeKeys = {"rope_theta",
                                                          "partial_rotary_factor",
                                                          "truncate",
                                                          "short_mscale",
                                                          "long_mscale",
                                                          "attn_factor",
                                                          "rope_type",
                                                          "type",
                                                          "factor",
                                                          "beta_fast",
                                                          "beta_slow",
                                                          "mscale",
                                                          "mscale_all_dim",
                                                          "low_freq_factor",
                                                          "high_freq_factor",
                                                          "short_factor",
                                                          "long_factor",
                                                          "attention_factor",
                                                          "original_max_position_embeddings"};
  std::optional<std::string_view> scaling_key;
  for (const std::string_view key : kRopeKeys) {
    if (!reader.has(key)) continue;
    if (plan.kind != Kind::kRope && plan.kind != Kind::kFope) {
      refuse_without(reader, key, "a rotary encoding", plan);
    }
    if (key != "rope_theta" && key != "partial_rotary_factor") scaling_key = key;
  }
  if (const auto theta = reader.optional_number("rope_theta", kLeastPositive, kMostNumber)) {
    plan.theta = *theta;
    set_source(plan, "rope_theta", origin("rope_theta"));
  }
  if (const auto share = reader.optional_number("partial_rotary_factor", kLeastPositive, 1.0)) {
    set_rotary_dims(reader, "partial_rotary_factor", *share, plan);
    set_source(plan, "rotary_dims", origin("partial_rotary_factor"));
  }
  if (!scaling_key) return;
  if (!reader.has("rope_type") && !reader.has("type")) {
    throw reader.error(*scaling_key,
                       "needs a rope_type beside it: default, linear, ntk, ntk_by_parts, dynamic, "
                       "dynamic_linear, dynamic_yarn, yarn, llama3, longrope or proportional");
  }
  RopeContext context;
  context.longest = plan.training_length;
  context.longest_origin = "training length of the checkpoint";
  context.missing = RopeContext::MissingOriginal::kUseLongest;
  if (const auto original = read_scaling(reader, context, plan)) {
    plan.training_length = *original;
    set_source(plan, "training_length", origin("original_max_position_embeddings"));
  }
}

void change_fope(ConfigReader& reader, PositionPlan& plan) {
  if (const auto order = reader.optional_choice<position::ClampOrder>("clamp_order", kClampWords)) {
    if (plan.floor_frequency == 0.0) refuse_without(reader, "clamp_order", "a floor", plan);
    plan.clamp_order = *order;
    set_source(plan, "clamp_order", origin("clamp_order"));
  }
  const auto zero_pairs = reader.optional_choice<position::ZeroPairs>("zero_pairs", kZeroPairWords);
  if (!zero_pairs) return;
  if (plan.kind != Kind::kFope) refuse_without(reader, "zero_pairs", "FoPE", plan);
  plan.fope.zero_pairs = *zero_pairs;
  set_source(plan, "fope.zero_pairs", origin("zero_pairs"));
}

void change_alibi(ConfigReader& reader, PositionPlan& plan) {
  const auto slopes = reader.optional_choice<position::SlopeRule>("alibi_slopes", kSlopeWords);
  const auto bias_max = reader.optional_number("bias_max", kLeastPositive, kMostNumber);
  if (!slopes && !bias_max) return;
  if (plan.kind != Kind::kAlibi) {
    refuse_without(reader, slopes ? "alibi_slopes" : "bias_max", "ALiBi", plan);
  }
  if (slopes) {
    plan.alibi.slopes = *slopes;
    set_source(plan, "alibi.slopes", origin("alibi_slopes"));
  }
  if (bias_max) {
    plan.alibi.bias_max = *bias_max;
    set_source(plan, "alibi_bias_max", origin("bias_max"));
  }
}

void change_query_scale(ConfigReader& reader, PositionPlan& plan) {
  const auto length = reader.optional_integer("log_n_scale", 2, kMostTokens);
  if (!length) return;
  plan.query_scale = {.kind = position::QueryScale::Kind::kLogN, .original_length = *length};
  set_source(plan, "query_scale", origin("log_n_scale"));
}

void change_encoding(ConfigReader& reader, PositionPlan& plan) {
  change_kind(reader, plan);
  change_rope(reader, plan);
  change_fope(reader, plan);
  change_alibi(reader, plan);
  change_query_scale(reader, plan);
}

/// Same encoding: what is changed in the one is changed in the other.
bool is_same_encoding(const PositionPlan& a, const PositionPlan& b) {
  return a.kind == b.kind && a.theta == b.theta && a.rotary_dims == b.rotary_dims &&
         a.scaling == b.scaling;
}

/// The plans that an override of the whole model changes: layers without an encoding keep none.
std::vector<PositionPlan*> changed_plans(ConfigReader& reader, DecoderConfig& config,
                                         const nlohmann::json& overrides) {
  std::vector<PositionPlan*> plans = {&config.position};
  for (PositionPlan& plan : config.layer_plans.others) {
    if (is_same_encoding(plan, config.position) || reader.has("kind")) {
      plans.push_back(&plan);
    } else if (plan.kind != Kind::kNone) {
      throw reader.error(overrides.begin().key(),
                         fmt::format("the layers of this model have encodings of their own; name "
                                     "the layers that the override is for: {{\"{}\": {}}}",
                                     config.layer_plans.names.front(), overrides.dump()));
    }
  }
  return plans;
}

/// Layers that their family never scales are not scaled by an override of the whole model either.
void keep_unscaled(position::LayerPlans& plans, const position::LayerPlans& before) {
  const auto found = std::ranges::find(plans.names, plans.never_scaled);
  if (found == plans.names.begin() || found == plans.names.end()) return;
  const auto other = static_cast<std::size_t>(found - plans.names.begin()) - 1;
  PositionPlan& plan = plans.others[other];
  if (plan.scaling == before.others[other].scaling) return;
  const bool covers_head = plan.scaling.kind == position::ScalingKind::kProportional;
  plan = without_scaling(std::move(plan));
  if (covers_head) plan.rotary_dims = before.others[other].rotary_dims;
}

void change_reaches(ConfigReader& reader, std::string_view method,
                    const std::vector<PositionPlan*>& plans) {
  bool is_used = false;
  for (PositionPlan* const plan : plans) {
    if (plan->reach.kind != position::ReachKind::kAll) continue;
    if (plan->kind == Kind::kNone && moves_positions(method)) continue;
    change_reach(reader, *plan);
    is_used = true;
  }
  if (is_used) return;
  throw reader.error(method,
                     "no layer can take this method: a window that a layer has stays, and "
                     "one without position encoding has no positions to move");
}

void change_one(const std::string& pointer, const Located& located, PositionPlan& plan) {
  ConfigReader reader(located, pointer, "the position override");
  change_encoding(reader, plan);
  if (const auto method = reach_key(reader)) change_reaches(reader, *method, {&plan});
  reader.finish();
}

/// Overrides by layer type: every key names one.
bool is_by_layer_type(const nlohmann::json& overrides, const DecoderConfig& config) {
  const std::vector<std::string>& names = config.layer_plans.names;
  return std::ranges::any_of(overrides.items(), [&](const auto& item) {
    return std::ranges::find(names, item.key()) != names.end();
  });
}

void change_by_layer_type(const nlohmann::json& overrides, const Located& located,
                          DecoderConfig& config) {
  const std::vector<std::string>& names = config.layer_plans.names;
  const ConfigReader reader(located, "", "the position override");
  for (const auto& [key, value] : overrides.items()) {
    const auto found = std::ranges::find(names, key);
    if (found == names.end() || !value.is_object()) {
      throw reader.error(
          key, fmt::format("expected layer types with an object each: {}", fmt::join(names, ", ")));
    }
    const auto kind = static_cast<std::size_t>(found - names.begin());
    PositionPlan& plan = kind == 0 ? config.position : config.layer_plans.others[kind - 1];
    change_one("/" + key, located, plan);
  }
}

}  // namespace

void apply_position_overrides(const nlohmann::json& overrides, DecoderConfig& config) {
  if (overrides.is_null() || (overrides.is_object() && overrides.empty())) return;
  const Located located(overrides, "override");
  if (overrides.is_object() && is_by_layer_type(overrides, config)) {
    change_by_layer_type(overrides, located, config);
    return;
  }
  ConfigReader reader(located, "", "the position override");
  const position::LayerPlans before = config.layer_plans;
  const std::optional<std::string_view> method = reach_key(reader);
  const bool is_method_alone = method && overrides.size() == 1;
  if (!is_method_alone) {
    for (PositionPlan* const plan : changed_plans(reader, config, overrides))
      change_encoding(reader, *plan);
    keep_unscaled(config.layer_plans, before);
  }
  if (method) {
    std::vector<PositionPlan*> plans = {&config.position};
    for (PositionPlan& plan : config.layer_plans.others) plans.push_back(&plan);
    change_reaches(reader, *method, plans);
  }
  if (is_method_alone) return;
  reader.finish();
}

}  // namespace yardstick::models
