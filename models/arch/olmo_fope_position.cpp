// Position keys of the OLMo/FoPE configuration.
#include "models/arch/olmo_fope.hpp"

#include <array>
#include <numbers>

#include <fmt/format.h>

#include "models/arch/tensor_names.hpp"

namespace yardstick::models {
namespace {

using position::Fope;
using position::Kind;
using position::PositionPlan;
using position::Scaling;
using position::ScalingKind;

/// Keys that the training code reads, in settings that this decoder does not compute.
void require_plain_rope(ConfigReader& model) {
  constexpr std::string_view kWhy = "this decoder computes the plain form only";
  model.require("rope_init_distribution", "exponential", kWhy);
  model.require("rope_init_floor_freq", 0.0, kWhy);
  model.require("rope_init_upper_freq", 1.0, kWhy);
  model.require("rope_zero_freq_ratio", -1.0, kWhy);
  for (const std::string_view key :
       {"rope_no_pos", "rope_no_rotary", "rope_no_repetition", "rope_include_neg_freq",
        "rope_clamp_upper_freq", "rope_clamp_to_linear"}) {
    model.require(key, false, kWhy);
  }
  model.require("rope_learnable", false, "learned frequencies lie in the checkpoint");
}

void ignore_rope_keys(ConfigReader& model) {
  // Read by the code only where another setting turns them on, or about training alone.
  // rope_full_precision is what this decoder always does.
  constexpr std::array<std::string_view, 9> kInert = {"rope_full_precision",
                                                      "rope_upper_freq_ratio",
                                                      "rope_clamp_upper_to_zero",
                                                      "rope_clamp_to_linear_mode",
                                                      "fourier_init",
                                                      "fourier_init_norm_gain",
                                                      "fourier_learnable",
                                                      "len_extra_fourier_expand",
                                                      "rope_clamp_floor_to_zero"};
  model.ignore(kInert);
}

/// Everything positional that another kind of encoding would read.
void ignore_all(ConfigReader& model) {
  constexpr std::array<std::string_view, 32> kAll = {"alibi",
                                                     "alibi_bias_max",
                                                     "rope",
                                                     "rope_theta",
                                                     "rope_init_distribution",
                                                     "rope_init_floor_freq",
                                                     "rope_init_upper_freq",
                                                     "rope_zero_freq_ratio",
                                                     "rope_no_pos",
                                                     "rope_no_rotary",
                                                     "rope_no_repetition",
                                                     "rope_include_neg_freq",
                                                     "rope_clamp_upper_freq",
                                                     "rope_clamp_to_linear",
                                                     "rope_learnable",
                                                     "rope_floor_freq_ratio",
                                                     "rope_clamp_floor_freq",
                                                     "fourier",
                                                     "fourier_dim",
                                                     "fourier_separate_basis",
                                                     "fourier_separate_head",
                                                     "fourier_norm",
                                                     "fourier_ignore_zero",
                                                     "len_extra",
                                                     "len_extra_type",
                                                     "len_extra_before_clamp",
                                                     "len_extra_orig_length",
                                                     "len_extra_yarn_scale",
                                                     "len_extra_yarn_beta_fast",
                                                     "len_extra_yarn_beta_slow",
                                                     "len_extra_yarn_factor",
                                                     "pos_emb"};
  model.ignore(kAll);
}

double noted_number(ConfigReader& model, std::string_view key, double fallback,
                    std::string_view field, PositionPlan& plan) {
  set_source(plan, field, model.origin(key));
  return model.optional_number(key, kLeastPositive, kMostNumber).value_or(fallback);
}

/// Length extension: PI is the ratio of two lengths, YaRN brings its own scale and no temperature.
void read_extension(ConfigReader& model, PositionPlan& plan) {
  set_source(plan, "scaling.rope_type", model.origin("len_extra"));
  if (!model.optional_flag("len_extra").value_or(false)) return;
  constexpr std::string_view kTypeKey = "len_extra_type";
  Scaling& scaling = plan.scaling;
  scaling.original_length = model.integer("len_extra_orig_length", 1, kMostTokens);
  set_source(plan, "scaling.original_max_position_embeddings",
             model.origin("len_extra_orig_length"));
  constexpr std::array<std::pair<std::string_view, ScalingKind>, 2> kTypes = {
      {{"PI", ScalingKind::kLinear}, {"YARN", ScalingKind::kYarn}}};
  const auto kind = model.optional_choice<ScalingKind>(kTypeKey, kTypes);
  if (!kind) throw model.error(kTypeKey, "len_extra is true; expected PI or YARN");
  scaling.kind = *kind;
  set_source(plan, "scaling.rope_type", model.origin(kTypeKey));
  const bool scales_first = model.optional_flag("len_extra_before_clamp").value_or(false);
  plan.clamp_order =
      scales_first ? position::ClampOrder::kScaleThenClamp : position::ClampOrder::kClampThenScale;
  set_source(plan, "clamp_order", model.origin("len_extra_before_clamp"));
  if (scaling.kind == ScalingKind::kLinear) {
    scaling.factor =
        static_cast<double>(plan.training_length) / static_cast<double>(scaling.original_length);
    set_source(plan, "scaling.factor",
               fmt::format("{}: max_sequence_length / len_extra_orig_length",
                           file_name(model.located().file())));
    return;
  }
  scaling.factor = noted_number(model, "len_extra_yarn_scale", 16.0, "scaling.factor", plan);
  scaling.beta_fast =
      noted_number(model, "len_extra_yarn_beta_fast", 32.0, "scaling.beta_fast", plan);
  scaling.beta_slow =
      noted_number(model, "len_extra_yarn_beta_slow", 1.0, "scaling.beta_slow", plan);
  scaling.yarn_mix = model.optional_number("len_extra_yarn_factor", -kMostNumber, kMostNumber)
                         .value_or(scaling.yarn_mix);
  set_source(plan, "scaling.yarn_mix", model.origin("len_extra_yarn_factor"));
  scaling.attention_factor = 1.0;
  set_source(plan, "scaling.attention_factor", "family: this code has no temperature");
}

void read_floor(ConfigReader& model, PositionPlan& plan) {
  set_source(plan, "floor_frequency", model.origin("rope_clamp_floor_freq"));
  if (!model.optional_flag("rope_clamp_floor_freq").value_or(false)) return;
  if (!model.optional_flag("rope_clamp_floor_to_zero").value_or(false)) {
    throw model.error("rope_clamp_floor_to_zero",
                      "false with rope_clamp_floor_freq is not supported: the training code cannot "
                      "run it; expected true");
  }
  const double ratio =
      model.optional_number("rope_floor_freq_ratio", 0.0, kMostNumber).value_or(1.0);
  plan.floor_frequency = ratio * 2.0 * std::numbers::pi / static_cast<double>(plan.training_length);
  set_source(plan, "floor_frequency",
             fmt::format("{}: rope_floor_freq_ratio x 2 pi / max_sequence_length",
                         file_name(model.located().file())));
}

void read_rope(ConfigReader& model, PositionPlan& plan) {
  plan.kind = Kind::kRope;
  plan.rotary_dims = plan.head_dim;
  set_source(plan, "rotary_dims", "head_dim, for the whole head rotates");
  set_source(plan, "pair_layout", "family: halves of a head");
  set_source(plan, "clamp_order", model.origin("len_extra_before_clamp"));
  plan.theta = noted_number(model, "rope_theta", 10000.0, "rope_theta", plan);
  require_plain_rope(model);
  read_floor(model, plan);
  read_extension(model, plan);
}

std::string coefficient_name(const UnwrappedSource& source, const Fope& fope) {
  const bool is_one_basis = fope.basis == Fope::Basis::kShared;
  return fmt::format("{}pos_emb.{}", block_prefix(find_block_naming(source), 0),
                     is_one_basis ? "fourier_coef" : "cos_coef");
}

void read_fourier(ConfigReader& model, const UnwrappedSource& source, PositionPlan& plan) {
  plan.kind = Kind::kFope;
  Fope& fope = plan.fope;
  set_source(plan, "fope.zero_pairs", "family: the training code pads both with 1");
  fope.bank_dims = model.optional_integer("fourier_dim", 0, kMostDims).value_or(0);
  fope.basis = model.flag("fourier_separate_basis") ? Fope::Basis::kSeparate : Fope::Basis::kShared;
  fope.heads = model.flag("fourier_separate_head") ? Fope::Heads::kSeparate : Fope::Heads::kShared;
  fope.coefficients = model.flag("fourier_norm") ? Fope::Coefficients::kColumnNormalised
                                                 : Fope::Coefficients::kAsStored;
  fope.zeros = model.flag("fourier_ignore_zero") ? Fope::Zeros::kDropped : Fope::Zeros::kKept;
  set_source(plan, "fope.bank_dims", model.origin("fourier_dim"));
  set_source(plan, "fope.separate_basis", model.origin("fourier_separate_basis"));
  set_source(plan, "fope.separate_heads", model.origin("fourier_separate_head"));
  set_source(plan, "fope.normalised", model.origin("fourier_norm"));
  set_source(plan, "fope.zeros_dropped", model.origin("fourier_ignore_zero"));
  if (fope.heads == Fope::Heads::kSeparate && plan.kv_heads != plan.heads) {
    throw model.error("fourier_separate_head",
                      fmt::format("true with {} key heads for {} query heads is not supported: the "
                                  "training code cannot run it",
                                  plan.kv_heads, plan.heads));
  }
  read_fope_counts(coefficient_name(source, fope), source, plan);
}

void read_alibi(ConfigReader& model, PositionPlan& plan) {
  plan.kind = Kind::kAlibi;
  plan.alibi.slopes = position::SlopeRule::kGeometric;
  set_source(plan, "alibi.slopes", "family: geometric for every head count");
  plan.alibi.bias_max = noted_number(model, "alibi_bias_max", 8.0, "alibi_bias_max", plan);
}

void read_learned(ConfigReader& model, PositionPlan& plan) {
  plan.kind = Kind::kLearned;
  plan.table_rows = plan.training_length;
  set_source(plan, "table_rows", model.origin("max_sequence_length"));
}

/// A checkpoint with coefficients or a learned table is that kind of model, whatever its
/// configuration says; only without any position embedding does the training code carry
/// coefficients along unused.
void refuse_stray_tensors(ConfigReader& model, const UnwrappedSource& source,
                          const PositionPlan& plan) {
  for (const checkpoint::TensorView& view : source.tensors()) {
    const bool is_coefficient = view.name.find(".pos_emb.") != std::string::npos &&
                                plan.kind != Kind::kFope && plan.kind != Kind::kNone;
    const bool is_table = view.name == "transformer.wpe.weight" && plan.kind != Kind::kLearned;
    if (!is_coefficient && !is_table) continue;
    throw model.error("pos_emb", fmt::format("the settings make the encoding '{}', but the "
                                             "checkpoint has the tensor '{}'; the configuration "
                                             "belongs to another checkpoint",
                                             to_string(plan.kind), view.name));
  }
}

}  // namespace

void read_olmo_position(ConfigReader& model, const UnwrappedSource& source, PositionPlan& plan) {
  plan.training_length = model.integer("max_sequence_length", 1, kMostTokens);
  set_source(plan, "training_length", model.origin("max_sequence_length"));
  const bool has_positions = model.optional_flag("pos_emb").value_or(true);
  const bool alibi = model.optional_flag("alibi").value_or(false);
  const bool rope = model.optional_flag("rope").value_or(false);
  const bool fourier = model.optional_flag("fourier").value_or(false);
  set_source(plan, "kind",
             fmt::format("{}: pos_emb, alibi, rope, fourier", file_name(model.located().file())));
  if (has_positions && alibi && rope) {
    throw model.error("alibi", "true together with rope is not supported: the two would be added");
  }
  if (has_positions && fourier && !rope) {
    throw model.error("fourier",
                      "true without rope is not supported: the training code cannot run "
                      "it; expected rope: true");
  }
  if (!has_positions) {
    plan.kind = Kind::kNone;
  } else if (rope) {
    read_rope(model, plan);
    if (fourier) read_fourier(model, source, plan);
  } else if (alibi) {
    read_alibi(model, plan);
  } else {
    read_learned(model, plan);
  }
  refuse_stray_tensors(model, source, plan);
  ignore_rope_keys(model);
  ignore_all(model);
}

}  // namespace yardstick::models
