// The layout of models that this project trains: config.json with model_type "yardstick" (the field
// names of a Hugging Face LLaMA plus the position plan spelled out) and LLaMA's tensor names.
// Free of torch.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "models/decoder/config.hpp"

namespace yardstick::models {

/// The config.json that describes `config`; reading it back gives the same configuration.
/// @throws Error(kModel) naming the field, for a decoder that this layout has no words for
/// (anything but pre-norm RMSNorm with a weight, SwiGLU, and rope, alibi, fope or none).
[[nodiscard]] nlohmann::json yardstick_config(const DecoderConfig& config);

/// The checkpoint's name of a tensor of the decoder (see models/arch/architecture.hpp):
/// "layers.3.q.weight" -> "model.layers.3.self_attn.q_proj.weight". @throws Error(kInternal) for a
/// name that this layout does not have.
[[nodiscard]] std::string yardstick_tensor_name(std::string_view decoder_name);

}  // namespace yardstick::models
