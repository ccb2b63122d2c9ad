// Vocabulary loss: one form from the CPU's own kernel, one of LibTorch operations.
#include "models/engine/vocabulary_loss.hpp"

#include <algorithm>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

namespace yardstick::models {
namespace {

bool is_drawn(const ScoredRow& row) { return row.target < 0 && row.draw.has_value(); }

/// Logits [n, V] f32 of some rows.
at::Tensor logits_of(const Decoder& decoder, const at::Tensor& hidden,
                     std::span<const ScoredRow> rows) {
  const at::Tensor index = at::empty({std::ssize(rows)}, at::TensorOptions().dtype(at::kLong));
  std::transform(rows.begin(), rows.end(), index.data_ptr<std::int64_t>(),
                 [](const ScoredRow& row) { return row.row; });
  return decoder.logits(hidden.index_select(0, index.to(hidden.device())));
}

/// From what the CPU's kernel answers.
TokenLoss as_token_loss(const kernels::RowLoss& part, const ScoredRow& row) {
  const bool has_target = row.target >= 0;
  const float logit = has_target ? part.target_logit : part.best_logit;
  return {.nll = part.log_sum - static_cast<double>(logit),
          .token = has_target ? row.target : part.best,
          .is_greedy = part.is_finite && part.is_single && (!has_target || row.target == part.best),
          .is_finite = part.is_finite};
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
    const ScoredRow& row = rows[static_cast<std::size_t>(i)];
    std::int64_t& chosen = token.data_ptr<std::int64_t>()[i];
    chosen = row.target >= 0 ? row.target : best_host.data_ptr<std::int64_t>()[i];
    if (!is_drawn(row) || !finite.data_ptr<bool>()[i]) continue;
    const at::Tensor host = choices.select(0, i).cpu().contiguous();
    chosen = draw_token({host.data_ptr<float>(), static_cast<std::size_t>(candidates)}, *row.draw);
  }
  const at::Tensor logit =
      logits.gather(1, token.to(logits.device()).unsqueeze(1)).squeeze(1).to(at::kDouble);
  const at::Tensor nll = log_sum.sub(logit).cpu();
  const at::Tensor single_host = single.cpu();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t chosen = token.data_ptr<std::int64_t>()[i];
    const bool is_finite = finite.data_ptr<bool>()[i];
    losses.push_back({.nll = nll.data_ptr<double>()[i],
                      .token = chosen,
                      .is_greedy = is_finite && single_host.data_ptr<bool>()[i] &&
                                   chosen == best_host.data_ptr<std::int64_t>()[i],
                      .is_finite = is_finite});
  }
}

}  // namespace

std::vector<TokenLoss> VocabularyLoss::operator()(Decoder& decoder, const at::Tensor& hidden,
                                                  const std::vector<ScoredRow>& rows) const {
  std::vector<TargetRow> targets;
  for (const ScoredRow& row : rows) targets.push_back({.row = row.row, .target = row.target});
  std::vector<TokenLoss> losses;
  losses.reserve(rows.size());
  if (const auto parts = decoder.losses(hidden, targets, generatable_ids)) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      losses.push_back(as_token_loss((*parts)[i], rows[i]));
    draw(decoder, hidden, rows, losses);
    return losses;
  }
  const std::size_t step = rows_at_once(decoder);
  for (std::size_t begin = 0; begin < rows.size(); begin += step) {
    const std::span<const ScoredRow> chunk =
        std::span(rows).subspan(begin, std::min(step, rows.size() - begin));
    add_losses(logits_of(decoder, hidden, chunk), generatable_ids, chunk, losses);
  }
  return losses;
}

std::size_t VocabularyLoss::rows_at_once(const Decoder& decoder) const {
  const std::int64_t row_bytes = decoder.config().vocabulary * std::int64_t{sizeof(float)};
  return static_cast<std::size_t>(std::max<std::int64_t>(chunk_bytes / row_bytes, 1));
}

/// Only rows that are drawn need their logits, so they are computed for those once more.
void VocabularyLoss::draw(const Decoder& decoder, const at::Tensor& hidden,
                          const std::vector<ScoredRow>& rows,
                          std::vector<TokenLoss>& losses) const {
  std::vector<std::size_t> drawn;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_drawn(rows[i]) && losses[i].is_finite) drawn.push_back(i);
  }
  const std::size_t step = rows_at_once(decoder);
  for (std::size_t begin = 0; begin < drawn.size(); begin += step) {
    const auto chunk = std::span(drawn).subspan(begin, std::min(step, drawn.size() - begin));
    std::vector<ScoredRow> asked;
    for (const std::size_t i : chunk) asked.push_back(rows[i]);
    const at::Tensor logits = logits_of(decoder, hidden, asked);
    const float* row = logits.data_ptr<float>();
    for (const std::size_t i : chunk) {
      TokenLoss& loss = losses[i];
      const TokenId token =
          draw_token({row, static_cast<std::size_t>(generatable_ids)}, *rows[i].draw);
      loss.nll += static_cast<double>(row[loss.token]) - static_cast<double>(row[token]);
      loss.is_greedy = loss.is_greedy && token == loss.token;
      loss.token = token;
      row += logits.size(1);
    }
  }
}

}  // namespace yardstick::models
