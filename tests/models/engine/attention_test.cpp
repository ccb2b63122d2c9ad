// Every attention backend against a plain f64 loop, written here from the definition
// softmax(q k^T / sqrt(D) - slope x distance) v.
#include <cmath>
#include <limits>
#include <tuple>

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "models/attention/attention.hpp"
#include "tests/models/engine/cpu_kernel_backend.hpp"
#include "tests/models/engine/tiny_model.hpp"

namespace yardstick::test {
namespace {

struct Shape {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
};

/// Each pair is {prefix tokens, own tokens} of one sequence. A prefix of more than three tokens is
/// in two segments.
using Lengths = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Case {
  const char* name = "";
  Shape shape;
  Lengths lengths;
  std::int64_t filler = 0;  // rows of the batch behind the last sequence
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"OneToken", {1, 1, 8}, {{0, 1}}, 0},
      {"OneTokenBehindAPrefix", {2, 2, 8}, {{37, 1}}, 0},
      {"OddSizes", {3, 1, 7}, {{0, 19}, {0, 5}, {0, 1}}, 3},
      {"GroupedHeads", {8, 2, 12}, {{0, 33}, {10, 70}}, 0},
      {"EqualWindows", {4, 4, 16}, {{0, 24}, {0, 24}, {0, 24}}, 0},
      {"ManyQueryTiles", {2, 1, 16}, {{100, 300}}, 0},
      {"PrefixLongerThanTile", {2, 2, 16}, {{520, 9}, {3, 140}}, 2},
      {"SeveralPanels", {4, 2, 64}, {{0, 130}, {61, 5}}, 0},
      {"LastPanelHalfFull", {2, 1, 80}, {{30, 40}}, 1},
      {"WideHeads", {2, 2, 128}, {{64, 66}}, 0},
      {"MoreQueriesThanATask", {1, 1, 40}, {{0, 500}}, 0},
  };
  return all;
}

double element(const at::Tensor& x, std::int64_t row, std::int64_t head, std::int64_t d) {
  return static_cast<double>(x.data_ptr<float>()[(row * x.size(1) + head) * x.size(2) + d]);
}

/// One output row of the definition, in f64: query row `t` of a sequence whose keys and values are
/// whole [P + n, G, D].
std::vector<double> row_by_definition(const at::Tensor& queries, const at::Tensor& keys,
                                      const at::Tensor& values, std::int64_t query_row,
                                      std::int64_t position, std::int64_t head, double slope) {
  const std::int64_t dim = queries.size(2);
  const std::int64_t kv_head = head / (queries.size(1) / keys.size(1));
  std::vector<double> scores;
  double maximum = -1e300;
  for (std::int64_t j = 0; j <= position; ++j) {
    double score = 0;
    for (std::int64_t d = 0; d < dim; ++d)
      score += element(queries, query_row, head, d) * element(keys, j, kv_head, d);
    scores.push_back(score / std::sqrt(double(dim)) - slope * double(position - j));
    maximum = std::max(maximum, scores.back());
  }
  std::vector<double> out(static_cast<std::size_t>(dim));
  double sum = 0;
  for (std::int64_t j = 0; j <= position; ++j) {
    const double weight = std::exp(scores[static_cast<std::size_t>(j)] - maximum);
    sum += weight;
    for (std::int64_t d = 0; d < dim; ++d)
      out[static_cast<std::size_t>(d)] += weight * element(values, j, kv_head, d);
  }
  for (double& value : out) value /= sum;
  return out;
}

enum class Bias { kNone, kAlibi };
using Parameters = std::tuple<const attention::Backend*, std::size_t, Bias, std::int64_t>;

class Attention : public testing::TestWithParam<Parameters> {};

TEST_P(Attention, EqualsTheDefinition) {
  const auto& [backend, case_index, bias, tile] = GetParam();
  const Case& test = cases()[case_index];
  const auto [heads, kv_heads, dim] = test.shape;
  std::int64_t rows = test.filler;
  for (const auto& [prefix, own] : test.lengths) rows += own;
  const at::Tensor queries = random_tensor("q", {rows, heads, dim}, 2.0);
  const at::Tensor keys = random_tensor("k", {rows, kv_heads, dim}, 2.0);
  const at::Tensor values = random_tensor("v", {rows, kv_heads, dim});
  std::vector<double> slopes(static_cast<std::size_t>(heads), 0.0);
  if (bias == Bias::kAlibi) {
    for (std::size_t h = 0; h < slopes.size(); ++h) slopes[h] = std::pow(2.0, -0.7 * double(h + 1));
  }
  std::vector<attention::Sequence> sequences;
  std::int64_t begin = 0;
  for (const auto& [prefix, own] : test.lengths) {
    attention::Sequence sequence{.row_begin = begin, .row_count = own};
    const std::int64_t cut = prefix > 3 ? prefix / 3 : prefix;
    for (const auto& [name, count] : {std::pair{"1", cut}, std::pair{"2", prefix - cut}}) {
      if (count == 0) continue;
      sequence.prefix.push_back(
          {random_tensor(std::string("pk") + name, {count, kv_heads, dim}, 2.0),
           random_tensor(std::string("pv") + name, {count, kv_heads, dim})});
    }
    sequences.push_back(sequence);
    begin += own;
  }
  const at::Tensor out = backend->attend(
      {.queries = queries,
       .keys = keys,
       .values = values,
       .sequences = &sequences,
       .slopes = bias == Bias::kAlibi ? at::tensor(slopes).to(at::kFloat) : at::Tensor(),
       .tile_tokens = tile});
  ASSERT_EQ(out.sizes(), queries.sizes());
  for (const attention::Sequence& sequence : sequences) {
    const std::int64_t prefix = sequence.prefix_count();
    const auto whole = [&](at::Tensor attention::Segment::*side, const at::Tensor& batch) {
      const at::Tensor own = batch.narrow(0, sequence.row_begin, sequence.row_count);
      at::Tensor all = at::empty({prefix + sequence.row_count, kv_heads, dim});
      std::int64_t end = 0;
      for (const attention::Segment& segment : sequence.prefix) {
        all.narrow(0, end, segment.keys.size(0)).copy_(segment.*side);
        end += segment.keys.size(0);
      }
      all.narrow(0, prefix, sequence.row_count).copy_(own);
      return all;
    };
    const at::Tensor all_keys = whole(&attention::Segment::keys, keys);
    const at::Tensor all_values = whole(&attention::Segment::values, values);
    for (std::int64_t i = 0; i < sequence.row_count; ++i) {
      for (std::int64_t h = 0; h < heads; ++h) {
        const std::int64_t row = sequence.row_begin + i;
        const std::vector<double> expected = row_by_definition(
            queries, all_keys, all_values, row, prefix + i, h, slopes[static_cast<std::size_t>(h)]);
        for (std::int64_t d = 0; d < dim; ++d) {
          ASSERT_NEAR(element(out, row, h, d), expected[static_cast<std::size_t>(d)], 2e-5)
              << "row " << row << " head " << h << " element " << d;
        }
      }
    }
  }
  for (std::int64_t row = begin; row < rows; ++row)
    ASSERT_EQ(element(out, row, 0, 0), 0.0) << "filler row " << row;
}

std::string case_name(const testing::TestParamInfo<Parameters>& test) {
  const auto& [backend, case_index, bias, tile] = test.param;
  return std::string(backend->name()) + "_" + cases()[case_index].name +
         (bias == Bias::kAlibi ? "_alibi" : "") + "_tile" + std::to_string(tile);
}

std::vector<const attention::Backend*> all_backends() {
  std::vector<const attention::Backend*> all = attention::backends();
  all.push_back(&cpu_kernel());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Backends, Attention,
                         testing::Combine(testing::ValuesIn(all_backends()),
                                          testing::Range(std::size_t{0}, cases().size()),
                                          testing::Values(Bias::kNone, Bias::kAlibi),
                                          testing::Values<std::int64_t>(1, 7, 64, 256)),
                         case_name);

TEST(Attention, OfTheCpuDoesNotDependOnWhereASequenceIsCut) {
  constexpr std::int64_t kTokens = 201;
  const at::Tensor queries = random_tensor("q", {kTokens, 4, 16}, 2.0);
  const at::Tensor keys = random_tensor("k", {kTokens, 2, 16}, 2.0);
  const at::Tensor values = random_tensor("v", {kTokens, 2, 16});
  const at::Tensor slopes = at::tensor(std::vector<double>{0.5, 0.25, 0.0, 0.01}).to(at::kFloat);
  const std::vector<attention::Sequence> one{{.row_begin = 0, .row_count = kTokens}};
  const at::Tensor whole = cpu_kernel().attend(
      {.queries = queries, .keys = keys, .values = values, .sequences = &one, .slopes = slopes});
  for (const std::int64_t cut : {1, 2, 63, 64, 65, 127, 128, 150, 200}) {
    std::vector<attention::Sequence> rest{{.row_begin = 0, .row_count = kTokens - cut}};
    std::int64_t begin = 0;
    for (const std::int64_t count : {cut / 2, cut - cut / 2}) {
      if (count == 0) continue;
      rest[0].prefix.push_back({keys.narrow(0, begin, count), values.narrow(0, begin, count)});
      begin += count;
    }
    const auto behind = [&](const at::Tensor& x) { return x.narrow(0, cut, kTokens - cut); };
    const at::Tensor out = cpu_kernel().attend({.queries = behind(queries),
                                                .keys = behind(keys),
                                                .values = behind(values),
                                                .sequences = &rest,
                                                .slopes = slopes});
    EXPECT_TRUE(out.equal(behind(whole))) << "cut behind " << cut;
  }
}

TEST(Attention, OfTheCpuHidesWhatIsNotFiniteFromEarlierQueries) {
  constexpr std::int64_t kTokens = 70;
  const at::Tensor queries = random_tensor("q", {kTokens, 2, 8});
  const at::Tensor keys = random_tensor("k", {kTokens, 2, 8});
  const at::Tensor values = random_tensor("v", {kTokens, 2, 8});
  const at::Tensor broken = values.clone();
  broken.data_ptr<float>()[(60 * 2 + 0) * 8 + 3] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<attention::Sequence> one{{.row_begin = 0, .row_count = kTokens}};
  const auto attend = [&](const at::Tensor& v) {
    return cpu_kernel().attend({.queries = queries, .keys = keys, .values = v, .sequences = &one});
  };
  const at::Tensor expected = attend(values);
  const at::Tensor out = attend(broken);
  EXPECT_TRUE(out.narrow(0, 0, 60).equal(expected.narrow(0, 0, 60)));
  for (std::int64_t row = 60; row < kTokens; ++row)
    EXPECT_TRUE(std::isnan(element(out, row, 0, 3))) << row;
}

TEST(AttentionRegistry, TheFastestBackendThatServesIsChosen) {
  EXPECT_EQ(attention::choose_backend({.head_dim = 64}).name(), "tiled");
  EXPECT_EQ(attention::choose_backend({.dtype = at::kBFloat16, .head_dim = 64}).name(), "tiled");
  EXPECT_EQ(
      attention::choose_backend({.head_dim = 64, .gradient = attention::Need::Gradient::kNeeded})
          .name(),
      "reference");
}

}  // namespace
}  // namespace yardstick::test
