// Inside the room: fields that many configurations of the Hugging Face transformers library have.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "models/arch/config_reader.hpp"

namespace yardstick::models {

[[nodiscard]] Biases biases(bool present);

/// Names of one setting, newest first.
using KeyNames = std::initializer_list<std::string_view>;

/// What a family calls its sizes.
struct SizeKeys {
  KeyNames width = {"hidden_size"};
  KeyNames layers = {"num_hidden_layers"};
  KeyNames heads = {"num_attention_heads"};
};

/// vocab_size, width, layers and heads; key heads as many as query heads, unless `kv_heads` names a
/// key that says otherwise; head_dim from its key or width / heads. Fills the plan's heads too.
void read_sizes(ConfigReader& reader, DecoderConfig& config, const SizeKeys& keys = {});
void read_kv_heads(ConfigReader& reader, DecoderConfig& config,
                   std::string_view key = "num_key_value_heads");
void read_head_dim(ConfigReader& reader, DecoderConfig& config);

/// What the library's configuration class says where the file has no such key at all.
void set_default_kv_heads(ConfigReader& reader, DecoderConfig& config, std::int64_t count);
void set_default_head_dim(ConfigReader& reader, DecoderConfig& config, std::int64_t dims);
[[nodiscard]] std::optional<double> number_or_default(ConfigReader& reader, std::string_view key,
                                                      double fallback);

/// intermediate_size and the activation; without one a gated MLP has SiLU.
void read_mlp(ConfigReader& reader, DecoderConfig& config, MlpForm form,
              KeyNames activation = {"hidden_act"});

/// An activation by one of transformers' names; `fallback` if the key is absent.
[[nodiscard]] Activation read_activation(ConfigReader& reader, KeyNames keys,
                                         std::optional<Activation> fallback = std::nullopt);

/// RMSNorm with a weight, epsilon from rms_norm_eps.
[[nodiscard]] Norm read_rms_norm(ConfigReader& reader, double fallback = 1e-6);

/// LayerNorm; epsilon from `key`.
[[nodiscard]] Norm read_layer_norm(ConfigReader& reader, std::string_view key,
                                   NormParameters parameters = NormParameters::kWeightAndBias);

/// attention_bias for q, k, v and o alike.
void read_attention_bias(ConfigReader& reader, DecoderConfig& config,
                         Biases absent = Biases::kAbsent);

/// Everything of a LLaMA's configuration but its positions.
void read_llama_body(ConfigReader& reader, DecoderConfig& config);

/// A learned table of as many positions as one of the keys says.
void read_learned_positions(ConfigReader& reader, DecoderConfig& config, KeyNames keys);

}  // namespace yardstick::models
