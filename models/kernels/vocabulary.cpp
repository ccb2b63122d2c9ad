// Each row's logits are taken in groups at fixed places, and the groups are combined in order, so
// that threads change no bit. Compiled without contraction to FMA: the clones differ in width only.
#include "models/kernels/vocabulary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/kernels/clones.hpp"
#include "models/kernels/exponential.hpp"
#include "models/kernels/parallel.hpp"
#include "models/kernels/vector_level.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kGroup = 512;  // logits of a row at a time
constexpr std::int64_t kRows = 384;   // that each read of the matrix serves
constexpr float kNever = -std::numeric_limits<float>::infinity();

/// What is known of one group of one row.
struct Part {
  float maximum = kNever;
  float zero = 0;  // sum of 0 x logit: 0 unless one is not finite
  double sum = 0;  // of exp(logit - maximum)
  float best_logit = kNever;
  std::int64_t best = 0;
  std::int64_t best_count = 0;  // candidates as large as the best
  float target_logit = 0;
};

YARDSTICK_LOOP void scan_loop(const float* x, std::int64_t count, Part& part) {
  float maxima[kLanes];
  float zeros[kLanes] = {};
  std::fill_n(maxima, kLanes, kNever);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const float value = x[i + lane];
      maxima[lane] = value > maxima[lane] ? value : maxima[lane];
      zeros[lane] += value * 0.0F;
    }
  }
  for (; i < count; ++i) {
    maxima[0] = x[i] > maxima[0] ? x[i] : maxima[0];
    zeros[0] += x[i] * 0.0F;
  }
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    part.maximum = std::max(part.maximum, maxima[lane]);
    part.zero += zeros[lane];
  }
}
YARDSTICK_CLONES(void, scan, (const float* x, std::int64_t count, Part& part), (x, count, part))

/// Sum of exp(x - maximum) over a group, in f64; four numbers at a time are summed before in f32,
/// which costs no more than the exponential's own error.
template <typename Arithmetic>
[[gnu::always_inline]] inline double sum_exponentials(const float* x, float maximum,
                                                      std::int64_t count) {
  constexpr std::int64_t kStep = 4 * kLanes;
  double lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const float* const own = x + i + lane;
      const float first = exponential<Arithmetic>(own[0] - maximum);
      const float second = exponential<Arithmetic>(own[kLanes] - maximum);
      const float third = exponential<Arithmetic>(own[2 * kLanes] - maximum);
      const float fourth = exponential<Arithmetic>(own[3 * kLanes] - maximum);
      lanes[lane] += static_cast<double>((first + second) + (third + fourth));
    }
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  for (; i < count; ++i) sum += static_cast<double>(exponential<Arithmetic>(x[i] - maximum));
  return sum;
}

using SumFunction = double (*)(const float* x, float maximum, std::int64_t count);

double sum_portable(const float* x, float maximum, std::int64_t count) {
  return sum_exponentials<Separate>(x, maximum, count);
}

#if defined(__x86_64__)

[[gnu::target("avx2,fma")]] double sum_avx2(const float* x, float maximum, std::int64_t count) {
  return sum_exponentials<Fused>(x, maximum, count);
}

[[gnu::target("avx512f,avx2,fma,prefer-vector-width=512")]] double sum_avx512(const float* x,
                                                                              float maximum,
                                                                              std::int64_t count) {
  return sum_exponentials<Fused>(x, maximum, count);
}

#endif

SumFunction choose_sum() {
  switch (vector_level()) {
#if defined(__x86_64__)
    case VectorLevel::kAvx512: return sum_avx512;
    case VectorLevel::kAvx2Wide:
    case VectorLevel::kAvx2: return sum_avx2;
#endif
    default: return sum_portable;
  }
}

/// Logits [first, first + count) of one row, `candidates` of which are candidates.
struct Group {
  const float* logits = nullptr;
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t candidates = 0;
};

/// What follows the product, of logits [count, outputs.count].
void finish_logits(const VocabularyHead& head, const PackedMatrix::Outputs& outputs,
                   const Rows& logits) {
  if (head.bias != nullptr) add_row(logits, outputs.count, head.bias + outputs.first);
  if (head.multiplier != 1.0F) scale(logits, outputs.count, head.multiplier);
  if (head.soft_cap) soft_cap(logits, outputs.count, *head.soft_cap);
}

Part take(const Group& group, std::int64_t target) {
  Part part;
  const float* const x = group.logits;
  scan(x, group.count, part);
  if (part.zero != 0.0F) return part;  // nothing of such a row is used
  static const SumFunction kSum = choose_sum();
  part.sum = kSum(x, part.maximum, group.count);
  if (target >= group.first && target < group.first + group.count)
    part.target_logit = x[target - group.first];
  if (group.candidates == 0) return part;
  const float* const end = x + group.candidates;
  part.best_logit = group.candidates == group.count ? part.maximum : *std::max_element(x, end);
  part.best = group.first + (std::find(x, end, part.best_logit) - x);
  part.best_count = std::count(x, end, part.best_logit);
  return part;
}

RowLoss combine(std::span<const Part> parts, std::int64_t target) {
  RowLoss loss;
  float maximum = kNever;
  for (const Part& part : parts) {
    loss.is_finite = loss.is_finite && part.zero == 0.0F;
    maximum = std::max(maximum, part.maximum);
  }
  if (!loss.is_finite) return loss;
  double sum = 0;
  std::int64_t count = 0;
  loss.best_logit = kNever;
  for (const Part& part : parts) {
    sum += part.sum * std::exp(static_cast<double>(part.maximum) - static_cast<double>(maximum));
    if (part.best_count == 0) continue;
    if (part.best_logit > loss.best_logit) {
      loss.best_logit = part.best_logit;
      loss.best = part.best;
      count = 0;
    }
    if (part.best_logit == loss.best_logit) count += part.best_count;
  }
  loss.is_single = count == 1;
  loss.log_sum = static_cast<double>(maximum) + std::log(sum);
  if (target >= 0)
    loss.target_logit = parts[static_cast<std::size_t>(target / kGroup)].target_logit;
  return loss;
}

}  // namespace

void vocabulary_logits(const VocabularyHead& head, const ConstRows& hidden, const Rows& logits) {
  head.matrix->multiply(hidden, logits);
  finish_logits(head, {0, head.matrix->rows()}, logits);
}

void vocabulary_losses(const VocabularyHead& head, const ConstRows& hidden,
                       std::span<const std::int64_t> targets, std::int64_t candidates,
                       std::span<RowLoss> losses) {
  const std::int64_t vocabulary = head.matrix->rows();
  const std::int64_t groups = (vocabulary + kGroup - 1) / kGroup;
  const std::int64_t blocks = (hidden.count + kRows - 1) / kRows;
  std::vector<Part> parts(static_cast<std::size_t>(hidden.count * groups));
  std::vector<float> memory(static_cast<std::size_t>(thread_count() * kRows * kGroup));
  for_each_task(blocks * groups, [&](std::int64_t task, std::int64_t thread) {
    float* const logits = memory.data() + thread * kRows * kGroup;
    const std::int64_t row = task / groups * kRows;
    const std::int64_t group = task % groups;
    const std::int64_t first = group * kGroup;
    const std::int64_t rows = std::min(kRows, hidden.count - row);
    const std::int64_t count = std::min(kGroup, vocabulary - first);
    head.matrix->multiply_some({hidden[row], rows, hidden.stride}, {first, count},
                               {logits, rows, kGroup});
    finish_logits(head, {first, count}, {logits, rows, kGroup});
    for (std::int64_t r = 0; r < rows; ++r) {
      const Group part{logits + r * kGroup, first, count,
                       std::clamp<std::int64_t>(candidates - first, 0, count)};
      parts[static_cast<std::size_t>((row + r) * groups + group)] =
          take(part, targets[static_cast<std::size_t>(row + r)]);
    }
  });
  for (std::int64_t row = 0; row < hidden.count; ++row) {
    const auto index = static_cast<std::size_t>(row);
    losses[index] = combine(std::span(parts).subspan(index * static_cast<std::size_t>(groups),
                                                     static_cast<std::size_t>(groups)),
                            targets[index]);
  }
}

}  // namespace yardstick::models::kernels
