#include "tasks/perplexity/windows.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tasks {
namespace {

std::int64_t prefix_at(std::span<const TokenId> stream, std::span<const TokenId> prefix,
                       std::int64_t begin) {
  if (prefix.empty() || stream[static_cast<std::size_t>(begin)] == prefix.back()) return 0;
  return static_cast<std::int64_t>(prefix.size());
}

}  // namespace

Windows cut_disjoint(std::span<const TokenId> stream, std::span<const TokenId> prefix,
                     const DisjointPlan& plan) {
  check(plan.length >= 2, "a window has room for a token and its context");
  const auto size = static_cast<std::int64_t>(stream.size());
  Windows out;
  std::int64_t begin = 0;
  while (begin < size) {
    const std::int64_t opening = prefix_at(stream, prefix, begin);
    const std::int64_t take = std::min(plan.length - opening, size - begin);
    const bool is_whole = take == plan.length - opening;
    const bool has_target = take + opening >= 2;
    if (!has_target || (!is_whole && plan.tail == Tail::kDrop)) break;
    out.windows.push_back({.begin = begin,
                           .end = begin + take,
                           .score_from = opening > 0 ? begin : begin + 1,
                           .prefix = opening});
    begin += take;
  }
  out.tokens_skipped = size - begin;
  return out;
}

Windows cut_nested(std::span<const TokenId> stream, std::span<const TokenId> prefix,
                   std::int64_t length, std::int64_t longest) {
  check(length >= 2 && length <= longest, "a nested window is the beginning of a longest one");
  Windows out = cut_disjoint(stream, prefix, {.length = longest, .tail = Tail::kDrop});
  out.tokens_skipped = static_cast<std::int64_t>(stream.size());
  for (Window& window : out.windows) {
    window.end = window.begin + length - window.prefix;
    out.tokens_skipped -= window.end - window.begin;
  }
  return out;
}

std::string format_longest(std::int64_t longest) {
  return fmt::format("nested,longest={}", longest);
}

std::int64_t parse_longest(const std::string& variant) {
  long long longest = 0;
  const int count = std::sscanf(variant.c_str(), "nested,longest=%lld", &longest);
  check(count == 1, "a nested cell's variant was written by format_longest");
  return longest;
}

Windows cut_last(std::span<const TokenId> stream, std::span<const TokenId> prefix,
                 std::int64_t length, const LastTargets& targets) {
  check(targets.k >= 1 && targets.k < length && length <= targets.longest &&
            targets.k <= targets.stride,
        "last-k targets fit behind some context at every length and do not overlap");
  const auto size = static_cast<std::int64_t>(stream.size());
  Windows out{.windows = {}, .tokens_skipped = size};
  for (std::int64_t end = targets.longest; end <= size; end += targets.stride) {
    // With k = length - 1 and a prefix, the body is the targets alone and needs the prefix.
    const std::int64_t body =
        prefix.empty() ? length : length - static_cast<std::int64_t>(prefix.size());
    const std::int64_t begin = end - body;
    const std::int64_t score_from = end - targets.k;
    const auto opening = begin == score_from ? static_cast<std::int64_t>(prefix.size())
                                             : prefix_at(stream, prefix, begin);
    out.windows.push_back(
        {.begin = begin, .end = end, .score_from = score_from, .prefix = opening});
    out.tokens_skipped = size - end;
  }
  return out;
}

std::string format_targets(const LastTargets& targets) {
  return fmt::format("last={},longest={},stride={}", targets.k, targets.longest, targets.stride);
}

LastTargets parse_targets(const std::string& variant) {
  long long k = 0;
  long long longest = 0;
  long long stride = 0;
  const int count =
      std::sscanf(variant.c_str(), "last=%lld,longest=%lld,stride=%lld", &k, &longest, &stride);
  check(count == 3, "a last-k cell's variant was written by format_targets");
  return {.k = k, .longest = longest, .stride = stride};
}

}  // namespace yardstick::tasks
