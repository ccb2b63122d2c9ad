// OLMo as the FoPE paper's training code runs it: config.yaml holds the whole training
// configuration, of which `model` describes the decoder.
#include "models/arch/olmo_fope.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "models/arch/factories.hpp"
#include "models/arch/overrides.hpp"
#include "models/arch/tensor_names.hpp"

namespace yardstick::models {
namespace {

constexpr std::string_view kHead = "transformer.ff_out.weight";
constexpr std::string_view kEmbedding = "transformer.wte.weight";

/// Training, initialisation, and how (not what) attention is computed.
constexpr std::array<std::string_view, 15> kInert = {
    "attention_dropout", "debug",           "emb_init_std",       "embedding_dropout",
    "eos_token_id",      "flash_attention", "init_cutoff_factor", "init_device",
    "init_fn",           "init_std",        "pad_token_id",       "precision",
    "residual_dropout",  "scale_emb_init",  "max_sequence_length"};

Biases biases(bool present) { return present ? Biases::kPresent : Biases::kAbsent; }

/// n_kv_heads, or what multi_query_attention makes of its absence; both given must agree.
std::int64_t read_kv_heads(ConfigReader& model, std::int64_t heads) {
  const auto kv_heads = model.optional_integer("n_kv_heads", 1, kMostDims);
  const auto multi_query = model.optional_flag("multi_query_attention");
  const std::int64_t implied = multi_query.value_or(false) ? 1 : heads;
  if (kv_heads && multi_query && *kv_heads != implied) {
    throw model.error("n_kv_heads", fmt::format("is {}, but multi_query_attention {} implies {}",
                                                *kv_heads, *multi_query, implied));
  }
  const std::int64_t found = kv_heads.value_or(implied);
  if (heads % found != 0) {
    throw model.error("n_kv_heads",
                      fmt::format("{} does not divide the {} query heads", found, heads));
  }
  return found;
}

void read_sizes(ConfigReader& model, DecoderConfig& config) {
  config.width = model.integer("d_model", 1, kMostDims);
  config.layers = model.integer("n_layers", 1, kMostLayers);
  config.heads = model.integer("n_heads", 1, kMostDims);
  if (config.width % config.heads != 0) {
    throw model.error("n_heads",
                      fmt::format("{} does not divide d_model ({})", config.heads, config.width));
  }
  config.head_dim = config.width / config.heads;
  config.kv_heads = read_kv_heads(model, config.heads);
  const std::int64_t words = model.integer("vocab_size", 1, kMostDims);
  config.vocabulary = model.optional_integer("embedding_size", 1, kMostDims).value_or(words);
  if (config.vocabulary < words) {
    throw model.error("embedding_size",
                      fmt::format("{} is less than vocab_size ({})", config.vocabulary, words));
  }
  position::PositionPlan& plan = config.position;
  plan.heads = config.heads;
  plan.kv_heads = config.kv_heads;
  plan.head_dim = config.head_dim;
  set_source(plan, "heads", model.origin("n_heads"));
  set_source(
      plan, "kv_heads",
      model.origin(model.has("multi_query_attention") ? "multi_query_attention" : "n_kv_heads"));
  set_source(plan, "head_dim",
             fmt::format("{}: d_model / n_heads", file_name(model.located().file())));
}

/// mlp_ratio and mlp_hidden_size count the width of ff_proj, of which SwiGLU takes two halves.
void read_mlp(ConfigReader& model, DecoderConfig& config) {
  constexpr std::array<std::pair<std::string_view, Activation>, 3> kActivations = {
      {{"swiglu", Activation::kSilu}, {"gelu", Activation::kGelu}, {"relu", Activation::kRelu}}};
  config.activation = model.optional_choice<Activation>("activation_type", kActivations)
                          .value_or(Activation::kSilu);
  config.mlp = config.activation == Activation::kSilu ? MlpForm::kGated : MlpForm::kPlain;
  const double ratio = model.optional_number("mlp_ratio", kLeastPositive, 1e6).value_or(4.0);
  const double product = ratio * static_cast<double>(config.width);
  const auto hidden = model.optional_integer("mlp_hidden_size", 1, kMostDims)
                          .value_or(static_cast<std::int64_t>(std::min(product, 1e12)));
  if (config.mlp == MlpForm::kGated && hidden % 2 != 0) {
    throw model.error("mlp_hidden_size",
                      fmt::format("the width of ff_proj is {}; SwiGLU needs an even one", hidden));
  }
  if (hidden < 1 || hidden > kMostDims) {
    throw model.error("mlp_ratio", fmt::format("makes a width of {}", hidden));
  }
  config.mlp_width = config.mlp == MlpForm::kGated ? hidden / 2 : hidden;
}

void read_norms(ConfigReader& model, DecoderConfig& config) {
  constexpr std::array<std::pair<std::string_view, NormKind>, 3> kKinds = {
      {{"default", NormKind::kLayer},
       {"low_precision", NormKind::kLayer},
       {"rms", NormKind::kRms}}};
  const bool include_bias = model.optional_flag("include_bias").value_or(true);
  const bool norm_bias = model.optional_flag("bias_for_layer_norm").value_or(include_bias);
  const auto parameters = [&](bool affine) {
    if (!affine) return NormParameters::kNone;
    return norm_bias ? NormParameters::kWeightAndBias : NormParameters::kWeight;
  };
  config.norm.kind =
      model.optional_choice<NormKind>("layer_norm_type", kKinds).value_or(NormKind::kLayer);
  config.norm.epsilon = model.optional_number("layer_norm_eps", 0.0, 1.0).value_or(1e-5);
  config.norm.parameters = parameters(model.optional_flag("layer_norm_with_affine").value_or(true));
  const bool qk_affine = model.optional_flag("attention_layer_norm_with_affine").value_or(true);
  if (model.optional_flag("attention_layer_norm").value_or(false)) {
    config.qk_norm.over = QkNorm::Over::kWholeProjection;
    config.qk_norm.norm = config.norm;
    config.qk_norm.norm.parameters = parameters(qk_affine);
  }
  if (model.optional_flag("embedding_layer_norm").value_or(false)) {
    config.embedding_norm = DecoderConfig::EmbeddingNorm::kPresent;
  }
  const Biases linear = biases(include_bias);
  config.attention_biases = linear;
  config.attention_out_bias = linear;
  config.mlp_biases = linear;
}

void require_supported(ConfigReader& model) {
  model.require("block_type", "sequential", "the training code runs no other here");
  model.require("norm_after", false, "the training code cannot run it");
  model.require("attention_layer_norm_v", false, "this decoder has no norm of values");
  model.require("attention_layer_norm_out", false, "this decoder has no norm after attention");
  model.require("freqwise_attention", false, "this decoder has one attention a head");
}

void read_head(ConfigReader& model, const ModelOverrides& overrides, const UnwrappedSource& source,
               DecoderConfig& config) {
  const HeadQuestion question{.head = std::string(kHead),
                              .embedding = std::string(kEmbedding),
                              .tied_key = "weight_tying",
                              .file = model.located().file(),
                              .tied_by_config = model.optional_flag("weight_tying").value_or(true)};
  config.head = decide_head(question, overrides, source, config.position);
  if (config.head == Head::kSeparate) config.head_bias = config.attention_biases;
}

void check_block_groups(ConfigReader& model, const UnwrappedSource& source) {
  const auto said = model.optional_integer("block_group_size", 1, kMostLayers).value_or(1);
  const BlockNaming naming = find_block_naming(source);
  if (naming.form == BlockNaming::Form::kBlocks || naming.group_size == said) return;
  throw model.error("block_group_size", fmt::format("is {}, but the checkpoint's groups hold {} "
                                                    "blocks",
                                                    said, naming.group_size));
}

class OlmoFope final : public Architecture {
 public:
  std::string_view name() const override { return "olmo_fope"; }

  std::string description() const override {
    return "OLMo training checkpoints of the FoPE paper: config.yaml and model.pt";
  }

  bool accepts(const ConfigSource& config) const override {
    if (!config.values.is_object() || config.values.contains("model_type")) return false;
    const auto model = config.values.find("model");
    return model != config.values.end() && model->is_object() && model->contains("d_model");
  }

  DecoderConfig read_config(const ConfigSource& source_config, const ModelOverrides& overrides,
                            const checkpoint::TensorSource& source) const override {
    return as_model_error([&] {
      const Located located(source_config.values, source_config.file);
      const UnwrappedSource unwrapped(source);
      ConfigReader model(located, "/model", "the model section");
      DecoderConfig config;
      config.architecture = name();
      read_sizes(model, config);
      read_mlp(model, config);
      read_norms(model, config);
      require_supported(model);
      config.clip_qkv = model.optional_number("clip_qkv", kLeastPositive, kMostNumber);
      if (model.optional_flag("scale_logits").value_or(false)) {
        config.logit_scale = 1.0 / std::sqrt(static_cast<double>(config.width));
      }
      check_block_groups(model, unwrapped);
      read_olmo_position(model, unwrapped, config.position);
      read_head(model, overrides, unwrapped, config);
      model.ignore(kInert);
      model.finish();
      apply_position_overrides(overrides.position, config);
      return config;
    });
  }

  std::vector<TensorSlot> slots(const DecoderConfig& config,
                                const checkpoint::TensorSource& source) const override {
    return olmo_slots(config, source);
  }

  /// The copy of a tied head, whose equality was checked, and what a model without positions (or
  /// with overridden ones) carries along; read_olmo_position() refuses stray ones. Rotary buffers
  /// and masks of older checkpoints are recomputed.
  bool is_recomputed_buffer(std::string_view source_name) const override {
    const std::string name = unwrapped_name(source_name);
    return name == kHead || name.find(".pos_emb.") != std::string::npos ||
           name.find(".rotary_emb.") != std::string::npos || name == "transformer.wpe.weight" ||
           name.ends_with("attention_bias");
  }
};

}  // namespace

const Architecture& olmo_fope_architecture() {
  static const OlmoFope kOlmoFope;
  return kOlmoFope;
}

}  // namespace yardstick::models
