// The vocabulary projection and its log-sum-exp in tiles: logits are used where they are made and
// never kept. Free of torch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "models/kernels/matrix_product.hpp"
#include "models/kernels/rows.hpp"

namespace yardstick::models::kernels {

/// From hidden states to logits.
struct VocabularyHead {
  const PackedMatrix* matrix = nullptr;  ///< [V, E]
  const float* bias = nullptr;           ///< [V], or null
  float multiplier = 1;                  ///< of every logit, after the bias
  std::optional<float> soft_cap;         ///< then logits become cap tanh(logit / cap)
};

/// Logits [n, V] of hidden states [n, E]. Rows do not depend on each other, to the last bit.
/// Threads share the product.
void vocabulary_logits(const VocabularyHead& head, const ConstRows& hidden, const Rows& logits);

/// What the loss of one row needs of its logits.
struct RowLoss {
  double log_sum = 0;     ///< log(sum(exp(logits))): exp in f32, sum in f64
  std::int64_t best = 0;  ///< first of the largest among the leading `candidates` logits
  float best_logit = 0;
  float target_logit = 0;  ///< of the row's target, 0 without one
  bool is_single = true;   ///< no other candidate is as large as the best
  bool is_finite = true;   ///< no NaN and no infinity anywhere in the row
};

/// One RowLoss a row of hidden states [n, E] (rows padded_width(E) apart are fastest). `targets`
/// [n]: ids, or -1. `candidates`: how many leading logits may be chosen as best. Rows do not depend
/// on each other, to the last bit. Threads share the work.
void vocabulary_losses(const VocabularyHead& head, const ConstRows& hidden,
                       std::span<const std::int64_t> targets, std::int64_t candidates,
                       std::span<RowLoss> losses);

}  // namespace yardstick::models::kernels
