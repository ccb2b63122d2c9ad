#include "models/arch/rope_fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/position/frequencies.hpp"

namespace yardstick::models {
namespace {

using position::PositionPlan;
using position::Scaling;
using position::ScalingKind;

using TypeWord = std::pair<std::string_view, ScalingKind>;
constexpr std::array<TypeWord, 12> kTypes = {{{"default", ScalingKind::kNone},
                                              {"linear", ScalingKind::kLinear},
                                              {"ntk", ScalingKind::kNtk},
                                              {"ntk_by_parts", ScalingKind::kNtkByParts},
                                              {"dynamic", ScalingKind::kDynamicNtk},
                                              {"dynamic_linear", ScalingKind::kDynamicLinear},
                                              {"dynamic_yarn", ScalingKind::kDynamicYarn},
                                              {"yarn", ScalingKind::kYarn},
                                              {"llama3", ScalingKind::kLlama3},
                                              {"longrope", ScalingKind::kLongRope},
                                              {"su", ScalingKind::kLongRope},
                                              {"proportional", ScalingKind::kProportional}}};

/// The pieces that reading one rope object needs.
struct Reading {
  ConfigReader& reader;
  const RopeContext& context;
  PositionPlan& plan;

  Scaling& scaling() const { return plan.scaling; }
  void note(std::string_view key) const {
    set_source(plan, fmt::format("scaling.{}", key), reader.origin(key));
  }
  double number(std::string_view key, double fallback) const {
    note(key);
    return reader.optional_number(key, kLeastPositive, kMostNumber).value_or(fallback);
  }
  double needed(std::string_view key) const {
    note(key);
    return reader.number(key, kLeastPositive, kMostNumber);
  }
};

ScalingKind read_type(ConfigReader& reader, PositionPlan& plan) {
  const auto named = reader.optional_choice<ScalingKind>("rope_type", kTypes);
  const auto legacy = reader.optional_choice<ScalingKind>("type", kTypes);
  if (named && legacy && *named != *legacy) {
    throw reader.error("type", fmt::format("is '{}', but rope_type is '{}'; they are two names of "
                                           "one setting: remove one",
                                           to_string(*legacy), to_string(*named)));
  }
  set_source(plan, "scaling.rope_type", reader.origin(legacy && !named ? "type" : "rope_type"));
  if (!named && !legacy && (reader.has("factor") || reader.has("short_factor"))) {
    throw reader.error("rope_type", "a scaling factor stands here, but no rope_type says which");
  }
  return named.value_or(legacy.value_or(ScalingKind::kNone));
}

/// The original length from inside the object or beside it; both present must agree.
std::optional<std::int64_t> read_original(const Reading& r) {
  constexpr std::string_view kKey = "original_max_position_embeddings";
  const std::optional<std::int64_t> inside = r.reader.optional_integer(kKey, 1, kMostTokens);
  const std::optional<std::int64_t> beside = r.context.original;
  if (inside && beside && *inside != *beside) {
    throw r.reader.error(kKey, fmt::format("is {}, but {} says {}; make them agree", *inside,
                                           r.context.original_origin, *beside));
  }
  if (inside) r.note(kKey);
  if (!inside && beside)
    set_source(r.plan, fmt::format("scaling.{}", kKey), r.context.original_origin);
  return inside ? inside : beside;
}

/// For scalings that cannot do without the original length.
std::int64_t need_original(const Reading& r, std::optional<std::int64_t> original) {
  constexpr std::string_view kKey = "original_max_position_embeddings";
  if (original) return *original;
  if (r.context.missing == RopeContext::MissingOriginal::kRefuse || r.context.longest == 0) {
    throw r.reader.error(kKey, fmt::format("scaling '{}' needs this key: the length in tokens that "
                                           "the unscaled model was trained with",
                                           to_string(r.scaling().kind)));
  }
  set_source(r.plan, fmt::format("scaling.{}", kKey), r.context.longest_origin);
  return r.context.longest;
}

/// transformers counts dynamic NTK from max_position_embeddings, whatever else is said.
void read_dynamic(const Reading& r, std::optional<std::int64_t> original) {
  constexpr std::string_view kKey = "original_max_position_embeddings";
  r.scaling().factor = r.needed("factor");
  const bool is_checkpoint = r.context.missing == RopeContext::MissingOriginal::kRefuse;
  if (is_checkpoint && original && *original != r.context.longest) {
    throw r.reader.error(
        kKey, fmt::format("is {}, but dynamic scaling starts at max_position_embeddings, which is "
                          "{}; make them agree",
                          *original, r.context.longest));
  }
  r.scaling().original_length = original.value_or(r.context.longest);
  if (!original) {
    set_source(r.plan, fmt::format("scaling.{}", kKey), r.context.longest_origin);
  }
}

void read_yarn(const Reading& r, std::optional<std::int64_t> original) {
  Scaling& scaling = r.scaling();
  scaling.factor = r.needed("factor");
  scaling.original_length = need_original(r, original);
  const double implied =
      static_cast<double>(r.context.longest) / static_cast<double>(scaling.original_length);
  const bool is_checkpoint = r.context.missing == RopeContext::MissingOriginal::kRefuse;
  if (is_checkpoint && implied != scaling.factor) {
    set_source(r.plan, "scaling.factor",
               fmt::format("{} (used; max_position_embeddings / original would be {})",
                           r.reader.origin("factor"), implied));
  }
  scaling.beta_fast = r.number("beta_fast", scaling.beta_fast);
  scaling.beta_slow = r.number("beta_slow", scaling.beta_slow);
  for (const auto& [key, value] : {std::pair{"mscale", &scaling.mscale},
                                   std::pair{"mscale_all_dim", &scaling.mscale_all_dim}}) {
    *value = r.reader.optional_number(key, 0.0, kMostNumber);
    if (*value) r.note(key);
  }
  r.note("truncate");
  if (!r.reader.optional_flag("truncate").value_or(true))
    scaling.ramp_ends = Scaling::RampEnds::kExact;
}

void read_llama3(const Reading& r, std::optional<std::int64_t> original) {
  r.scaling().factor = r.needed("factor");
  r.scaling().original_length = need_original(r, original);
  r.scaling().low_frequency_factor = r.needed("low_freq_factor");
  r.scaling().high_frequency_factor = r.needed("high_freq_factor");
}

void read_longrope(const Reading& r, std::optional<std::int64_t> original) {
  Scaling& scaling = r.scaling();
  const std::optional<double> factor =
      r.reader.optional_number("factor", kLeastPositive, kMostNumber);
  const auto list = [&](std::string_view key) {
    auto values = r.reader.optional_numbers(key);
    if (!values) throw r.reader.error(key, "scaling 'longrope' needs this list of factors");
    r.note(key);
    return *std::move(values);
  };
  scaling.short_factor = list("short_factor");
  scaling.long_factor = list("long_factor");
  for (const auto& [key, value] : {std::pair{"short_mscale", &scaling.short_mscale},
                                   std::pair{"long_mscale", &scaling.long_mscale}}) {
    *value = r.reader.optional_number(key, kLeastPositive, kMostNumber);
    if (*value) r.note(key);
  }
  if (original) {
    scaling.original_length = *original;
    scaling.extended_length = r.context.longest;
    set_source(r.plan, "scaling.max_position_embeddings", r.context.longest_origin);
    scaling.factor = static_cast<double>(r.context.longest) / static_cast<double>(*original);
    set_source(r.plan, "scaling.factor", fmt::format("{} / original", r.context.longest_origin));
    return;
  }
  scaling.original_length = r.context.longest;
  set_source(r.plan, "scaling.original_max_position_embeddings", r.context.longest_origin);
  if (!factor) throw r.reader.error("factor", "scaling 'longrope' needs it or the original length");
  scaling.factor = *factor;
  r.note("factor");
}

/// The whole set of rotary keys, so that a key of another scaling gets a message of its own.
constexpr std::array<std::string_view, 13> kScalingKeys = {
    "factor",          "original_max_position_embeddings",
    "low_freq_factor", "high_freq_factor",
    "beta_fast",       "beta_slow",
    "mscale",          "mscale_all_dim",
    "short_factor",    "long_factor",
    "short_mscale",    "long_mscale",
    "truncate"};

std::vector<std::string_view> used_keys(ScalingKind kind) {
  constexpr std::string_view kOriginal = "original_max_position_embeddings";
  switch (kind) {
    case ScalingKind::kNone: return {kOriginal};
    case ScalingKind::kProportional: return {"factor"};
    case ScalingKind::kLinear:
    case ScalingKind::kNtk:
    case ScalingKind::kNtkByParts:
    case ScalingKind::kDynamicNtk: return {"factor", kOriginal};
    case ScalingKind::kDynamicLinear: return {kOriginal};
    case ScalingKind::kDynamicYarn: return {kOriginal, "beta_fast", "beta_slow"};
    case ScalingKind::kYarn:
      return {"factor", kOriginal,        "beta_fast", "beta_slow",
              "mscale", "mscale_all_dim", "truncate"};
    case ScalingKind::kLlama3: return {"factor", kOriginal, "low_freq_factor", "high_freq_factor"};
    case ScalingKind::kLongRope:
      return {"factor", kOriginal, "short_factor", "long_factor", "short_mscale", "long_mscale"};
  }
  throw Error(ErrorKind::kInternal, "a scaling kind has no keys");
}

void refuse_foreign_keys(ConfigReader& reader, ScalingKind kind) {
  const std::vector<std::string_view> used = used_keys(kind);
  for (const std::string_view key : kScalingKeys) {
    if (std::ranges::find(used, key) != used.end() || !reader.has(key)) continue;
    throw reader.error(
        key, fmt::format("has no meaning for rope_type '{}'; is the type right?", to_string(kind)));
  }
}

/// The pointer of the object that holds the rope settings of a layer type, if any: rope_parameters
/// (version 5, perhaps with an object a layer type) or rope_scaling.
std::optional<std::string> rope_object(ConfigReader& config, std::string_view layer_type) {
  const nlohmann::json scaling = config.raw("rope_scaling");
  const nlohmann::json parameters = config.raw("rope_parameters");
  if (!scaling.is_null() && !parameters.is_null() && scaling != parameters) {
    throw config.error("rope_scaling", "differs from rope_parameters; remove one of them");
  }
  if (parameters.is_null()) {
    if (scaling.is_null()) return std::nullopt;
    return config.pointer("rope_scaling");
  }
  const std::string pointer = config.pointer("rope_parameters");
  if (!has_rope_by_layer_type(config)) return pointer;
  if (parameters.value(std::string(layer_type), nlohmann::json()).is_null()) {
    throw config.error("rope_parameters", fmt::format("has no settings for {}", layer_type));
  }
  return fmt::format("{}/{}", pointer, layer_type);
}

/// A setting inside the rope object and beside it must agree.
void check_agreement(ConfigReader& object, std::string_view key, double inside,
                     ConfigReader& config, std::string_view beside_key) {
  const auto beside = config.optional_number(beside_key, 0.0, kMostNumber);
  if (!beside || *beside == inside) return;
  throw object.error(
      key, fmt::format("is {}, but {} beside it is {}; remove one", inside, beside_key, *beside));
}

void set_rotary_dims(ConfigReader& where, std::string_view key, double share, PositionPlan& plan) {
  // As transformers computes it: int(head_dim * factor).
  plan.rotary_dims = static_cast<std::int64_t>(static_cast<double>(plan.head_dim) * share);
  if (share > 1.0 || plan.rotary_dims < 2 || plan.rotary_dims % 2 != 0) {
    throw where.error(key, fmt::format("{} of {} head dims makes {} rotary dims; expected an even "
                                       "number from 2 to {}",
                                       share, plan.head_dim, plan.rotary_dims, plan.head_dim));
  }
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

void read_object(ConfigReader& config, const std::string& pointer, const RopeContext& context,
                 const RopeFamily& family, PositionPlan& plan) {
  const std::string name = pointer.substr(pointer.rfind('/') + 1);
  ConfigReader object(config.located(), pointer, name);
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
  if (plan.scaling.kind == ScalingKind::kProportional) {
    plan.scaling.proportion = object.optional_number(kPartial, kLeastPositive, 1.0).value_or(1.0);
    plan.rotary_dims = plan.head_dim;
  }
  read_query_scale(object, plan);
  read_fope(object, plan);
  object.finish();
  if (plan.scaling.kind != ScalingKind::kNone && original) {
    plan.training_length = *original;
    const auto source = std::ranges::find(plan.sources, "scaling.original_max_position_embeddings",
                                          &position::ValueSource::field);
    set_source(plan, "training_length", source == plan.sources.end() ? "" : source->source);
  }
}

}  // namespace

std::optional<std::int64_t> read_scaling(ConfigReader& reader, const RopeContext& context,
                                         PositionPlan& plan) {
  std::erase_if(plan.sources,
                [](const position::ValueSource& s) { return s.field.starts_with("scaling."); });
  plan.scaling = {};
  const Reading r{reader, context, plan};
  const ScalingKind kind = read_type(reader, plan);
  plan.scaling.kind = kind;
  refuse_foreign_keys(reader, kind);
  const std::optional<std::int64_t> original = read_original(r);
  switch (kind) {
    case ScalingKind::kNone: break;
    case ScalingKind::kProportional: plan.scaling.factor = r.number("factor", 1.0); break;
    case ScalingKind::kLinear:
    case ScalingKind::kNtk: plan.scaling.factor = r.needed("factor"); break;
    case ScalingKind::kNtkByParts:
      plan.scaling.factor = r.needed("factor");
      plan.scaling.original_length = need_original(r, original);
      break;
    case ScalingKind::kDynamicLinear:
      plan.scaling.original_length = need_original(r, original);
      break;
    case ScalingKind::kDynamicYarn:
      plan.scaling.original_length = need_original(r, original);
      plan.scaling.beta_fast = r.number("beta_fast", plan.scaling.beta_fast);
      plan.scaling.beta_slow = r.number("beta_slow", plan.scaling.beta_slow);
      break;
    case ScalingKind::kDynamicNtk: read_dynamic(r, original); break;
    case ScalingKind::kYarn: read_yarn(r, original); break;
    case ScalingKind::kLlama3: read_llama3(r, original); break;
    case ScalingKind::kLongRope: read_longrope(r, original); break;
  }
  const std::string_view factor_key = reader.either({"attention_factor", "attn_factor"});
  plan.scaling.attention_factor = reader.optional_number(factor_key, kLeastPositive, kMostNumber);
  if (plan.scaling.attention_factor) {
    if (kind != ScalingKind::kYarn && kind != ScalingKind::kLongRope) {
      throw reader.error(factor_key,
                         fmt::format("has no meaning for rope_type '{}'", to_string(kind)));
    }
    set_source(plan, "scaling.attention_factor", reader.origin(factor_key));
  } else if (kind != ScalingKind::kNone) {
    set_source(plan, "scaling.attention_factor", fmt::format("formula of '{}'", to_string(kind)));
  }
  return original;
}

bool has_rope_by_layer_type(ConfigReader& config) {
  const nlohmann::json parameters = config.raw("rope_parameters");
  if (!parameters.is_object() || parameters.empty()) return false;
  return std::ranges::all_of(parameters,
                             [](const nlohmann::json& value) { return value.is_object(); });
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
  set_rotary_dims(config, partial_key, share.value_or(family.partial), plan);
  set_source(plan, "rotary_dims", config.origin(partial_key));
  set_source(plan, "scaling.rope_type", config.origin("rope_scaling"));
  if (const std::optional<std::string> object = rope_object(config, family.layer_type)) {
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

nlohmann::json scaling_to_hf(const Scaling& scaling) {
  nlohmann::json out = {{"rope_type", to_string(scaling.kind)}};
  const std::vector<std::string_view> used = used_keys(scaling.kind);
  const auto put = [&](std::string_view key, const auto& value) {
    if (std::ranges::find(used, key) != used.end()) out[std::string(key)] = value;
  };
  if (scaling.original_length > 0) {
    put("original_max_position_embeddings", scaling.original_length);
  }
  put("factor", scaling.factor);
  put("low_freq_factor", scaling.low_frequency_factor);
  put("high_freq_factor", scaling.high_frequency_factor);
  put("beta_fast", scaling.beta_fast);
  put("beta_slow", scaling.beta_slow);
  if (scaling.mscale) put("mscale", *scaling.mscale);
  if (scaling.mscale_all_dim) put("mscale_all_dim", *scaling.mscale_all_dim);
  put("short_factor", scaling.short_factor);
  put("long_factor", scaling.long_factor);
  if (scaling.attention_factor) out["attention_factor"] = *scaling.attention_factor;
  return out;
}

}  // namespace yardstick::models
