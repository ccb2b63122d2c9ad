// The length methods through a whole decoder: against one layer of attention in f64 whose RoPE
// turns by the distance that a method's paper gives a pair of tokens, and against plain attention
// where a method has to be the same.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "tests/models/engine/tiny_model.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using models::Weights;
using position::Reach;
using position::ReachKind;

constexpr std::int64_t kTokens = 150;

/// The distance between query i and key j <= i, or nothing where the query does not see the key.
using Definition = std::function<std::optional<double>(std::int64_t i, std::int64_t j)>;

struct Method {
  const char* name = "";
  Reach reach;
  Definition distance;
};

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      {"plain", {}, [](std::int64_t i, std::int64_t j) { return std::optional(double(i - j)); }},
      {"window",
       {.kind = ReachKind::kWindow, .window = 21},
       [](std::int64_t i, std::int64_t j) {
         return i - j < 21 ? std::optional(double(i - j)) : std::nullopt;
       }},
      {"streaming",  // positions inside a cache of 4 sinks and 30 tokens
       {.kind = ReachKind::kStreaming, .window = 30, .sinks = 4},
       [](std::int64_t i, std::int64_t j) -> std::optional<double> {
         if (i - j < 30) return double(i - j);
         if (j >= 4) return std::nullopt;
         return double(std::min<std::int64_t>(i, 33) - j);
       }},
      {"lambda",
       {.kind = ReachKind::kLambda, .window = 30, .sinks = 7},
       [](std::int64_t i, std::int64_t j) -> std::optional<double> {
         if (i - j < 30) return double(i - j);
         return j < 7 ? std::optional(30.0) : std::nullopt;
       }},
      {"self_extend",
       {.kind = ReachKind::kSelfExtend, .window = 22, .group = 4},
       [](std::int64_t i, std::int64_t j) {
         return std::optional(i - j < 22 ? double(i - j) : double(i / 4 + 22 - 22 / 4 - j / 4));
       }},
      {"rerope",
       {.kind = ReachKind::kReRope, .window = 30, .group = 0},
       [](std::int64_t i, std::int64_t j) {
         return std::optional(double(std::min<std::int64_t>(i - j, 30)));
       }},
      {"leaky_rerope",
       {.kind = ReachKind::kReRope, .window = 30, .group = 8},
       [](std::int64_t i, std::int64_t j) {
         const auto r = double(i - j);
         return std::optional(r < 30 ? r : 30 + (r - 30) / 8);
       }},
      {"dual_chunk",
       {.kind = ReachKind::kDualChunk, .chunk = 24, .limit = 30},
       [](std::int64_t i, std::int64_t j) {
         const std::int64_t chunks = i / 24 - j / 24;
         if (chunks == 0) return std::optional(double(i - j));
         const std::int64_t query = chunks == 1 ? std::min<std::int64_t>(i % 24 + 24, 30) : 30;
         return std::optional(double(query - j % 24));
       }},
  };
  return all;
}

using Rows = std::vector<std::vector<double>>;

Rows rows_of(const at::Tensor& x) {
  Rows rows(static_cast<std::size_t>(x.size(0)));
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    const float* const row = x.data_ptr<float>() + i * x.size(1);
    rows[static_cast<std::size_t>(i)].assign(row, row + x.size(1));
  }
  return rows;
}

std::vector<double> normed(const std::vector<double>& x, const at::Tensor& weight) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  std::vector<double> out;
  for (std::size_t i = 0; i < x.size(); ++i)
    out.push_back(x[i] / std::sqrt(squares / double(x.size()) + 1e-5) *
                  double(weight.data_ptr<float>()[i]));
  return out;
}

std::vector<double> times(const at::Tensor& weight, const std::vector<double>& x) {
  std::vector<double> out;
  for (const std::vector<double>& row : rows_of(weight)) {
    out.push_back(0);
    for (std::size_t i = 0; i < x.size(); ++i) out.back() += row[i] * x[i];
  }
  return out;
}

/// q . k of one head with pairs (a, a + D/2) turned by `distance` x theta^(-2a/D).
double turned_product(const double* q, const double* k, double distance, std::int64_t dim) {
  double sum = 0;
  for (std::int64_t a = 0; a < dim / 2; ++a) {
    const double angle = distance * std::pow(10000.0, -2.0 * double(a) / double(dim));
    const double q0 = q[a], q1 = q[a + dim / 2], k0 = k[a], k1 = k[a + dim / 2];
    sum += std::cos(angle) * (q0 * k0 + q1 * k1) + std::sin(angle) * (q0 * k1 - q1 * k0);
  }
  return sum;
}

/// One layer whose MLP adds nothing, f64: norm, q k v, attention, o, residual, final norm.
Rows by_definition(const DecoderConfig& config, const Weights& weights,
                   const std::vector<TokenId>& tokens, const Definition& distance) {
  const std::int64_t dim = config.head_dim;
  Rows x, queries, keys, values;
  const Rows embedding = rows_of(weights.at("embed.weight"));
  for (const TokenId token : tokens) {
    x.push_back(embedding[static_cast<std::size_t>(token)]);
    const std::vector<double> input = normed(x.back(), weights.at("layers.0.attn_norm.weight"));
    queries.push_back(times(weights.at("layers.0.q.weight"), input));
    keys.push_back(times(weights.at("layers.0.k.weight"), input));
    values.push_back(times(weights.at("layers.0.v.weight"), input));
  }
  Rows out;
  for (std::int64_t i = 0; i < std::ssize(tokens); ++i) {
    std::vector<double> attended(static_cast<std::size_t>(config.heads * dim));
    for (std::int64_t head = 0; head < config.heads; ++head) {
      const std::int64_t group = head / (config.heads / config.kv_heads);
      double sum = 0;
      for (std::int64_t j = 0; j <= i; ++j) {
        const std::optional<double> apart = distance(i, j);
        if (!apart) continue;
        const double score = turned_product(queries[size_t(i)].data() + head * dim,
                                            keys[size_t(j)].data() + group * dim, *apart, dim);
        const double weight = std::exp(score / std::sqrt(double(dim)));
        sum += weight;
        for (std::int64_t d = 0; d < dim; ++d)
          attended[size_t(head * dim + d)] += weight * values[size_t(j)][size_t(group * dim + d)];
      }
      for (std::int64_t d = 0; d < dim; ++d) attended[size_t(head * dim + d)] /= sum;
    }
    const std::vector<double> added = times(weights.at("layers.0.o.weight"), attended);
    for (std::size_t e = 0; e < added.size(); ++e) x[size_t(i)][e] += added[e];
    out.push_back(normed(x[size_t(i)], weights.at("norm.weight")));
  }
  return out;
}

/// Hidden states of the tokens, in two passes with a cache between them.
at::Tensor hidden(const DecoderConfig& config, const Weights& weights,
                  const std::vector<TokenId>& tokens, const TinyStack& stack) {
  models::Decoder decoder(config, weights, tiny_encoding(config), {.attention = stack.attention});
  const std::int64_t count = std::ssize(tokens);
  const at::Tensor ids = at::empty({count}, at::TensorOptions().dtype(at::kLong));
  std::copy(tokens.begin(), tokens.end(), ids.data_ptr<std::int64_t>());
  models::KvCache cache = decoder.make_cache(0, count);
  at::Tensor out = at::empty({count, config.width});
  for (const auto& [first, rows] : {std::pair<std::int64_t, std::int64_t>{0, 90}, {90, count - 90}})
    out.narrow(0, first, rows)
        .copy_(decoder.hidden({.tokens = ids.narrow(0, first, rows),
                               .sequences = {{.row_begin = 0,
                                              .row_count = rows,
                                              .first_position = first,
                                              .total_length = count,
                                              .cache = &cache}}}));
  return out;
}

class LengthMethod : public testing::TestWithParam<std::tuple<std::size_t, TinyStack>> {};

INSTANTIATE_TEST_SUITE_P(Methods, LengthMethod,
                         testing::Combine(testing::Range(std::size_t{0}, methods().size()),
                                          testing::ValuesIn(tiny_stacks())),
                         [](const auto& test) {
                           return std::string(methods()[std::get<0>(test.param)].name) + "_" +
                                  name_of(std::get<1>(test.param));
                         });

TEST_P(LengthMethod, EqualsItsDefinition) {
  const Method& method = methods()[std::get<0>(GetParam())];
  DecoderConfig config = tiny_config(position::Kind::kRope, 2);
  config.layers = 1;
  config.position.reach = method.reach;
  Weights weights = tiny_weights(config);
  weights["layers.0.down.weight"] = weights["layers.0.down.weight"].mul(0.0);
  const std::vector<TokenId> tokens = random_tokens("method", kTokens, config.vocabulary);
  const Rows expected = by_definition(config, weights, tokens, method.distance);
  const at::Tensor actual = hidden(config, weights, tokens, std::get<1>(GetParam()));
  for (std::int64_t i = 0; i < kTokens; ++i) {
    for (std::int64_t e = 0; e < config.width; ++e) {
      ASSERT_NEAR(actual.data_ptr<float>()[i * config.width + e], expected[size_t(i)][size_t(e)],
                  5e-5)
          << "token " << i << ", element " << e;
    }
  }
}

/// Methods that change nothing on kTokens tokens.
struct Idle {
  const char* name = "";
  Reach reach;
};

class IdleMethod : public testing::TestWithParam<std::tuple<Idle, TinyStack>> {};

INSTANTIATE_TEST_SUITE_P(
    Methods, IdleMethod,
    testing::Combine(
        testing::Values(
            Idle{"window", {.kind = ReachKind::kWindow, .window = kTokens}},
            Idle{"streaming", {.kind = ReachKind::kStreaming, .window = kTokens - 4, .sinks = 4}},
            Idle{"lambda", {.kind = ReachKind::kLambda, .window = kTokens, .sinks = 4}},
            Idle{"self_extend", {.kind = ReachKind::kSelfExtend, .window = 30, .group = 1}},
            Idle{"rerope", {.kind = ReachKind::kReRope, .window = kTokens, .group = 0}},
            Idle{"leaky_rerope", {.kind = ReachKind::kReRope, .window = 30, .group = 1}},
            Idle{"dual_chunk",
                 {.kind = ReachKind::kDualChunk, .chunk = kTokens, .limit = kTokens}}),
        testing::ValuesIn(tiny_stacks())),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).name) + "_" + name_of(std::get<1>(test.param));
    });

TEST_P(IdleMethod, IsPlainAttention) {
  const auto& [method, stack] = GetParam();
  DecoderConfig config = tiny_config(position::Kind::kRope, 2);
  const Weights weights = tiny_weights(config);
  const std::vector<TokenId> tokens = random_tokens("idle", kTokens, config.vocabulary);
  const at::Tensor plain = hidden(config, weights, tokens, stack);
  config.position.reach = method.reach;
  const at::Tensor actual = hidden(config, weights, tokens, stack);
  EXPECT_LT(actual.sub(plain).abs().max().item<float>(), 5e-5F);
}

}  // namespace
}  // namespace yardstick::test
