// Which keys a query sees and at which distance it takes them, against the formulas of the methods'
// papers and released code, pair by pair.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "models/position/reach.hpp"
#include "models/position/version_ranges.hpp"

namespace yardstick::test {
namespace {

using position::KeySpan;
using position::Reach;
using position::ReachKind;
using position::VersionRanges;

constexpr std::int64_t kTokens = 200;

/// The distance at which query i takes key j <= i; nothing where it does not see it.
using Definition = std::function<std::optional<double>(std::int64_t i, std::int64_t j)>;

struct Method {
  const char* name = "";
  Reach reach;
  Definition distance;
};

std::int64_t floor_of(double x) { return static_cast<std::int64_t>(std::floor(x)); }

/// Self-Extend (arXiv 2401.01325, algorithm 1): r < W: r, else floor(q/G) + W - floor(W/G) -
/// floor(k/G).
Method self_extend(const char* name, std::int64_t window, std::int64_t group) {
  return {name,
          {.kind = ReachKind::kSelfExtend, .window = window, .group = double(group)},
          [=](std::int64_t i, std::int64_t j) -> std::optional<double> {
            if (i - j < window) return double(i - j);
            return double(floor_of(double(i) / double(group)) + window -
                          floor_of(double(window) / double(group)) -
                          floor_of(double(j) / double(group)));
          }};
}

/// StreamingLLM (arXiv 2309.17453, sec. 3.2) by keeping the cache: it holds the sinks and the last
/// `window` tokens, and positions are those inside it.
std::optional<double> streaming(std::int64_t i, std::int64_t j, std::int64_t window,
                                std::int64_t sinks) {
  std::vector<std::int64_t> cache;
  for (std::int64_t t = 0; t <= i; ++t) {
    cache.push_back(t);
    if (std::ssize(cache) > sinks + window) cache.erase(cache.begin() + sinks);
  }
  const auto at = std::ranges::find(cache, j);
  if (at == cache.end()) return std::nullopt;
  return double(std::ssize(cache) - 1 - (at - cache.begin()));
}

/// Dual chunk attention (arXiv 2402.17463, eq. 2-6, and its released code).
double dual_chunk(std::int64_t i, std::int64_t j, std::int64_t chunk, std::int64_t limit) {
  const std::int64_t key = j % chunk;
  if (i / chunk == j / chunk) return double(i % chunk - key);
  if (i / chunk == j / chunk + 1) return double(std::min(i % chunk + chunk, limit) - key);
  return double(std::min(2 * chunk - 1, limit) - key);
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      {"all", {}, [](std::int64_t i, std::int64_t j) { return std::optional(double(i - j)); }},
      {"window",
       {.kind = ReachKind::kWindow, .window = 17},
       [](std::int64_t i, std::int64_t j) {
         return i - j < 17 ? std::optional(double(i - j)) : std::nullopt;
       }},
      {"streaming",
       {.kind = ReachKind::kStreaming, .window = 20, .sinks = 4},
       [](std::int64_t i, std::int64_t j) { return streaming(i, j, 20, 4); }},
      {"lambda",
       {.kind = ReachKind::kLambda, .window = 20, .sinks = 10},
       [](std::int64_t i, std::int64_t j) {
         const bool is_seen = i - j < 20 || j < 10;
         return is_seen ? std::optional(double(std::min<std::int64_t>(i - j, 20))) : std::nullopt;
       }},
      self_extend("self_extend", 24, 8),
      self_extend("self_extend_of_odd_group", 25, 7),
      {"rerope",
       {.kind = ReachKind::kReRope, .window = 30, .group = 0.0},
       [](std::int64_t i, std::int64_t j) {
         return std::optional(double(std::min<std::int64_t>(i - j, 30)));
       }},
      {"leaky_rerope",
       {.kind = ReachKind::kReRope, .window = 30, .group = 4.0},
       [](std::int64_t i, std::int64_t j) {
         const auto r = double(i - j);
         return std::optional(r < 30 ? r : 30 + (r - 30) / 4.0);
       }},
      {"dual_chunk",
       {.kind = ReachKind::kDualChunk, .chunk = 22, .limit = 24},
       [](std::int64_t i, std::int64_t j) { return std::optional(dual_chunk(i, j, 22, 24)); }},
  };
  return all;
}

class ReachOf : public testing::TestWithParam<std::size_t> {
 protected:
  const Method& method_ = methods()[GetParam()];
};

INSTANTIATE_TEST_SUITE_P(Methods, ReachOf, testing::Range(std::size_t{0}, methods().size()),
                         [](const testing::TestParamInfo<std::size_t>& test) {
                           return std::string(methods()[test.param].name);
                         });

TEST_P(ReachOf, SeesWhatTheMethodSaysAtTheDistanceThatItSays) {
  for (std::int64_t i = 0; i < kTokens; ++i) {
    const position::Spans spans = position::visible(method_.reach, i);
    for (std::int64_t j = 0; j <= i; ++j) {
      const auto has = [&](const KeySpan& span) { return span.begin <= j && j < span.end; };
      const auto count = std::ranges::count_if(spans.list(), has);
      const std::optional<double> expected = method_.distance(i, j);
      ASSERT_EQ(count, expected ? 1 : 0) << i << " and " << j;
      if (!expected) continue;
      ASSERT_NEAR(position::distance(method_.reach, i, j), *expected, 1e-9) << i << " and " << j;
    }
  }
}

TEST_P(ReachOf, HasSpansInOrderThatEndBehindTheQuery) {
  for (std::int64_t i = 0; i < kTokens; ++i) {
    const position::Spans spans = position::visible(method_.reach, i);
    ASSERT_GE(spans.count, 1U);
    std::int64_t end = 0;
    for (const KeySpan& span : spans.list()) {
      ASSERT_GE(span.begin, end) << i;
      ASSERT_LT(span.begin, span.end) << i;
      ASSERT_LT(span.query_version, position::query_versions(method_.reach.kind)) << i;
      ASSERT_LT(span.key_version, position::key_versions(method_.reach.kind)) << i;
      end = span.end;
    }
    ASSERT_EQ(end, i + 1);
  }
}

// The same spans, whichever queries are asked about together, and in ascending order for each.
TEST_P(ReachOf, IsTheSameByQueryAndByVersion) {
  for (const auto& [first, count] : {std::pair{0, 200}, {0, 1}, {37, 90}, {150, 50}, {199, 1}}) {
    const std::vector<VersionRanges> list = position::version_ranges(method_.reach, first, count);
    double seen = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      std::vector<KeySpan> spans;
      for (const VersionRanges& ranges : list) {
        const auto at = static_cast<std::size_t>(i);
        if (ranges.begin[at] == ranges.end[at]) continue;
        ASSERT_GE(ranges.begin[at], ranges.first);
        ASSERT_LE(ranges.end[at], ranges.last);
        seen += double(ranges.end[at] - ranges.begin[at]);
        spans.push_back(
            {ranges.begin[at], ranges.end[at], ranges.query_version, ranges.key_version});
      }
      const position::Spans expected = position::visible(method_.reach, first + i);
      ASSERT_TRUE(std::ranges::equal(spans, expected.list())) << first + i;
    }
    EXPECT_EQ(seen, position::seen_keys(method_.reach, first, count));
  }
}

// 1 + 2 + 3 + 4 + 4 + 4 keys of a window of 4; 1 + ... + 6 of everything.
TEST(Reach, CountsTheKeysThatAreSeen) {
  EXPECT_EQ(position::seen_keys({.kind = ReachKind::kWindow, .window = 4}, 0, 6), 18.0);
  EXPECT_EQ(position::seen_keys({.kind = ReachKind::kWindow, .window = 4}, 4, 2), 8.0);
  EXPECT_EQ(position::seen_keys({}, 0, 6), 21.0);
}

}  // namespace
}  // namespace yardstick::test
