#include "models/arch/overrides.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "models/arch/position_words.hpp"
#include "models/arch/rope_fields.hpp"

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
  for (const position::ValueSource& source : plan.sources) {
    const bool is_kept = source.field == "heads" || source.field == "kv_heads" ||
                         source.field == "head_dim" || source.field == "training_length" ||
                         source.field == "tie_embeddings";
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
  constexpr std::array<std::string_view, 14> kRopeKeys = {"rope_theta",
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
    if (key != "rope_theta") scaling_key = key;
  }
  if (const auto theta = reader.optional_number("rope_theta", kLeastPositive, kMostNumber)) {
    plan.theta = *theta;
    set_source(plan, "rope_theta", origin("rope_theta"));
  }
  reader.require("partial_rotary_factor", 1.0, "the decoder rotates whole heads");
  if (!scaling_key) return;
  if (!reader.has("rope_type") && !reader.has("type")) {
    throw reader.error(*scaling_key,
                       "needs a rope_type beside it: default, linear, dynamic, yarn, "
                       "llama3 or longrope");
  }
  RopeContext context;
  context.longest = plan.training_length;
  context.longest_origin = "training length of the checkpoint";
  context.missing = RopeContext::MissingOriginal::kUseLongest;
  read_scaling(reader, context, plan);
}

void change_fope(ConfigReader& reader, PositionPlan& plan) {
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

}  // namespace

void apply_position_overrides(const nlohmann::json& overrides, PositionPlan& plan) {
  if (overrides.is_null()) return;
  const Located located(overrides, "override");
  ConfigReader reader(located, "", "the position override");
  change_kind(reader, plan);
  change_rope(reader, plan);
  change_fope(reader, plan);
  change_alibi(reader, plan);
  reader.finish();
}

}  // namespace yardstick::models
