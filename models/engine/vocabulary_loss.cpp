// Vocabulary loss: one form for the CPU's own kernel, one of LibTorch operations for other devices.
#include "models/engine/vocabulary_loss.hpp"

#include <algorithm>

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

#include "models/kernels/rows.hpp"

namespace yardstick::models {
namespace {

bool is_drawn(const ScoredRow& row) { return row.target < 0 && row.draw.has_value(); }

/// logits [n, V] f32 on the CPU.
void add_losses_cpu(const at::Tensor& logits, std::int64_t candidates,
                    std::span<const ScoredRow> rows, std::vector<TokenLoss>& losses) {
  const std::int64_t width = logits.size(1);
  const at::Tensor contiguous = logits.contiguous();
  const float* first = contiguous.data_ptr<float>();
  std::vector<kernels::RowLoss> parts(rows.size());
  kernels::row_losses(first, {std::ssize(rows), width}, candidates, parts.data());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const kernels::RowLoss& part = parts[i];
    const float* const row = first + static_cast<std::int64_t>(i) * width;
    std::int64_t token = rows[i].target >= 0 ? rows[i].target : part.best;
    if (is_drawn(rows[i]) && part.is_finite)
      token = draw_token({row, static_cast<std::size_t>(candidates)}, *rows[i].draw);
    losses.push_back({.nll = part.log_sum - static_cast<double>(row[token]),
                      .token = token,
                      .is_greedy = part.is_finite && part.is_single && token == part.best,
                      .is_finite = part.is_finite});
  }
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

std::vector<TokenLoss> VocabularyLoss::operator()(const Decoder& decoder, const at::Tensor& hidden,
                                                  const std::vector<ScoredRow>& rows) const {
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
    if (logits.device().is_cpu()) {
      add_losses_cpu(logits, generatable_ids, chunk, losses);
    } else {
      add_losses(logits, generatable_ids, chunk, losses);
    }
  }
  return losses;
}

}  // namespace yardstick::models
