// A one-layer llama on disk, whole or damaged, for tests of how models are opened.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "models/checkpoint/containers.hpp"
#include "models/model_folder.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {

struct SmallLlama {
  nlohmann::json config = {{"model_type", "llama"},
                           {"architectures", {"LlamaForCausalLM"}},
                           {"vocab_size", 6},
                           {"hidden_size", 8},
                           {"intermediate_size", 12},
                           {"num_hidden_layers", 1},
                           {"num_attention_heads", 2},
                           {"num_key_value_heads", 1},
                           {"rms_norm_eps", 1e-5},
                           {"max_position_embeddings", 64},
                           {"tie_word_embeddings", true}};
  std::vector<checkpoint::TensorToWrite> tensors;

  SmallLlama() {
    const std::string layer = "model.layers.0.";
    add("model.embed_tokens.weight", {6, 8}).add("model.norm.weight", {8});
    add(layer + "input_layernorm.weight", {8}).add(layer + "post_attention_layernorm.weight", {8});
    add(layer + "self_attn.q_proj.weight", {8, 8}).add(layer + "self_attn.k_proj.weight", {4, 8});
    add(layer + "self_attn.v_proj.weight", {4, 8}).add(layer + "self_attn.o_proj.weight", {8, 8});
    add(layer + "mlp.gate_proj.weight", {12, 8}).add(layer + "mlp.up_proj.weight", {12, 8});
    add(layer + "mlp.down_proj.weight", {8, 12});
  }

  /// Adds an f32 tensor whose element i is sin(0.37 i + shift).
  SmallLlama& add(const std::string& name, const std::vector<std::int64_t>& shape,
                  float shift = 0) {
    const std::int64_t count =
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * sizeof(float));
    for (std::int64_t i = 0; i < count; ++i) {
      const float value = std::sin(static_cast<float>(i) * 0.37F + shift);
      std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(float), &value,
                  sizeof(float));
    }
    tensors.push_back({.name = name, .shape = shape, .bytes = std::move(bytes)});
    return *this;
  }

  void write_config(const TemporaryFolder& folder) const {
    write_file_atomically(folder / "config.json", config.dump());
  }
  void write(const TemporaryFolder& folder) const {
    write_config(folder);
    checkpoint::write_safetensors(folder / "model.safetensors", tensors, {});
  }

  /// Two shards with their index; the second begins at tensor `at`.
  void write_shards(const TemporaryFolder& folder, std::size_t at) const {
    write_config(folder);
    nlohmann::json index = {{"metadata", {{"total_size", 0}}}, {"weight_map", {}}};
    const auto cut = tensors.begin() + static_cast<std::ptrdiff_t>(at);
    const std::vector<std::vector<checkpoint::TensorToWrite>> parts = {{tensors.begin(), cut},
                                                                       {cut, tensors.end()}};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string name = "model-0000" + std::to_string(i + 1) + "-of-00002.safetensors";
      checkpoint::write_safetensors(folder / name, parts[i], {});
      for (const auto& tensor : parts[i]) index["weight_map"][tensor.name] = name;
    }
    write_file_atomically(folder / "model.safetensors.index.json", index.dump());
  }
};

inline models::ModelFolder open_model(const std::filesystem::path& path,
                                      std::optional<bool> tie_embeddings = std::nullopt) {
  models::ModelSpec spec;
  spec.folder = path;
  spec.overrides.tie_embeddings = tie_embeddings;
  return models::ModelFolder(std::move(spec));
}

inline std::string refusal_of(const std::filesystem::path& path) {
  return error_message([&] { static_cast<void>(open_model(path)); });
}

}  // namespace yardstick::test
