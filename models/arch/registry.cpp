// The table of architectures: one line each.
#include "models/arch/registry.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "models/arch/factories.hpp"

namespace yardstick::models {

std::vector<const Architecture*> architectures() {
  return {&arcee_architecture(),      &bloom_architecture(),     &cohere_architecture(),
          &cohere2_architecture(),    &exaone4_architecture(),   &falcon_architecture(),
          &gemma_architecture(),      &gemma2_architecture(),    &gemma3_text_architecture(),
          &glm4_architecture(),       &gpt2_architecture(),      &gpt_neox_architecture(),
          &gptj_architecture(),       &granite_architecture(),   &llama_architecture(),
          &ministral3_architecture(), &mistral_architecture(),   &mpt_architecture(),
          &nanochat_architecture(),   &olmo_architecture(),      &olmo2_architecture(),
          &olmo3_architecture(),      &olmo_fope_architecture(), &opt_architecture(),
          &phi_architecture(),        &phi3_architecture(),      &qwen2_architecture(),
          &qwen3_architecture(),      &smollm3_architecture(),   &stablelm_architecture(),
          &starcoder2_architecture(), &yardstick_architecture()};
}

const Architecture& choose_architecture(const ConfigSource& config) {
  std::vector<std::string> names;
  std::string list;
  for (const Architecture* const architecture : architectures()) {
    if (architecture->accepts(config)) return *architecture;
    names.emplace_back(architecture->name());
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const nlohmann::json type = config.values.is_object()
                                  ? config.values.value("model_type", nlohmann::json())
                                  : nlohmann::json();
  if (type.is_string()) {
    const auto word = type.get<std::string>();
    throw Error(ErrorKind::kModel,
                fmt::format("{}: model_type '{}' is not supported{}; supported architectures: {}",
                            config.file, word, did_you_mean(word, names), list));
  }
  throw Error(ErrorKind::kModel,
              fmt::format("{}: found neither a model_type nor an OLMo training configuration (key "
                          "'model'); supported architectures: {}",
                          config.file, list));
}

}  // namespace yardstick::models
