// Architectures: each is one small file that maps a checkpoint's configuration and tensor names
// onto the shared decoder. Free of torch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/checkpoint/tensor.hpp"
#include "models/decoder/config.hpp"

namespace yardstick::models {

/// How one tensor of the decoder, or some of its rows, is found in the checkpoint. The source's
/// rows (of its transpose, if it is stored so) are cut into `groups` equal groups, and of each the
/// slot takes shape[0] / groups rows from row_begin on: so fused projections are split. With one
/// group nothing is copied.
struct TensorSlot {
  std::string name;                        ///< decoder's name, see the list below
  std::string source;                      ///< checkpoint's name
  std::vector<std::int64_t> shape;         ///< of the slot
  std::vector<std::int64_t> source_shape;  ///< that the whole source tensor must have
  std::int64_t row_begin = 0;
  std::int64_t groups = 1;
  enum class Storage { kAsIs, kTransposed } storage = Storage::kAsIs;
};

// Slots of one name that follow each other are parts of one tensor, laid end to end by rows.

// The decoder's names:
//   embed.weight [V, E]; positions.weight [rows, E] (learned); embed_norm.{weight,bias} [E]
//   layers.N.{attn_norm,attn_post_norm}.{weight,bias} [E];
//   layers.N.{q,k,v}.{weight,bias} [H*D or G*D, E];
//   layers.N.{q_norm,k_norm}.{weight,bias} [H*D, G*D or D]; layers.N.o.{weight,bias} [E, H*D];
//   layers.N.{mlp_norm,mlp_post_norm}.{weight,bias} [E];
//   layers.N.{gate,up}.{weight,bias} [F, E] (gate if gated); layers.N.down.{weight,bias} [E, F];
//   layers.N.fope.{cos,sin}_coef [H, G or 1, n, d]; layers.N.position.NAME as encoding_tensors()
//   norm.{weight,bias} [E]; head.weight [V, E] (absent when tied)

/// Model folder overrides from a suite or the command line; each wins over the checkpoint and is
/// recorded as its value's source.
struct ModelOverrides {
  nlohmann::json position;  ///< object: HF's rope_parameters names, or {zero_pairs: paper}, ...
  std::optional<bool> tie_embeddings;
};

/// Config, in the words of its own family, plus where it was read.
struct ConfigSource {
  nlohmann::json values;
  std::string file;  ///< for messages: ".../config.json"
};

class Architecture {
 public:
  virtual ~Architecture() = default;

  /// "llama", as `list architectures` prints it.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// What it is, in a few words for `list architectures`.
  [[nodiscard]] virtual std::string description() const = 0;

  /// Whether this mapping reads such a config (model_type, or the shape of an OLMo config).
  [[nodiscard]] virtual bool accepts(const ConfigSource& config) const = 0;

  /// The decoder that the config describes. `source` is consulted only for facts that the config
  /// leaves to the file (an absent head, FoPE's matrix sizes).
  /// @throws Error(kModel) naming file, key, value and what is supported; an unknown key that may
  /// change the numbers is an error, never ignored.
  [[nodiscard]] virtual DecoderConfig read_config(const ConfigSource& config,
                                                  const ModelOverrides& overrides,
                                                  const checkpoint::TensorSource& source) const = 0;

  /// Where each of the decoder's tensors lies. Source tensors that no slot names and that
  /// ignored() does not list are unexpected.
  [[nodiscard]] virtual std::vector<TensorSlot> slots(
      const DecoderConfig& config, const checkpoint::TensorSource& source) const = 0;

  /// Whether a source tensor is a buffer that can be recomputed (rotary_emb.inv_freq, causal
  /// masks).
  [[nodiscard]] virtual bool is_recomputed_buffer(std::string_view source_name) const = 0;
};

/// All architectures, sorted by name.
[[nodiscard]] std::vector<const Architecture*> architectures();

/// Checks the slots against the source: every slot present once with its shape, every source tensor
/// used or a recomputed buffer. @throws Error(kModel) with one line for each problem.
void check_tensors(const Architecture& architecture, const std::vector<TensorSlot>& slots,
                   const checkpoint::TensorSource& source);

}  // namespace yardstick::models
