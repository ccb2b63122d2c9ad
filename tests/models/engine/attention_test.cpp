// Every attention backend against a plain f64 loop over queries and keys, written here from the
// definitions: score = cap(scale x q k^T / divisor) - slope x distance + bias, softmax, v; and for
// each method which keys are seen, and with which rotation, from its paper.
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "models/attention/attention.hpp"
#include "models/kernels/soft_cap.hpp"
#include "tests/models/engine/cpu_kernel_backend.hpp"
#include "tests/models/engine/tiny_model.hpp"

namespace yardstick::test {
namespace {

using models::kernels::Scoring;
using position::ReachKind;

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

/// The rotations with which a query takes a key.
struct Versions {
  int query = 0;
  int key = 0;
};
using Seen = std::optional<Versions>;

enum class QueryScales { kNone, kGiven };

/// One way to score, and which key j <= i a query i sees, as the method's definition says.
struct Method {
  const char* name = "";
  Scoring scoring;
  std::function<Seen(std::int64_t i, std::int64_t j)> sees = [](std::int64_t, std::int64_t) {
    return Versions{};
  };
  QueryScales scales = QueryScales::kNone;
};

double bias_of(std::int64_t head, std::int64_t i, std::int64_t j) {
  return 0.3 * std::sin(double(3 * i + 7 * j + head));
}

void fill_bias(const position::BiasQuery& query, std::span<float> bias) {
  for (std::size_t k = 0; k < bias.size(); ++k) {
    bias[k] = static_cast<float>(
        bias_of(query.head, query.query, query.first_key + static_cast<std::int64_t>(k)));
  }
}

Method with(const char* name, const std::function<void(Method&)>& change) {
  Method method{.name = name};
  change(method);
  return method;
}

Method window(const char* name, std::int64_t tokens) {
  return {.name = name,
          .scoring = {.reach = {.kind = ReachKind::kWindow, .window = tokens}},
          .sees = [tokens](std::int64_t i, std::int64_t j) {
            return i - j < tokens ? Seen(Versions{0, 0}) : std::nullopt;
          }};
}

/// The first `sinks` tokens and the last `tokens`; sinks in rotations of their own.
Method sinks(const char* name, ReachKind kind, std::int64_t tokens, std::int64_t first,
             Versions of_sinks) {
  return {.name = name,
          .scoring = {.reach = {.kind = kind, .window = tokens, .sinks = first}},
          .sees = [=](std::int64_t i, std::int64_t j) {
            if (i - j < tokens) return Seen(Versions{0, 0});
            return j < first ? Seen(of_sinks) : std::nullopt;
          }};
}

/// Neighbours closer than `tokens` in one rotation, the others in another.
Method two_ranges(const char* name, ReachKind kind, std::int64_t tokens) {
  return {.name = name,
          .scoring = {.reach = {.kind = kind, .window = tokens, .group = 4}},
          .sees = [tokens](std::int64_t i, std::int64_t j) {
            return i - j < tokens ? Versions{0, 0} : Versions{1, 1};
          }};
}

/// The query's chunk, the one before, and older ones.
Method dual_chunk(const char* name, std::int64_t chunk) {
  return {.name = name,
          .scoring = {.reach = {.kind = ReachKind::kDualChunk, .chunk = chunk, .limit = chunk * 2}},
          .sees = [chunk](std::int64_t i, std::int64_t j) {
            return Versions{int(std::min<std::int64_t>(i / chunk - j / chunk, 2)), 0};
          }};
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      with("plain", [](Method&) {}),
      with("alibi",
           [](Method& m) {
             for (int h = 0; h < 8; ++h)
               m.scoring.slopes.push_back(static_cast<float>(std::pow(2.0, -0.7 * (h + 1))));
           }),
      window("window1", 1),
      window("window17", 17),
      window("window64", 64),
      window("window150", 150),
      sinks("streaming", ReachKind::kStreaming, 20, 3, {1, 0}),
      sinks("streaming_far", ReachKind::kStreaming, 70, 130, {1, 0}),
      sinks("lambda", ReachKind::kLambda, 33, 5, {1, 1}),
      two_ranges("self_extend", ReachKind::kSelfExtend, 24),
      two_ranges("rerope", ReachKind::kReRope, 100),
      dual_chunk("dual_chunk", 29),
      dual_chunk("dual_chunk_of_pages", 64),
      with("divisor", [](Method& m) { m.scoring.divisor = 9.0; }),
      with("soft_cap", [](Method& m) { m.scoring.soft_cap = 1.5; }),
      with("query_scales", [](Method& m) { m.scales = QueryScales::kGiven; }),
      with("bias", [](Method& m) { m.scoring.bias = fill_bias; }),
      with("everything",
           [](Method& m) {
             m = two_ranges("everything", ReachKind::kSelfExtend, 24);
             m.scoring.soft_cap = 2.0;
             m.scoring.bias = fill_bias;
             m.scales = QueryScales::kGiven;
           }),
  };
  return all;
}

double element(const at::Tensor& x, std::int64_t row, std::int64_t head, std::int64_t d) {
  return static_cast<double>(x.data_ptr<float>()[(row * x.size(1) + head) * x.size(2) + d]);
}

/// Where a head of one row begins in x [versions, rows, heads, D].
const float* head_of(const at::Tensor& x, std::int64_t version, std::int64_t row,
                     std::int64_t head) {
  return x.data_ptr<float>() + ((version * x.size(1) + row) * x.size(2) + head) * x.size(3);
}

/// A query of a sequence whose keys and values are whole: [versions, P + n, G, D], [P + n, G, D].
struct Query {
  const at::Tensor& queries;  // [versions, T, H, D]
  const at::Tensor& keys;
  const at::Tensor& values;
  std::int64_t row = 0;
  std::int64_t place = 0;
  std::int64_t head = 0;
  double scale = 1.0;
};

/// One output row of the definition, in f64.
std::vector<double> row_by_definition(const Query& query, const Method& method) {
  const std::int64_t dim = query.values.size(2);
  const std::int64_t kv_head = query.head / (query.queries.size(2) / query.values.size(1));
  const Scoring& scoring = method.scoring;
  const at::Tensor values = query.values.unsqueeze(0);
  std::vector<double> out(static_cast<std::size_t>(dim));
  double sum = 0;
  for (std::int64_t j = 0; j <= query.place; ++j) {
    const Seen versions = method.sees(query.place, j);
    if (!versions) continue;
    const float* const q = head_of(query.queries, versions->query, query.row, query.head);
    const float* const k = head_of(query.keys, versions->key, j, kv_head);
    double score = 0;
    for (std::int64_t d = 0; d < dim; ++d) score += double(q[d]) * double(k[d]);
    score *= query.scale / scoring.divisor;
    if (scoring.soft_cap) score = *scoring.soft_cap * std::tanh(score / *scoring.soft_cap);
    if (!scoring.slopes.empty())
      score -= double(scoring.slopes[size_t(query.head)]) * double(query.place - j);
    if (scoring.bias) score += bias_of(query.head, query.place, j);
    // Scores of these tests stay far from where exp overflows.
    const double weight = std::exp(score);
    sum += weight;
    const float* const v = head_of(values, 0, j, kv_head);
    for (std::int64_t d = 0; d < dim; ++d) out[size_t(d)] += weight * double(v[d]);
  }
  for (double& value : out) value /= sum;
  return out;
}

using Parameters = std::tuple<const attention::Backend*, std::size_t, std::size_t, std::int64_t>;

class Attention : public testing::TestWithParam<Parameters> {};

TEST_P(Attention, EqualsTheDefinition) {
  const auto& [backend, case_index, method_index, tile] = GetParam();
  const Case& test = cases()[case_index];
  Method method = methods()[method_index];
  const auto [heads, kv_heads, dim] = test.shape;
  if (method.scoring.divisor == 1.0) method.scoring.divisor = std::sqrt(double(dim));
  if (!method.scoring.slopes.empty()) method.scoring.slopes.resize(size_t(heads));
  const std::int64_t query_versions = position::query_versions(method.scoring.reach.kind);
  const std::int64_t key_versions = position::key_versions(method.scoring.reach.kind);
  std::int64_t rows = test.filler;
  for (const auto& [prefix, own] : test.lengths) rows += own;
  const at::Tensor queries = random_tensor("q", {query_versions, rows, heads, dim}, 2.0);
  const at::Tensor keys = random_tensor("k", {key_versions, rows, kv_heads, dim}, 2.0);
  const at::Tensor values = random_tensor("v", {rows, kv_heads, dim});
  const at::Tensor scales = method.scales == QueryScales::kGiven
                                ? random_tensor("s", {rows}, 0.2).add(1.0)
                                : at::Tensor();
  std::vector<attention::Sequence> sequences;
  std::int64_t begin = 0;
  for (const auto& [prefix, own] : test.lengths) {
    attention::Sequence sequence{.row_begin = begin, .row_count = own};
    const std::int64_t cut = prefix > 3 ? prefix / 3 : prefix;
    for (const auto& [name, count] : {std::pair{"1", cut}, std::pair{"2", prefix - cut}}) {
      if (count == 0) continue;
      sequence.prefix.push_back(
          {random_tensor(std::string("pk") + name, {key_versions, count, kv_heads, dim}, 2.0),
           random_tensor(std::string("pv") + name, {count, kv_heads, dim})});
    }
    sequences.push_back(sequence);
    begin += own;
  }
  const at::Tensor out = backend->attend({.queries = queries,
                                          .keys = keys,
                                          .values = values,
                                          .query_scales = scales,
                                          .sequences = &sequences,
                                          .scoring = &method.scoring,
                                          .tile_tokens = tile});
  ASSERT_EQ(out.sizes(), queries.sizes().slice(1));
  for (const attention::Sequence& sequence : sequences) {
    const std::int64_t prefix = sequence.prefix_count();
    at::Tensor all_keys = at::empty({key_versions, prefix + sequence.row_count, kv_heads, dim});
    at::Tensor all_values = at::empty({prefix + sequence.row_count, kv_heads, dim});
    std::int64_t end = 0;
    const auto append = [&](const at::Tensor& k, const at::Tensor& v) {
      all_keys.narrow(1, end, v.size(0)).copy_(k);
      all_values.narrow(0, end, v.size(0)).copy_(v);
      end += v.size(0);
    };
    for (const attention::Segment& segment : sequence.prefix) append(segment.keys, segment.values);
    append(keys.narrow(1, sequence.row_begin, sequence.row_count),
           values.narrow(0, sequence.row_begin, sequence.row_count));
    for (std::int64_t i = 0; i < sequence.row_count; ++i) {
      for (std::int64_t h = 0; h < heads; ++h) {
        const std::int64_t row = sequence.row_begin + i;
        const std::vector<double> expected =
            row_by_definition({queries, all_keys, all_values, row, prefix + i, h,
                               scales.defined() ? double(scales.data_ptr<float>()[row]) : 1.0},
                              method);
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
  const auto& [backend, case_index, method, tile] = test.param;
  return std::string(backend->name()) + "_" + cases()[case_index].name + "_" +
         methods()[method].name + "_tile" + std::to_string(tile);
}

std::vector<const attention::Backend*> all_backends() {
  std::vector<const attention::Backend*> all = attention::backends();
  all.push_back(&cpu_kernel());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Backends, Attention,
                         testing::Combine(testing::ValuesIn(all_backends()),
                                          testing::Range(std::size_t{0}, cases().size()),
                                          testing::Range(std::size_t{0}, methods().size()),
                                          testing::Values<std::int64_t>(64)),
                         case_name);

// A tile is what the tiled backend alone reads.
INSTANTIATE_TEST_SUITE_P(Tiles, Attention,
                         testing::Combine(testing::Values(&attention::tiled_backend()),
                                          testing::Range(std::size_t{0}, cases().size()),
                                          testing::Range(std::size_t{0}, methods().size()),
                                          testing::Values<std::int64_t>(7, 256)),
                         case_name);

class AttentionOfTheCpu : public testing::TestWithParam<std::size_t> {
 protected:
  static constexpr std::int64_t kTokens = 201;

  const Method& method() const { return methods()[GetParam()]; }

  Scoring scoring_ = [this] {
    Scoring scoring = method().scoring;
    scoring.divisor = 4.0;
    if (!scoring.slopes.empty()) scoring.slopes = {0.5F, 0.25F, 0.0F, 0.01F};
    return scoring;
  }();
  std::int64_t query_versions_ = position::query_versions(scoring_.reach.kind);
  std::int64_t key_versions_ = position::key_versions(scoring_.reach.kind);
  at::Tensor queries_ = random_tensor("q", {query_versions_, kTokens, 4, 16}, 2.0);
  at::Tensor keys_ = random_tensor("k", {key_versions_, kTokens, 2, 16}, 2.0);
  at::Tensor values_ = random_tensor("v", {kTokens, 2, 16});
  at::Tensor scales_ = method().scales == QueryScales::kGiven
                           ? random_tensor("s", {kTokens}, 0.2).add(1.0)
                           : at::Tensor();
  std::vector<attention::Sequence> one_{{.row_begin = 0, .row_count = kTokens}};

  at::Tensor attend(const at::Tensor& keys, const at::Tensor& values) const {
    return cpu_kernel().attend({.queries = queries_,
                                .keys = keys,
                                .values = values,
                                .query_scales = scales_,
                                .sequences = &one_,
                                .scoring = &scoring_});
  }
};

TEST_P(AttentionOfTheCpu, DoesNotDependOnWhereASequenceIsCut) {
  const at::Tensor whole = attend(keys_, values_);
  for (const std::int64_t cut : {1, 2, 63, 64, 65, 127, 128, 150, 200}) {
    std::vector<attention::Sequence> rest{{.row_begin = 0, .row_count = kTokens - cut}};
    std::int64_t begin = 0;
    for (const std::int64_t count : {cut / 2, cut - cut / 2}) {
      if (count == 0) continue;
      rest[0].prefix.push_back({keys_.narrow(1, begin, count), values_.narrow(0, begin, count)});
      begin += count;
    }
    const at::Tensor out = cpu_kernel().attend(
        {.queries = queries_.narrow(1, cut, kTokens - cut),
         .keys = keys_.narrow(1, cut, kTokens - cut),
         .values = values_.narrow(0, cut, kTokens - cut),
         .query_scales = scales_.defined() ? scales_.narrow(0, cut, kTokens - cut) : scales_,
         .sequences = &rest,
         .scoring = &scoring_});
    EXPECT_TRUE(out.equal(whole.narrow(0, cut, kTokens - cut))) << "cut behind " << cut;
  }
}

// Key and value 60 and 100 are broken: whoever does not see them keeps its bits.
TEST_P(AttentionOfTheCpu, HidesWhatIsNotFiniteFromQueriesThatDoNotSeeIt) {
  const at::Tensor expected = attend(keys_, values_);
  at::Tensor keys = keys_.clone();
  at::Tensor values = values_.clone();
  const float broken = std::numeric_limits<float>::quiet_NaN();
  keys.narrow(1, 60, 1).fill_(broken);
  values.narrow(0, 100, 1).fill_(broken);
  const at::Tensor out = attend(keys, values);
  for (std::int64_t row = 0; row < kTokens; ++row) {
    const auto sees = [&](std::int64_t key) {
      return key <= row && method().sees(row, key).has_value();
    };
    if (sees(60) || sees(100)) {
      EXPECT_TRUE(std::isnan(element(out, row, 0, 3))) << row;
    } else {
      EXPECT_TRUE(out.select(0, row).equal(expected.select(0, row))) << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, AttentionOfTheCpu,
                         testing::Range(std::size_t{0}, methods().size()),
                         [](const testing::TestParamInfo<std::size_t>& test) {
                           return std::string(methods()[test.param].name);
                         });

// d/dx of sum(out x weights) against differences of the same sum, for what training needs.
TEST(AttentionReference, HasTheGradientsOfItsSum) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    Scoring scoring = method.scoring;
    scoring.divisor = 3.0;
    if (!scoring.slopes.empty()) scoring.slopes = {0.5F, 0.1F};
    if (scoring.reach.window > 0) scoring.reach.window = 4;
    if (scoring.reach.chunk > 0) scoring.reach.chunk = 3;
    const std::int64_t query_versions = position::query_versions(scoring.reach.kind);
    const std::int64_t key_versions = position::key_versions(scoring.reach.kind);
    const std::vector<attention::Sequence> one{{.row_begin = 0, .row_count = 9}};
    const at::Tensor weights = random_tensor("w", {9, 2, 4});
    at::Tensor queries = random_tensor("q", {query_versions, 9, 2, 4});
    const at::Tensor keys = random_tensor("k", {key_versions, 9, 1, 4});
    const at::Tensor values = random_tensor("v", {9, 1, 4});
    const auto sum = [&] {
      return attention::reference_backend()
          .attend({.queries = queries,
                   .keys = keys,
                   .values = values,
                   .sequences = &one,
                   .scoring = &scoring})
          .mul(weights)
          .sum();
    };
    queries.requires_grad_(true);
    sum().backward();
    const at::Tensor gradient = queries.grad().contiguous();
    queries = queries.detach();
    for (std::int64_t i = 0; i < queries.numel(); i += 5) {
      float& x = queries.data_ptr<float>()[i];
      const float before = x;
      x = before + 1e-2F;
      const double above = sum().item<double>();
      x = before - 1e-2F;
      const double below = sum().item<double>();
      x = before;
      EXPECT_NEAR(gradient.data_ptr<float>()[i], (above - below) / 2e-2, 2e-3) << i;
    }
  }
}

// Against tanh in f64; a number's bits do not depend on where in the row it stands.
TEST(SoftCap, IsTanhToAFewUnitsOfTheLastPlace) {
  const models::kernels::SoftCap bound = models::kernels::soft_cap_function();
  std::vector<float> x;
  for (double size = 1e-6; size < 3e4; size *= 1.003) {
    x.push_back(static_cast<float>(size));
    x.push_back(static_cast<float>(-size));
  }
  std::vector<float> all = x;
  bound(all.data(), std::ssize(all), 50.0F);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = 50.0 * std::tanh(double(x[i]) / 50.0);
    ASSERT_NEAR(all[i], expected, 4e-7 * std::abs(expected)) << x[i];
    float alone = x[i];
    bound(&alone, 1, 50.0F);
    ASSERT_EQ(alone, all[i]) << x[i];
  }
  float odd[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
  bound(odd, 2, 50.0F);
  EXPECT_TRUE(std::isnan(odd[0]));
  EXPECT_EQ(odd[1], 50.0F);
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
