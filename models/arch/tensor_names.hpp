// Inside the room: a checkpoint's tensors with their shapes, and the questions about a checkpoint's
// tensors that several architectures ask.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/arch/architecture.hpp"
#include "models/arch/config_reader.hpp"
#include "models/decoder/tensors.hpp"

namespace yardstick::models {

/// Every tensor that a checkpoint of this configuration has: decoder_tensors() and FoPE's
/// coefficients. Shapes as architecture.hpp lists them.
[[nodiscard]] std::vector<DecoderTensor> checkpoint_tensors(const DecoderConfig& config);

/// "layers.12.q.weight" -> {12, "q.weight"}; a name outside the layers has layer -1 and its whole
/// self as the rest.
struct LayerName {
  std::int64_t layer = -1;
  std::string_view rest;
};
[[nodiscard]] LayerName split_layer(std::string_view decoder_name);

/// What decides whether the head shares the embedding.
struct HeadQuestion {
  std::string head;       ///< the checkpoint's name of the head
  std::string embedding;  ///< and of the embedding
  std::string tied_key;   ///< "tie_word_embeddings"
  std::string file;       ///< of the configuration
  bool tied_by_config = false;
};

/// Tied and absent: shared. Tied and present: shared, if both hold the same numbers. Untied and
/// present: separate. @throws Error(kModel) naming both facts for the other cases.
[[nodiscard]] Head decide_head(const HeadQuestion& question, const ModelOverrides& overrides,
                               const checkpoint::TensorSource& source,
                               position::PositionPlan& plan);

/// Fills n and d of FoPE from the coefficient matrix called `name` ([.., n, d]); from the plan
/// where the file has no such matrix, so that it is reported as missing.
void read_fope_counts(std::string_view name, const checkpoint::TensorSource& source,
                      position::PositionPlan& plan);

}  // namespace yardstick::models
