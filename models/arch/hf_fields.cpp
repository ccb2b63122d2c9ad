#include "models/arch/hf_fields.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace yardstick::models {
namespace {

constexpr std::array<std::pair<std::string_view, Activation>, 11> kActivations = {
    {{"silu", Activation::kSilu},
     {"swish", Activation::kSilu},
     {"gelu", Activation::kGelu},
     {"gelu_python", Activation::kGelu},
     {"gelu_new", Activation::kGeluTanh},
     {"gelu_fast", Activation::kGeluTanh},
     {"gelu_pytorch_tanh", Activation::kGeluTanh},
     {"gelu_accurate", Activation::kGeluTanh},
     {"relu", Activation::kRelu},
     {"relu2", Activation::kReluSquared},
     {"relu_squared", Activation::kReluSquared}}};

}  // namespace

Biases biases(bool present) { return present ? Biases::kPresent : Biases::kAbsent; }

void read_sizes(ConfigReader& reader, DecoderConfig& config, const SizeKeys& keys) {
  position::PositionPlan& plan = config.position;
  config.vocabulary = reader.integer("vocab_size", 1, kMostDims);
  const std::string_view width = reader.either(keys.width);
  const std::string_view heads = reader.either(keys.heads);
  config.width = reader.integer(width, 1, kMostDims);
  config.layers = reader.integer(reader.either(keys.layers), 1, kMostLayers);
  config.heads = reader.integer(heads, 1, kMostDims);
  config.kv_heads = plan.heads = plan.kv_heads = config.heads;
  set_source(plan, "heads", reader.origin(heads));
  set_source(plan, "kv_heads", "family: as many as query heads");
  if (config.width % config.heads == 0) {
    config.head_dim = plan.head_dim = config.width / config.heads;
    set_source(plan, "head_dim",
               fmt::format("{}: {} / {}", file_name(reader.located().file()), width, heads));
    return;
  }
  if (reader.has("head_dim")) return;  // read_head_dim() comes
  throw reader.error(heads, fmt::format("{} does not divide {} ({}), and there is no head_dim",
                                        config.heads, width, config.width));
}

void read_kv_heads(ConfigReader& reader, DecoderConfig& config, std::string_view key) {
  const std::optional<std::int64_t> found = reader.optional_integer(key, 1, kMostDims);
  if (!found) return;
  if (config.heads % *found != 0) {
    throw reader.error(key,
                       fmt::format("{} does not divide the {} query heads", *found, config.heads));
  }
  config.kv_heads = config.position.kv_heads = *found;
  set_source(config.position, "kv_heads", reader.origin(key));
}

void set_default_kv_heads(ConfigReader& reader, DecoderConfig& config, std::int64_t count) {
  constexpr std::string_view kKey = "num_key_value_heads";
  if (!reader.is_absent(kKey)) return;
  if (config.heads % count != 0) {
    throw reader.error(kKey, fmt::format("is absent, which means {} in this family, but that does "
                                         "not divide the {} query heads",
                                         count, config.heads));
  }
  config.kv_heads = config.position.kv_heads = count;
  set_source(config.position, "kv_heads", reader.origin(kKey));
}

void set_default_head_dim(ConfigReader& reader, DecoderConfig& config, std::int64_t dims) {
  if (!reader.is_absent("head_dim")) return;
  config.head_dim = config.position.head_dim = dims;
  set_source(config.position, "head_dim", reader.origin("head_dim"));
}

std::optional<double> number_or_default(ConfigReader& reader, std::string_view key,
                                        double fallback) {
  if (reader.is_absent(key)) return fallback;
  return reader.optional_number(key, kLeastPositive, kMostNumber);
}

void read_head_dim(ConfigReader& reader, DecoderConfig& config) {
  const std::optional<std::int64_t> found = reader.optional_integer("head_dim", 1, kMostDims);
  if (!found) return;
  config.head_dim = config.position.head_dim = *found;
  set_source(config.position, "head_dim", reader.origin("head_dim"));
}

void read_mlp(ConfigReader& reader, DecoderConfig& config, MlpForm form, KeyNames activation) {
  config.mlp_width = reader.integer("intermediate_size", 1, kMostDims);
  config.mlp = form;
  const std::optional<Activation> fallback =
      form == MlpForm::kGated ? std::optional(Activation::kSilu) : std::nullopt;
  config.activation = read_activation(reader, activation, fallback);
}

Activation read_activation(ConfigReader& reader, KeyNames keys,
                           std::optional<Activation> fallback) {
  const std::string_view key = reader.either(keys);
  const auto found = reader.optional_choice<Activation>(key, kActivations);
  if (found) return *found;
  if (fallback) return *fallback;
  throw reader.error(key, "the configuration needs this key, an activation's name");
}

Norm read_rms_norm(ConfigReader& reader, double fallback) {
  return {.kind = NormKind::kRms,
          .parameters = NormParameters::kWeight,
          .epsilon = reader.optional_number("rms_norm_eps", 0.0, 1.0).value_or(fallback)};
}

Norm read_layer_norm(ConfigReader& reader, std::string_view key, NormParameters parameters) {
  return {.kind = NormKind::kLayer,
          .parameters = parameters,
          .epsilon = reader.optional_number(key, 0.0, 1.0).value_or(1e-5)};
}

void read_attention_bias(ConfigReader& reader, DecoderConfig& config, Biases absent) {
  const std::optional<bool> found = reader.optional_flag("attention_bias");
  const Biases attention = found ? biases(*found) : absent;
  config.attention_biases = attention;
  config.attention_out_bias = attention;
}

void read_llama_body(ConfigReader& reader, DecoderConfig& config) {
  read_sizes(reader, config);
  read_kv_heads(reader, config);
  read_head_dim(reader, config);
  read_mlp(reader, config, MlpForm::kGated);
  config.norm = read_rms_norm(reader);
  read_attention_bias(reader, config);
  config.mlp_biases = biases(reader.optional_flag("mlp_bias").value_or(false));
}

void read_learned_positions(ConfigReader& reader, DecoderConfig& config, KeyNames keys) {
  position::PositionPlan& plan = config.position;
  const std::string_view key = reader.either(keys);
  plan.kind = position::Kind::kLearned;
  set_source(plan, "kind", "family: learned positions");
  plan.table_rows = plan.training_length = reader.integer(key, 1, kMostDims);
  set_source(plan, "table_rows", reader.origin(key));
  set_source(plan, "training_length", reader.origin(key));
}

}  // namespace yardstick::models
