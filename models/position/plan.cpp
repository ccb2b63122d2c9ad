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
              {"yarn_mix", scaling.yarn_mix}};
  if (scaling.mscale) out["mscale"] = *scaling.mscale;
  if (scaling.mscale_all_dim) out["mscale_all_dim"] = *scaling.mscale_all_dim;
  return out;
}

json own_fields(const Scaling& scaling) {
  switch (scaling.kind) {
    case ScalingKind::kNone: return json::object();
    case ScalingKind::kLinear: return {{"factor", scaling.factor}};
    case ScalingKind::kDynamicNtk:
      return {{"factor", scaling.factor},
              {"original_max_position_embeddings", scaling.original_length}};
    case ScalingKind::kYarn: return yarn_json(scaling);
    case ScalingKind::kLlama3:
      return {{"factor", scaling.factor},
              {"original_max_position_embeddings", scaling.original_length},
              {"low_freq_factor", scaling.low_frequency_factor},
              {"high_freq_factor", scaling.high_frequency_factor}};
    case ScalingKind::kLongRope:
      return {{"factor", scaling.factor},
              {"original_max_position_embeddings", scaling.original_length},
              {"max_position_embeddings", scaling.extended_length},
              {"short_factor", scaling.short_factor},
              {"long_factor", scaling.long_factor}};
  }
  throw Error(ErrorKind::kInternal, "a scaling kind has no JSON form");
}

json scaling_json(const Scaling& scaling) {
  json out = own_fields(scaling);
  out["rope_type"] = to_string(scaling.kind);
  out["attention_factor"] = attention_factor(scaling);
  return out;
}

json rotation_json(const PositionPlan& plan) {
  return {{"rope_theta", plan.theta},
          {"rotary_dims", plan.rotary_dims},
          {"pair_layout", to_string(plan.layout)},
          {"scaling", scaling_json(plan.scaling)},
          {"floor_frequency", plan.floor_frequency},
          {"clamp_order", to_string(plan.clamp_order)}};
}

json fope_json(const Fope& fope) {
  return {{"zero_sin", fope.zero_pairs == ZeroPairs::kCosOneSinOne ? 1 : 0},
          {"separate_heads", fope.heads == Fope::Heads::kSeparate},
          {"separate_basis", fope.basis == Fope::Basis::kSeparate},
          {"normalised", fope.coefficients == Fope::Coefficients::kColumnNormalised},
          {"zeros_dropped", fope.zeros == Fope::Zeros::kDropped},
          {"bank_dims", fope.bank_dims},
          {"input_count", fope.input_count},
          {"output_count", fope.output_count}};
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
      .add("yarn_mix", scaling.yarn_mix);
  add_optional("attention_factor", scaling.attention_factor, fingerprint);
  add_optional("mscale", scaling.mscale, fingerprint);
  add_optional("mscale_all_dim", scaling.mscale_all_dim, fingerprint);
  add_list("short_factor", scaling.short_factor, fingerprint);
  add_list("long_factor", scaling.long_factor, fingerprint);
  fingerprint.add("extended_length", scaling.extended_length);
}

void describe_fope(const Fope& fope, Fingerprint& fingerprint) {
  fingerprint.add("fope.zero_pairs", static_cast<int>(fope.zero_pairs))
      .add("fope.heads", static_cast<int>(fope.heads))
      .add("fope.basis", static_cast<int>(fope.basis))
      .add("fope.coefficients", static_cast<int>(fope.coefficients))
      .add("fope.zeros", static_cast<int>(fope.zeros))
      .add("fope.bank_dims", fope.bank_dims)
      .add("fope.input_count", fope.input_count)
      .add("fope.output_count", fope.output_count);
}

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kNone: return "none";
    case Kind::kRope: return "rope";
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
  if (plan.kind == Kind::kRope || plan.kind == Kind::kFope) out.update(rotation_json(plan));
  if (plan.kind == Kind::kFope) out["fope"] = fope_json(plan.fope);
  if (plan.kind == Kind::kAlibi) {
    out["alibi"] = {{"slopes", to_string(plan.alibi.slopes)}, {"bias_max", plan.alibi.bias_max}};
  }
  if (plan.kind == Kind::kLearned) out["table_rows"] = plan.table_rows;
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
      .add("floor_frequency", plan.floor_frequency)
      .add("clamp_order", to_string(plan.clamp_order));
  describe_scaling(plan.scaling, fingerprint);
  describe_fope(plan.fope, fingerprint);
  fingerprint.add("alibi.slopes", to_string(plan.alibi.slopes))
      .add("alibi.bias_max", plan.alibi.bias_max)
      .add("table_rows", plan.table_rows);
}

}  // namespace yardstick::position
