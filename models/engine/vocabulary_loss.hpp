// Losses over the vocabulary for chosen rows only, in chunks, so that memory does not grow with
// positions x vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/decoder/decoder.hpp"
#include "models/engine/sampling.hpp"

namespace yardstick::models {

/// One row of hidden(), and the token that should follow it (none: -1) or how it is chosen.
struct ScoredRow {
  std::int64_t row = 0;
  std::int64_t target = -1;
  std::optional<Draw> draw;  ///< without a target: it is drawn, not the likeliest

  bool operator==(const ScoredRow&) const = default;
};

struct TokenLoss {
  double nll = 0;          ///< nats of `token`, over all V rows
  std::int64_t token = 0;  ///< the target; without one the likeliest token that may be generated,
                           ///< the first of equals, or the one that was drawn
  bool is_greedy = false;  ///< `token` is the likeliest, and no other token equals it
  bool is_finite = true;   ///< false: the logits hold a NaN or an infinity
};

struct VocabularyLoss {
  std::int64_t generatable_ids = 0;  ///< ids below this may be generated; the others take part in
                                     ///< the softmax only (padding rows of the embedding)
  std::int64_t chunk_bytes = std::int64_t{32} << 20;  ///< of f32 logits at a time, at least a row

  /// One loss a row, in order. exp in f32 relative to the row's maximum, its sum in f64.
  [[nodiscard]] std::vector<TokenLoss> operator()(Decoder& decoder, const at::Tensor& hidden,
                                                  const std::vector<ScoredRow>& rows) const;

 private:
  [[nodiscard]] std::size_t rows_at_once(const Decoder& decoder) const;
  void draw(const Decoder& decoder, const at::Tensor& hidden, const std::vector<ScoredRow>& rows,
            std::vector<TokenLoss>& losses) const;
};

}  // namespace yardstick::models
