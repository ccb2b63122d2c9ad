// Inside the room: a family's tensor names and how it fuses its projections, as data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/arch/architecture.hpp"

namespace yardstick::models {

/// How a source tensor holds the decoder's.
enum class Fusion {
  kNone,
  kStackedQkv,     ///< rows q, k, v
  kGroupedQkv,     ///< for each key head: rows of its query heads, then of its key, then its value
  kStackedGateUp,  ///< rows gate, up
  kHeadRows,       ///< [heads, D] in place of [heads * D]
  kTensorAHead,    ///< one tensor [D] a head; its number replaces the {} of the name
  kFirstTwoUnused  ///< a table whose first two rows are for padding
};

/// One line: a part of the decoder's names ("q", "attn_norm"; "embed" outside layers) and where it
/// is stored. ".weight" and ".bias" follow both names.
struct TensorRule {
  std::string_view part;
  std::string_view source;
  Fusion fusion = Fusion::kNone;
  TensorSlot::Storage storage = TensorSlot::Storage::kAsIs;
};

/// A family's names. A layer's are "{base}{layers}{N}.{source}", the others "{base}{source}" but
/// for the head, whose name stands for itself.
struct TensorNames {
  std::string_view base = "model.";  ///< absent in files of the bare model
  std::string_view layers = "layers.";
  std::vector<TensorRule> outer;
  std::vector<TensorRule> layer;
  /// FoPE's coefficients: one set for all layers (rotary_emb of the model), or one a layer.
  enum class FopePlace { kModel, kLayer } fope = FopePlace::kModel;
};

/// Names that most families share: model.layers.N.self_attn.q_proj and so on.
[[nodiscard]] TensorNames llama_names();

/// `names` with rules replaced by those of the same part, or added.
[[nodiscard]] TensorNames with_outer(TensorNames names, const std::vector<TensorRule>& rules);
[[nodiscard]] TensorNames with_layer(TensorNames names, const std::vector<TensorRule>& rules);

/// The name in a file of a tensor of the decoder; of a tensor a head, with {} for the head.
[[nodiscard]] std::string stored_name(const TensorNames& names, std::string_view base,
                                      std::string_view tensor);

/// The slots of every tensor that the configuration needs. `source` decides whether the base stands
/// in front of its names.
[[nodiscard]] std::vector<TensorSlot> slots_of(const TensorNames& names,
                                               const DecoderConfig& config,
                                               const checkpoint::TensorSource& source);

/// The checkpoint's name of a tensor outside the layers: "embed.weight", "head.weight".
[[nodiscard]] std::string outer_name(const TensorNames& names, std::string_view tensor,
                                     const checkpoint::TensorSource& source);

}  // namespace yardstick::models
