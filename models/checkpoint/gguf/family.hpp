// What one general.architecture of GGUF files is in the words of Hugging Face: its tensors' names
// and row orders, and the fields of its config.json. One small file each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/checkpoint/gguf/file.hpp"
#include "models/checkpoint/gguf/metadata.hpp"

namespace yardstick::checkpoint::gguf {

/// How a tensor's rows in the file become the rows of Hugging Face's tensor.
enum class Order {
  kSame,
  kPairedQueries,  ///< per query head: rotary pairs side by side; wanted: first halves, then second
  kPairedKeys,     ///< the same per key head
  kByHead,         ///< all queries, all keys, all values; wanted: the three of one head together
  kTransposed      ///< a matrix [out, in]; wanted: [in, out]
};

struct Name {
  std::string_view gguf;  ///< without ".weight" or ".bias": "token_embd"; in a layer: "attn_q"
  std::string_view hf;    ///< "model.embed_tokens"; in a layer: "self_attn.q_proj"
  Order order = Order::kSame;
};

/// Sizes that every architecture states.
struct Dims {
  std::int64_t layers = 0;
  std::int64_t width = 0;
  std::int64_t mlp_width = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocabulary = 0;      ///< rows of the embedding
  std::int64_t context_length = 0;  ///< tokens that the model was made for
};

/// What a family's config() has at hand.
struct Facts {
  const File& file;
  Metadata& metadata;
  const Dims& dims;
  std::string prefix;  ///< "llama."

  [[nodiscard]] std::string key(std::string_view rest) const { return prefix + std::string(rest); }
  [[nodiscard]] bool has_tensor(std::string_view name) const {
    return find_tensor(file, name) != nullptr;
  }
};

struct Family {
  std::string_view architecture;
  std::span<const Name> outer;
  std::string_view layers;  ///< "model.layers."
  std::span<const Name> inner;
  /// Tensors that config() turns into fields.
  std::span<const std::string_view> consumed;
  /// The fields beside those that all share (vocab_size, tie_word_embeddings, token ids).
  nlohmann::json (*config)(const Facts& facts);
};

[[nodiscard]] const Family& llama_family();
[[nodiscard]] const Family& qwen2_family();
[[nodiscard]] const Family& gptneox_family();
[[nodiscard]] const Family& mpt_family();
[[nodiscard]] const Family& bloom_family();
[[nodiscard]] const Family& gpt2_family();

/// The family of general.architecture. @throws Error(kData) naming those that are read.
[[nodiscard]] const Family& choose_family(Metadata& metadata);

/// @throws Error(kData) naming the key that is missing or does not fit.
[[nodiscard]] Dims read_dims(const File& file, Metadata& metadata, const Family& family);

/// @throws Error(kData) unless every query head has keys of its own.
void require_own_keys(const Facts& facts);

/// Adds rope_theta (as `theta_key`) and rope_scaling to `config`, from the rope.* keys and from the
/// tensors rope_freqs and rope_factors_*.
void add_rope(const Facts& facts, std::string_view theta_key, nlohmann::json& config);
inline constexpr std::string_view kRopeTensors[] = {"rope_freqs.weight", "rope_factors_long.weight",
                                                    "rope_factors_short.weight"};

}  // namespace yardstick::checkpoint::gguf
