// Inside the room: one factory an architecture; the table in registry.cpp names them all.
#pragma once

#include "models/arch/architecture.hpp"

namespace yardstick::models {

[[nodiscard]] const Architecture& arcee_architecture();
[[nodiscard]] const Architecture& bloom_architecture();
[[nodiscard]] const Architecture& cohere_architecture();
[[nodiscard]] const Architecture& cohere2_architecture();
[[nodiscard]] const Architecture& exaone4_architecture();
[[nodiscard]] const Architecture& falcon_architecture();
[[nodiscard]] const Architecture& gemma_architecture();
[[nodiscard]] const Architecture& gemma2_architecture();
[[nodiscard]] const Architecture& gemma3_text_architecture();
[[nodiscard]] const Architecture& glm4_architecture();
[[nodiscard]] const Architecture& gpt2_architecture();
[[nodiscard]] const Architecture& gpt_neox_architecture();
[[nodiscard]] const Architecture& gptj_architecture();
[[nodiscard]] const Architecture& granite_architecture();
[[nodiscard]] const Architecture& llama_architecture();
[[nodiscard]] const Architecture& ministral3_architecture();
[[nodiscard]] const Architecture& mistral_architecture();
[[nodiscard]] const Architecture& mpt_architecture();
[[nodiscard]] const Architecture& nanochat_architecture();
[[nodiscard]] const Architecture& olmo_architecture();
[[nodiscard]] const Architecture& olmo2_architecture();
[[nodiscard]] const Architecture& olmo3_architecture();
[[nodiscard]] const Architecture& olmo_fope_architecture();
[[nodiscard]] const Architecture& opt_architecture();
[[nodiscard]] const Architecture& phi_architecture();
[[nodiscard]] const Architecture& phi3_architecture();
[[nodiscard]] const Architecture& qwen2_architecture();
[[nodiscard]] const Architecture& qwen3_architecture();
[[nodiscard]] const Architecture& smollm3_architecture();
[[nodiscard]] const Architecture& stablelm_architecture();
[[nodiscard]] const Architecture& starcoder2_architecture();
[[nodiscard]] const Architecture& yardstick_architecture();

}  // namespace yardstick::models
