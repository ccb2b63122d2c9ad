// Inside the room: blocks that several architectures of one maker share.
#pragma once

#include "models/arch/hf_family.hpp"

namespace yardstick::models {

/// OLMo 2 and 3: norms behind attention and MLP, RMSNorm over the projections of q and k.
void read_olmo2_body(ConfigReader& reader, DecoderConfig& config);
[[nodiscard]] TensorNames olmo2_names();

/// GPT-2 and GPT-J: sizes by their n_ names, a plain MLP, LayerNorm; what classifiers and training
/// read is left aside.
void read_gpt2_body(ConfigReader& reader, DecoderConfig& config);

/// Gemma: weights of norms less 1, embeddings times sqrt(width), a head's width of its own.
void read_gemma_body(ConfigReader& reader, DecoderConfig& config);

/// Gemma 2 and 3: norms around attention and MLP, query_pre_attn_scalar.
void read_gemma2_body(ConfigReader& reader, DecoderConfig& config);
[[nodiscard]] TensorNames gemma2_names();

/// Command R and R7B: attention and MLP side by side behind one LayerNorm without bias.
void read_cohere_body(ConfigReader& reader, DecoderConfig& config);

}  // namespace yardstick::models
