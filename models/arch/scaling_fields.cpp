#include "models/arch/scaling_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace yardstick::models {
namespace {

using position::PositionPlan;
using position::Scaling;
using position::ScalingKind;

constexpr std::string_view kShare = "partial_rotary_factor";

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

/// Without a scaling there is one length only.
void refuse_other_original(const Reading& r, std::optional<std::int64_t> original) {
  if (!original || *original == r.context.longest || r.context.longest == 0) return;
  throw r.reader.error(
      "original_max_position_embeddings",
      fmt::format("is {} and {} says {}, but rope_type 'default' scales nothing; make them agree",
                  *original, r.context.longest_origin, r.context.longest));
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
  scaling.original_length = original.value_or(r.context.longest);
  if (!original)
    set_source(r.plan, "scaling.original_max_position_embeddings", r.context.longest_origin);
  // A factor that is given decides; Phi 3's files have none, but both lengths.
  if (const auto factor = r.reader.optional_number("factor", kLeastPositive, kMostNumber)) {
    scaling.factor = *factor;
    r.note("factor");
    return;
  }
  if (!original)
    throw r.reader.error("factor", "scaling 'longrope' needs it or the original length");
  scaling.factor = static_cast<double>(r.context.longest) / static_cast<double>(*original);
  set_source(r.plan, "scaling.factor", fmt::format("{} / original", r.context.longest_origin));
}

/// The share of the pairs that turn; the bank itself covers the whole head.
void read_proportional(const Reading& r) {
  r.scaling().factor = r.number("factor", 1.0);
  const auto inside = r.reader.optional_number(kShare, kLeastPositive, 1.0);
  r.scaling().proportion = inside ? *inside : r.context.partial.value_or(1.0);
  r.note(kShare);
  r.plan.rotary_dims = r.plan.head_dim;
  set_source(r.plan, "rotary_dims", "head_dim, for 'proportional' covers the whole head");
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
    case ScalingKind::kNone: refuse_other_original(r, original); break;
    case ScalingKind::kProportional: read_proportional(r); break;
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
  if (scaling.kind == ScalingKind::kProportional) out[std::string(kShare)] = scaling.proportion;
  if (scaling.ramp_ends == Scaling::RampEnds::kExact) put("truncate", false);
  put("low_freq_factor", scaling.low_frequency_factor);
  put("high_freq_factor", scaling.high_frequency_factor);
  put("beta_fast", scaling.beta_fast);
  put("beta_slow", scaling.beta_slow);
  if (scaling.mscale) put("mscale", *scaling.mscale);
  if (scaling.mscale_all_dim) put("mscale_all_dim", *scaling.mscale_all_dim);
  put("short_factor", scaling.short_factor);
  put("long_factor", scaling.long_factor);
  if (scaling.short_mscale) put("short_mscale", *scaling.short_mscale);
  if (scaling.long_mscale) put("long_mscale", *scaling.long_mscale);
  if (scaling.attention_factor) out["attention_factor"] = *scaling.attention_factor;
  return out;
}

}  // namespace yardstick::models
