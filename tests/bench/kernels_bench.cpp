// The CPU kernels at the shapes of a 60M-parameter LLaMA: width 512, 8 heads of 64, MLP 2048,
// vocabulary 32,000. Counter "flops": multiply-adds that the result needs, twice, a CPU second; of
// attention only the visible half of the scores counts.
#include <cmath>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/random.hpp"
#include "models/kernels/activations.hpp"
#include "models/kernels/attention.hpp"
#include "models/kernels/matrix_product.hpp"
#include "models/kernels/rotation.hpp"
#include "models/kernels/rows.hpp"
#include "models/kernels/vocabulary.hpp"

namespace yardstick::bench {
namespace {

namespace kernels = models::kernels;

constexpr std::int64_t kWidth = 512;
constexpr std::int64_t kHeads = 8;
constexpr std::int64_t kHeadDim = 64;

std::vector<float> normals(const char* purpose, std::int64_t count) {
  Random random(1, purpose);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

void count_flops(benchmark::State& state, double flops) {
  state.counters["flops"] = benchmark::Counter(flops * static_cast<double>(state.iterations()),
                                               benchmark::Counter::kIsRate);
}

/// range(0) rows of `columns` = range(1) numbers times range(2) rows of a weight.
void product(benchmark::State& state) {
  const std::int64_t rows = state.range(0);
  const std::int64_t columns = state.range(1);
  const std::int64_t outputs = state.range(2);
  const std::vector<float> weight = normals("w", outputs * columns);
  const std::span<const float> part(weight);
  const kernels::PackedMatrix matrix({&part, 1}, columns);
  const std::int64_t stride = kernels::padded_width(columns);
  const std::vector<float> x = normals("x", rows * stride);
  std::vector<float> out(static_cast<std::size_t>(rows * outputs));
  for (auto _ : state) matrix.multiply({x.data(), rows, stride}, {out.data(), rows, outputs});
  count_flops(state, 2.0 * static_cast<double>(rows * columns * outputs));
}
BENCHMARK(product)
    ->ArgNames({"rows", "columns", "outputs"})
    ->Args({256, 512, 1536})
    ->Args({256, 512, 4096})
    ->Args({256, 2048, 512})
    ->Args({256, 512, 32000})
    ->Args({1, 512, 4096});

enum class Bias { kNone, kAlibi };

/// All queries of a sequence of range(0) tokens.
void attention(benchmark::State& state, Bias bias) {
  const std::int64_t tokens = state.range(0);
  const std::int64_t width = kHeads * kHeadDim;
  const std::vector<float> qkv = normals("qkv", tokens * 3 * width);
  std::vector<float> out(static_cast<std::size_t>(tokens * width));
  kernels::Scoring scoring{.divisor = std::sqrt(static_cast<double>(kHeadDim))};
  if (bias == Bias::kAlibi)
    scoring.slopes = {0.5F, 0.25F, 0.125F, 0.0625F, 0.03F, 0.015F, 0.008F, 0.004F};
  const kernels::HeadShape shape{.heads = kHeads, .kv_heads = kHeads, .head_dim = kHeadDim};
  kernels::KeyValuePages pages(shape, 0, tokens);
  pages.write_keys(0, 0, {qkv.data() + width, tokens, 3 * width});
  pages.write_values(0, {qkv.data() + 2 * width, tokens, 3 * width});
  kernels::SequenceView sequence{.out = {out.data(), tokens, width}, .tokens = tokens};
  sequence.queries.front() = {qkv.data(), tokens, 3 * width};
  for (std::int64_t page = 0; page * kernels::kPageTokens < tokens; ++page)
    sequence.pages.push_back(pages.page(page));
  for (auto _ : state) kernels::attend({&sequence, 1}, shape, scoring);
  count_flops(state, 2.0 * static_cast<double>(width) * static_cast<double>(tokens) *
                         static_cast<double>(tokens + 1));
}
BENCHMARK_CAPTURE(attention, no_bias, Bias::kNone)->RangeMultiplier(4)->Range(128, 8192);
BENCHMARK_CAPTURE(attention, alibi, Bias::kAlibi)->Arg(2048);

void rotation(benchmark::State& state) {
  const std::int64_t rows = state.range(0);
  std::vector<float> x = normals("x", rows * kWidth);
  const std::vector<float> table(static_cast<std::size_t>(rows * kHeadDim / 2), 0.7F);
  for (auto _ : state) {
    const kernels::Rows own{x.data(), rows, kWidth};
    kernels::rotate(own, {.count = kHeads, .head_dim = kHeadDim},
                    {.cos = table.data(), .sin = table.data(), .pairs = kHeadDim / 2}, own);
  }
  state.SetBytesProcessed(state.iterations() * rows * kWidth * 4);
}
BENCHMARK(rotation)->Arg(256);

/// Projection to 32,000 logits, log-sum-exp and argmax of range(0) rows.
void vocabulary_losses(benchmark::State& state) {
  constexpr std::int64_t kVocabulary = 32000;
  const std::int64_t rows = state.range(0);
  const std::int64_t stride = kernels::padded_width(kWidth);
  const std::vector<float> weight = normals("w", kVocabulary * kWidth);
  const std::span<const float> part(weight);
  const kernels::PackedMatrix matrix({&part, 1}, kWidth);
  const std::vector<float> x = normals("x", rows * stride);
  const std::vector<std::int64_t> targets(static_cast<std::size_t>(rows), 5);
  std::vector<kernels::RowLoss> losses(static_cast<std::size_t>(rows));
  for (auto _ : state) {
    kernels::vocabulary_losses({.matrix = &matrix}, {x.data(), rows, stride}, targets, kVocabulary,
                               losses);
  }
  count_flops(state, 2.0 * static_cast<double>(rows * kWidth * kVocabulary));
}
BENCHMARK(vocabulary_losses)->Arg(1)->Arg(96)->Arg(384);

void silu(benchmark::State& state) {
  const std::vector<float> gate_up = normals("gate", 256 * 4096);
  std::vector<float> out(256 * 2048);
  for (auto _ : state)
    kernels::silu_multiply({gate_up.data(), 256, 4096}, 2048, {out.data(), 256, 2048});
  state.SetItemsProcessed(state.iterations() * 256 * 2048);
}
BENCHMARK(silu);

}  // namespace
}  // namespace yardstick::bench
