// Vocabulary loss: one form for the CPU's own kernel, one of LibTorch operations for other devices.
#include "models/engine/vocabulary_loss.hpp"

#include <algorithm>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

namespace yardstick::models {
namespace {

/// From what the CPU's kernel answers.
std::vector<TokenLoss> as_token_losses(const std::vector<kernels::RowLoss>& parts,
                                       std::span<const ScoredRow> rows) {
  std::vector<TokenLoss> losses;
  losses.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const kernels::RowLoss& part = parts[i];
    const bool has_target = rows[i].target >= 0;
    const float logit = has_target ? part.target_logit : part.best_logit;
    losses.push_back({.nll = part.log_sum - static_cast<double>(logit),
                      .best = part.best,
                      .is_greedy = part.is_finite && part.is_single &&
                                   (!has_target || rows[i].target == part.best),
                      .is_finite = part.is_finite});
  }
  return losses;
}

/// logits [n, V] f32 on any device.
void add_losses(const at::Tensor& logits, std::int64_t candidates, std::span<const ScoredRow> rows,
                std::vector<TokenLoss>& losses) {
  const at::Tensor maximum = logits.amax(-1, true);
  const at::Tensor log_sum = logits.sub(maximum)
                                 .exp_()
                                 .sum(-1, false, at::kDouble)
                                 .log()
                                 .add(maximum.squeeze(-1).to(at::kDouble));
  const at::Tensor choices = logits.narrow(-1, 0, candidates);
  const at::Tensor best = choices.argmax(-1);
  const at::Tensor single = choices.eq(choices.amax(-1, true)).sum(-1).eq(1);
  const at::Tensor finite = logits.isfinite().all(-1).cpu();
  const at::Tensor best_host = best.cpu();
  const auto count = static_cast<std::int64_t>(rows.size());
  const at::Tensor token = at::empty({count}, at::TensorOptions().dtype(at::kLong));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t target = rows[static_cast<std::size_t>(i)].target;
    token.data_ptr<std::int64_t>()[i] =
        target >= 0 ? target : best_host.data_ptr<std::int64_t>()[i];
  }
  const at::Tensor logit =
      logits.gather(1, token.to(logits.device()).unsqueeze(1)).squeeze(1).to(at::kDouble);
  const at::Tensor nll = log_sum.sub(logit).cpu();
  const at::Tensor single_host = single.cpu();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t choice = best_host.data_ptr<std::int64_t>()[i];
    const bool is_finite = finite.data_ptr<bool>()[i];
    losses.push_back({.nll = nll.data_ptr<double>()[i],
                      .best = choice,
                      .is_greedy = is_finite && single_host.data_ptr<bool>()[i] &&
                                   token.data_ptr<std::int64_t>()[i] == choice,
                      .is_finite = is_finite});
  }
}

}  // namespace

std::vector<TokenLoss> VocabularyLoss::operator()(Decoder& decoder, const at::Tensor& hidden,
                                                  const std::vector<ScoredRow>& rows) const {
  if (const auto parts = decoder.losses(hidden, rows, generatable_ids))
    return as_token_losses(*parts, rows);
  std::vector<TokenLoss> losses;
  losses.reserve(rows.size());
  const std::int64_t row_bytes = decoder.config().vocabulary * std::int64_t{sizeof(float)};
  const auto step = static_cast<std::size_t>(std::max<std::int64_t>(chunk_bytes / row_bytes, 1));
  for (std::size_t begin = 0; begin < rows.size(); begin += step) {
    const std::span<const ScoredRow> chunk =
        std::span(rows).subspan(begin, std::min(step, rows.size() - begin));
    const at::Tensor index = at::empty({std::ssize(chunk)}, at::TensorOptions().dtype(at::kLong));
    std::transform(chunk.begin(), chunk.end(), index.data_ptr<std::int64_t>(),
                   [](const ScoredRow& row) { return row.row; });
    const at::Tensor logits = decoder.logits(hidden.index_select(0, index.to(hidden.device())));
    add_losses(logits, generatable_ids, chunk, losses);
  }
  return losses;
}

}  // namespace yardstick::models
