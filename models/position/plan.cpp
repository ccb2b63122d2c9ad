// The plan's two renderings: JSON for people and the store, a fingerprint for cell keys.
#include "models/position/plan.hpp"

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "models/position/scaling/scaling.hpp"

namespace yardstick::position {
namespace {

using nlohmann::json;

std::string_view to_string(PairLayout layout) {
  return layout == PairLayout::kHalves ? "halves" : "interleaved";
}

std::string_view to_string(SlopeRule rule) {
  return rule == SlopeRule::kInterleaved ? "interleaved" : "geometric";
}

std::string_view to_string(ClampOrder order) {
  return order == ClampOrder::kScaleThenClamp ? "scale_then_clamp" : "clamp_then_scale";
}

json yarn_json(const Scaling& scaling) {
  json out = {{"factor", scaling.factor},
              {"original_max_position_embeddings", scaling.original_length},
              {"beta_fast", scaling.beta_fast},
              {"beta_slow", scaling.beta_slow},
              {"truncate", scaling.ramp_ends == Scaling::RampEnds::kWhole},
              {"yarn_mix", scaling.yarn_mix}};
  if (scaling.mscale) out["mscale"] = *scaling.mscale;
  if (scaling.mscale_all_dim) out["mscale_all_dim"] = *scaling.mscale_all_dim;
  return out;
}

json own_fields(const Scaling& scaling) {
  switch (scaling.kind) {
    case ScalingKind::kNone: return json::object();
    case ScalingKind::kLinear:
    case ScalingKind::kNtk: return {{"factor", scaling.factor}};
    case ScalingKind::kProportional:
      return {{"factor", scaling.factor}, {"partial_rotary_factor", scaling.proportion}};
    case ScalingKind::kDynamicLinear:
      return {{"original_max_position_embeddings", scaling.original_length}};
    case ScalingKind::kNtkByParts:
    case ScalingKind::kDynamicNtk:
      return {{"factor", scaling.factor},
              {"original_max_position_embeddings", scaling.original_length}};
    case ScalingKind::kYarn:
    case ScalingKind::kDynamicYarn: return yarn_json(scaling);
    case ScalingKind::kLlama3:
      return {{"factor", scaling.factor},
              {"original_max_position_embeddings", scaling.original_length},
              {"low_freq_factor", scaling.low_frequency_factor},
              {"high_freq_factor", scaling.high_frequency_factor}};
    case ScalingKind::kLongRope:
      return {{"factor", scaling.factor},
              {"original_max_position_embeddings", scaling.original_length},
              {"short_factor", scaling.short_factor},
              {"long_factor", scaling.long_factor}};
  }
  throw Error(ErrorKind::kInternal, "a scaling kind has no JSON form");
}

json scaling_json(const Scaling& scaling) {
  json out = own_fields(scaling);
  out["rope_type"] = to_string(scaling.kind);
  out["attention_factor"] = attention_factor(scaling, 0);
  if (scaling.short_mscale) out["short_mscale"] = *scaling.short_mscale;
  if (scaling.long_mscale) out["long_mscale"] = *scaling.long_mscale;
  return out;
}

json rotation_json(const PositionPlan& plan) {
  return {{"rope_theta", plan.theta},
          {"turn", plan.turn == PositionPlan::Turn::kForward ? "forward" : "backward"},
          {"rotary_dims", plan.rotary_dims},
          {"pair_layout", to_string(plan.layout)},
          {"scaling", scaling_json(plan.scaling)},
          {"floor_frequency", plan.floor_frequency},
          {"clamp_order", to_string(plan.clamp_order)}};
}

json fope_json(const Fope& fope) {
  return {{"zero_sin", fope.zero_pairs == ZeroPairs::kCosOneSinOne ? 1 : 0},
          {"separate_heads", fope.heads == Fope::Heads::kSeparate},
          {"separate_key_heads", fope.heads == Fope::Heads::kKeyHeads},
          {"output_limit", fope.outputs == Fope::Outputs::kUpToQuarter ? "head_dim / 4" : "none"},
          {"separate_basis", fope.basis == Fope::Basis::kSeparate},
          {"normalised", fope.coefficients == Fope::Coefficients::kColumnNormalised},
          {"zeros_dropped", fope.zeros == Fope::Zeros::kDropped},
          {"bank_dims", fope.bank_dims},
          {"input_count", fope.input_count},
          {"output_count", fope.output_count}};
}

json bias_json(const PositionPlan& plan) {
  switch (plan.kind) {
    case Kind::kAlibi:
      return {{"slopes", to_string(plan.alibi.slopes)},
              {"bias_max", plan.alibi.bias_max},
              {"form", plan.alibi.form == Alibi::Form::kDistance ? "distance" : "falcon"}};
    case Kind::kT5Bias:
      return {{"buckets", plan.t5.buckets}, {"max_distance", plan.t5.most_distance}};
    case Kind::kKerple:
      return {{"form", plan.kerple.form == Kerple::Form::kLogarithm ? "log" : "power"}};
    case Kind::kFire: return {{"hidden_width", plan.fire.hidden_width}};
    default: return nullptr;
  }
}

json reach_json(const Reach& reach) {
  json out = {{"kind", to_string(reach.kind)}};
  if (reach.window > 0) out["window"] = reach.window;
  if (reach.sinks > 0) out["sinks"] = reach.sinks;
  if (reach.kind == ReachKind::kSelfExtend || reach.kind == ReachKind::kReRope)
    out["group"] = reach.group;
  if (reach.kind == ReachKind::kDualChunk) {
    out["chunk"] = reach.chunk;
    out["limit"] = reach.limit;
  }
  return out;
}

json query_scale_json(const QueryScale& scale) {
  json out = {{"kind", scale.kind == QueryScale::Kind::kLlama4 ? "llama4" : "log_n"},
              {"original_max_position_embeddings", scale.original_length}};
  if (scale.kind == QueryScale::Kind::kLlama4) out["beta"] = scale.beta;
  return out;
}

json sources_json(const PositionPlan& plan) {
  json out = json::object();
  for (const ValueSource& source : plan.sources) out[source.field] = source.source;
  return out;
}

void add_optional(std::string_view name, const std::optional<double>& value,
                  Fingerprint& fingerprint) {
  fingerprint.add(name, value ? "given" : "absent");
  if (value) fingerprint.add(name, *value);
}

void add_list(std::string_view name, const std::vector<double>& values, Fingerprint& fingerprint) {
  fingerprint.add(name, static_cast<std::int64_t>(values.size()));
  for (const double value : values) fingerprint.add(name, value);
}

void describe_scaling(const Scaling& scaling, Fingerprint& fingerprint) {
  fingerprint.add("scaling", to_string(scaling.kind))
      .add("factor", scaling.factor)
      .add("original_length", scaling.original_length)
      .add("low_frequency_factor", scaling.low_frequency_factor)
      .add("high_frequency_factor", scaling.high_frequency_factor)
      .add("beta_fast", scaling.beta_fast)
      .add("beta_slow", scaling.beta_slow)
      .add("yarn_mix", scaling.yarn_mix)
      .add("proportion", scaling.proportion);
  add_optional("attention_factor", scaling.attention_factor, fingerprint);
  add_optional("mscale", scaling.mscale, fingerprint);
  add_optional("mscale_all_dim", scaling.mscale_all_dim, fingerprint);
  add_optional("short_mscale", scaling.short_mscale, fingerprint);
  add_optional("long_mscale", scaling.long_mscale, fingerprint);
  fingerprint.add("ramp_ends", static_cast<int>(scaling.ramp_ends));
  add_list("short_factor", scaling.short_factor, fingerprint);
  add_list("long_factor", scaling.long_factor, fingerprint);
}

void describe_fope(const Fope& fope, Fingerprint& fingerprint) {
  fingerprint.add("fope.zero_pairs", static_cast<int>(fope.zero_pairs))
      .add("fope.heads", static_cast<int>(fope.heads))
      .add("fope.outputs", static_cast<int>(fope.outputs))
      .add("fope.basis", static_cast<int>(fope.basis))
      .add("fope.coefficients", static_cast<int>(fope.coefficients))
      .add("fope.zeros", static_cast<int>(fope.zeros))
      .add("fope.bank_dims", fope.bank_dims)
      .add("fope.input_count", fope.input_count)
      .add("fope.output_count", fope.output_count);
}

void describe_reach(const PositionPlan& plan, Fingerprint& fingerprint) {
  fingerprint.add("reach", to_string(plan.reach.kind))
      .add("window", plan.reach.window)
      .add("sinks", plan.reach.sinks)
      .add("group", plan.reach.group)
      .add("chunk", plan.reach.chunk)
      .add("limit", plan.reach.limit)
      .add("query_scale", static_cast<int>(plan.query_scale.kind))
      .add("query_scale.beta", plan.query_scale.beta)
      .add("query_scale.original_length", plan.query_scale.original_length);
}

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kNone: return "none";
    case Kind::kRope: return "rope";
    case Kind::kXpos: return "xpos";
    case Kind::kSinusoidal: return "sinusoidal";
    case Kind::kT5Bias: return "t5";
    case Kind::kKerple: return "kerple";
    case Kind::kFire: return "fire";
    case Kind::kAlibi: return "alibi";
    case Kind::kFope: return "fope";
    case Kind::kLearned: return "learned";
  }
  throw Error(ErrorKind::kInternal, "a position kind has no name");
}

std::string_view to_string(ScalingKind kind) { return scaling_rule(kind).name; }

nlohmann::json to_json(const PositionPlan& plan) {
  json out = {{"kind", to_string(plan.kind)}, {"heads", plan.heads},
              {"kv_heads", plan.kv_heads},    {"head_dim", plan.head_dim},
              {"training_length", nullptr},   {"sources", sources_json(plan)}};
  if (plan.training_length > 0) out["training_length"] = plan.training_length;
  const bool rotates =
      plan.kind == Kind::kRope || plan.kind == Kind::kXpos || plan.kind == Kind::kFope;
  if (rotates) out.update(rotation_json(plan));
  if (plan.kind == Kind::kXpos) out["scale_base"] = plan.xpos.scale_base;
  if (plan.kind == Kind::kFope) out["fope"] = fope_json(plan.fope);
  if (const json bias = bias_json(plan); !bias.is_null())
    out[std::string(to_string(plan.kind))] = bias;
  if (plan.reach.kind != ReachKind::kAll) out["reach"] = reach_json(plan.reach);
  if (plan.query_scale.kind != QueryScale::Kind::kNone)
    out["query_scale"] = query_scale_json(plan.query_scale);
  if (plan.kind == Kind::kLearned) out["table_rows"] = plan.table_rows;
  return out;
}

nlohmann::json to_json(const PositionPlan& plan, const LayerPlans& layers) {
  json out = to_json(plan);
  if (layers.others.empty()) return out;
  json kinds = json::array();
  for (const std::int64_t kind : layers.of_layer)
    kinds.push_back(layers.names[static_cast<std::size_t>(kind)]);
  json others = json::object();
  for (std::size_t i = 0; i < layers.others.size(); ++i)
    others[layers.names[i + 1]] = to_json(layers.others[i]);
  out["layers"] = {{"plan_of", layers.names.front()}, {"types", kinds}, {"others", others}};
  return out;
}

void describe(const PositionPlan& plan, Fingerprint& fingerprint) {
  // The training length itself changes no number; the floor, which follows from it, does.
  fingerprint.add("position.kind", to_string(plan.kind))
      .add("heads", plan.heads)
      .add("kv_heads", plan.kv_heads)
      .add("head_dim", plan.head_dim)
      .add("theta", plan.theta)
      .add("rotary_dims", plan.rotary_dims)
      .add("layout", to_string(plan.layout))
      .add("turn", static_cast<int>(plan.turn))
      .add("floor_frequency", plan.floor_frequency)
      .add("clamp_order", to_string(plan.clamp_order));
  describe_scaling(plan.scaling, fingerprint);
  describe_fope(plan.fope, fingerprint);
  fingerprint.add("alibi.slopes", to_string(plan.alibi.slopes))
      .add("alibi.bias_max", plan.alibi.bias_max)
      .add("alibi.form", static_cast<int>(plan.alibi.form))
      .add("table_rows", plan.table_rows)
      .add("xpos.scale_base", plan.xpos.scale_base)
      .add("t5.buckets", plan.t5.buckets)
      .add("t5.most_distance", plan.t5.most_distance)
      .add("kerple.form", static_cast<int>(plan.kerple.form))
      .add("fire.hidden_width", plan.fire.hidden_width);
  describe_reach(plan, fingerprint);
}

}  // namespace yardstick::position
