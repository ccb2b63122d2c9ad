// Losses over the vocabulary for chosen rows only, in chunks, so that memory does not grow with
// positions x vocabulary.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/decoder/decoder.hpp"

namespace yardstick::models {

struct TokenLoss {
  double nll = 0;          ///< nats of the target (of `best` without one), over all V rows
  std::int64_t best = 0;   ///< the likeliest token that may be generated; the first of equals
  bool is_greedy = false;  ///< the target is `best`, and no other token equals it
  bool is_finite = true;   ///< false: the logits hold a NaN or an infinity
};

struct VocabularyLoss {
  std::int64_t generatable_ids = 0;  ///< ids below this may be generated; the others take part in
                                     ///< the softmax only (padding rows of the embedding)
  std::int64_t chunk_bytes = std::int64_t{32} << 20;  ///< of f32 logits at a time, at least a row

  /// One loss a row, in order. exp in f32 relative to the row's maximum, its sum in f64.
  [[nodiscard]] std::vector<TokenLoss> operator()(Decoder& decoder, const at::Tensor& hidden,
                                                  const std::vector<ScoredRow>& rows) const;
};

}  // namespace yardstick::models
