#include "models/arch/yardstick.hpp"

#include <array>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/overrides.hpp"
#include "models/arch/position_words.hpp"
#include "models/arch/scaling_fields.hpp"
#include "models/arch/tensor_names.hpp"
#include "models/arch/tensor_rules.hpp"

namespace yardstick::models {
namespace {

using position::Fope;
using position::Kind;
using position::PositionPlan;

constexpr std::array<Word<Kind>, 9> kKindWords = {{{"rope", Kind::kRope},
                                                   {"alibi", Kind::kAlibi},
                                                   {"fope", Kind::kFope},
                                                   {"none", Kind::kNone},
                                                   {"xpos", Kind::kXpos},
                                                   {"sinusoidal", Kind::kSinusoidal},
                                                   {"t5", Kind::kT5Bias},
                                                   {"kerple", Kind::kKerple},
                                                   {"fire", Kind::kFire}}};

constexpr std::array<Word<position::Kerple::Form>, 2> kKerpleWords = {
    {{"log", position::Kerple::Form::kLogarithm}, {"power", position::Kerple::Form::kPower}}};

// Reading
// ------------------------------------------------------------------------------------------

std::string fope_name(std::string_view part) {
  return yardstick_tensor_name(fmt::format("layers.0.fope.{}_coef", part));
}

void read_rotation(ConfigReader& reader, PositionPlan& plan) {
  plan.rotary_dims = plan.head_dim;
  set_source(plan, "rotary_dims", "head_dim, for the whole head rotates");
  plan.theta = reader.number("rope_theta", kLeastPositive, kMostNumber);
  set_source(plan, "rope_theta", reader.origin("rope_theta"));
  plan.layout = reader.optional_choice<position::PairLayout>("pair_layout", kLayoutWords)
                    .value_or(plan.layout);
  set_source(plan, "pair_layout", reader.origin("pair_layout"));
  plan.clamp_order = reader.optional_choice<position::ClampOrder>("clamp_order", kClampWords)
                         .value_or(plan.clamp_order);
  set_source(plan, "clamp_order", reader.origin("clamp_order"));
  const double default_floor =
      plan.kind == Kind::kFope ? 2.0 * std::numbers::pi / static_cast<double>(plan.training_length)
                               : 0.0;
  plan.floor_frequency =
      reader.optional_number("floor_frequency", 0.0, kMostNumber).value_or(default_floor);
  set_source(plan, "floor_frequency", reader.origin("floor_frequency"));
  set_source(plan, "scaling.rope_type", reader.origin("scaling"));
  if (!reader.has("scaling")) return;
  ConfigReader object = reader.object("scaling", "the scaling");
  RopeContext context;
  context.longest = plan.training_length;
  context.longest_origin = reader.origin("training_length");
  context.missing = RopeContext::MissingOriginal::kUseLongest;
  read_scaling(object, context, plan);
}

void read_fope(ConfigReader& reader, const checkpoint::TensorSource& source, PositionPlan& plan) {
  Fope& fope = plan.fope;
  fope.zero_pairs = reader.optional_choice<position::ZeroPairs>("zero_pairs", kZeroPairWords)
                        .value_or(fope.zero_pairs);
  set_source(plan, "fope.zero_pairs", reader.origin("zero_pairs"));
  if (reader.has("fope")) {
    ConfigReader object = reader.object("fope", "FoPE's settings");
    const auto choose = [&](std::string_view key, auto& field, auto when_true, auto when_false) {
      if (const auto flag = object.optional_flag(key)) field = *flag ? when_true : when_false;
      set_source(plan, fmt::format("fope.{}", key), object.origin(key));
    };
    choose("separate_heads", fope.heads, Fope::Heads::kSeparate, Fope::Heads::kShared);
    choose("separate_basis", fope.basis, Fope::Basis::kSeparate, Fope::Basis::kShared);
    choose("normalised", fope.coefficients, Fope::Coefficients::kColumnNormalised,
           Fope::Coefficients::kAsStored);
    choose("zeros_dropped", fope.zeros, Fope::Zeros::kDropped, Fope::Zeros::kKept);
    fope.bank_dims = object.optional_integer("bank_dims", 0, kMostDims).value_or(0);
    set_source(plan, "fope.bank_dims", object.origin("bank_dims"));
  }
  read_fope_counts(fope_name("cos"), source, plan);
}

void read_alibi(ConfigReader& reader, PositionPlan& plan) {
  plan.alibi.slopes = reader.optional_choice<position::SlopeRule>("alibi_slopes", kSlopeWords)
                          .value_or(plan.alibi.slopes);
  plan.alibi.bias_max =
      reader.optional_number("bias_max", kLeastPositive, kMostNumber).value_or(plan.alibi.bias_max);
  set_source(plan, "alibi.slopes", reader.origin("alibi_slopes"));
  set_source(plan, "alibi_bias_max", reader.origin("bias_max"));
}

/// Encodings with a number or two of their own.
void read_small(ConfigReader& reader, PositionPlan& plan) {
  const auto note = [&](std::string_view key) { set_source(plan, key, reader.origin(key)); };
  if (plan.kind == Kind::kXpos) {
    plan.xpos.scale_base = reader.optional_number("scale_base", kLeastPositive, kMostNumber)
                               .value_or(plan.xpos.scale_base);
    note("scale_base");
  }
  if (plan.kind == Kind::kSinusoidal) {
    plan.theta = reader.optional_number("theta", 1.0, kMostNumber).value_or(10000.0);
    plan.layout = reader.optional_choice<position::PairLayout>("pair_layout", kLayoutWords)
                      .value_or(position::PairLayout::kInterleaved);
    note("theta");
    note("pair_layout");
  }
  if (plan.kind == Kind::kT5Bias) {
    plan.t5.buckets = reader.optional_integer("buckets", 2, kMostDims).value_or(plan.t5.buckets);
    plan.t5.most_distance =
        reader.optional_integer("max_distance", 2, kMostTokens).value_or(plan.t5.most_distance);
    note("buckets");
    note("max_distance");
  }
  if (plan.kind == Kind::kKerple) {
    plan.kerple.form = reader.optional_choice<position::Kerple::Form>("form", kKerpleWords)
                           .value_or(plan.kerple.form);
    note("form");
  }
  if (plan.kind == Kind::kFire) {
    plan.fire.hidden_width =
        reader.optional_integer("hidden_width", 1, kMostDims).value_or(plan.fire.hidden_width);
    note("hidden_width");
  }
}

void read_position(ConfigReader& config, const checkpoint::TensorSource& source,
                   PositionPlan& plan) {
  if (!config.has("position")) throw config.error("position", "a yardstick model needs this key");
  ConfigReader reader = config.object("position", "the position plan");
  const auto kind = reader.optional_choice<Kind>("kind", kKindWords);
  if (!kind)
    throw reader.error("kind",
                       "expected rope, alibi, fope, none, xpos, sinusoidal, t5, kerple "
                       "or fire");
  plan.kind = *kind;
  set_source(plan, "kind", reader.origin("kind"));
  const bool needs_length = plan.kind == Kind::kFope;
  plan.training_length =
      reader.optional_integer("training_length", needs_length ? 1 : 0, kMostTokens).value_or(0);
  if (needs_length && plan.training_length == 0) {
    throw reader.error("training_length", "FoPE's floor needs the training length in tokens");
  }
  set_source(plan, "training_length", reader.origin("training_length"));
  const bool rotates =
      plan.kind == Kind::kRope || plan.kind == Kind::kFope || plan.kind == Kind::kXpos;
  if (rotates) read_rotation(reader, plan);
  read_small(reader, plan);
  if (plan.kind == Kind::kFope) read_fope(reader, source, plan);
  if (plan.kind == Kind::kAlibi) read_alibi(reader, plan);
  if (plan.kind != Kind::kFope && find_tensor(source, fope_name("cos")) != nullptr) {
    throw reader.error("kind", fmt::format("is '{}', but the checkpoint has FoPE's coefficients "
                                           "('{}')",
                                           to_string(plan.kind), fope_name("cos")));
  }
}

TensorNames yardstick_names() {
  TensorNames names = llama_names();
  names.fope = TensorNames::FopePlace::kLayer;
  return names;
}

class Yardstick final : public HfFamily {
 public:
  Yardstick() : HfFamily("yardstick", "") {}

  std::string description() const override { return "models that `yardstick train` writes"; }

  /// Coefficients count as used: read_position() refuses them in a model that is not FoPE, and an
  /// override to another encoding leaves them aside.
  bool is_recomputed_buffer(std::string_view source_name) const override {
    return HfFamily::is_recomputed_buffer(source_name) ||
           source_name.find(".self_attn.fope.") != std::string_view::npos;
  }

  TensorNames names(const DecoderConfig& /*config*/) const override { return yardstick_names(); }

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& source,
            DecoderConfig& config) const override {
    read_llama_body(reader, config);
    read_position(reader, source, config.position);
  }
};

// Writing
// ------------------------------------------------------------------------------------------

[[noreturn]] void refuse(std::string_view field) {
  throw Error(ErrorKind::kModel,
              fmt::format("config.json of a yardstick model has no words for this {}", field));
}

void check_expressible(const DecoderConfig& config) {
  if (config.norm.kind != NormKind::kRms || config.norm.parameters != NormParameters::kWeight) {
    refuse("norm");
  }
  if (config.qk_norm.over != QkNorm::Over::kNone) refuse("norm of queries and keys");
  if (config.mlp != MlpForm::kGated || config.activation != Activation::kSilu) refuse("MLP");
  if (config.attention_biases != config.attention_out_bias) refuse("mixture of attention biases");
  if (config.head_bias != Biases::kAbsent) refuse("bias of the head");
  if (config.clip_qkv) refuse("clip_qkv");
  if (config.embedding_norm != DecoderConfig::EmbeddingNorm::kAbsent) refuse("embedding norm");
  if (config.logit_scale != 1.0) refuse("logit scale");
  const PositionPlan& plan = config.position;
  const bool is_written = plan.kind == Kind::kNone || plan.kind == Kind::kRope ||
                          plan.kind == Kind::kAlibi || plan.kind == Kind::kFope;
  if (!is_written || !config.layer_plans.others.empty()) refuse("position encoding");
  if (plan.reach != position::Reach() || plan.query_scale != position::QueryScale())
    refuse("reach of attention");
  if (config.norm_placement != NormPlacement::kBefore || config.block != BlockForm::kSequential ||
      config.residual != Residual::kInput || config.norm.weight_offset != 0.0) {
    refuse("block");
  }
  if (config.embedding_scale != 1.0 || config.residual_scale != 1.0 || config.logit_soft_cap ||
      config.attention_scale || config.attention_soft_cap) {
    refuse("scale");
  }
  const bool rotates = plan.kind == Kind::kRope || plan.kind == Kind::kFope;
  if (rotates && plan.rotary_dims != plan.head_dim) refuse("partial rotation");
  if (plan.scaling.kind == position::ScalingKind::kLongRope) refuse("longrope scaling");
  if (plan.scaling.yarn_mix != 1.0) refuse("yarn_mix");
}

nlohmann::json position_to_json(const PositionPlan& plan) {
  nlohmann::json out = {{"kind", word_of(kKindWords, plan.kind)},
                        {"training_length", plan.training_length}};
  if (plan.kind == Kind::kRope || plan.kind == Kind::kFope) {
    out["rope_theta"] = plan.theta;
    out["pair_layout"] = word_of(kLayoutWords, plan.layout);
    out["clamp_order"] = word_of(kClampWords, plan.clamp_order);
    out["floor_frequency"] = plan.floor_frequency;
    if (plan.scaling.kind != position::ScalingKind::kNone) {
      out["scaling"] = scaling_to_hf(plan.scaling);
    }
  }
  if (plan.kind == Kind::kFope) {
    const Fope& fope = plan.fope;
    out["zero_pairs"] = word_of(kZeroPairWords, fope.zero_pairs);
    out["fope"] = {{"separate_heads", fope.heads == Fope::Heads::kSeparate},
                   {"separate_basis", fope.basis == Fope::Basis::kSeparate},
                   {"normalised", fope.coefficients == Fope::Coefficients::kColumnNormalised},
                   {"zeros_dropped", fope.zeros == Fope::Zeros::kDropped},
                   {"bank_dims", fope.bank_dims}};
  }
  if (plan.kind == Kind::kAlibi) {
    out["alibi_slopes"] = word_of(kSlopeWords, plan.alibi.slopes);
    out["bias_max"] = plan.alibi.bias_max;
  }
  return out;
}

}  // namespace

const Architecture& yardstick_architecture() {
  static const Yardstick kYardstick;
  return kYardstick;
}

nlohmann::json yardstick_config(const DecoderConfig& config) {
  check_expressible(config);
  return {{"model_type", "yardstick"},
          {"vocab_size", config.vocabulary},
          {"hidden_size", config.width},
          {"intermediate_size", config.mlp_width},
          {"num_hidden_layers", config.layers},
          {"num_attention_heads", config.heads},
          {"num_key_value_heads", config.kv_heads},
          {"head_dim", config.head_dim},
          {"hidden_act", "silu"},
          {"rms_norm_eps", config.norm.epsilon},
          {"attention_bias", config.attention_biases == Biases::kPresent},
          {"mlp_bias", config.mlp_biases == Biases::kPresent},
          {"tie_word_embeddings", config.head == Head::kTied},
          {"position", position_to_json(config.position)}};
}

std::string yardstick_tensor_name(std::string_view decoder_name) {
  return stored_name(yardstick_names(), "model.", decoder_name);
}

}  // namespace yardstick::models
