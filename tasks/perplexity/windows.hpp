// How a token stream is cut into windows: which tokens a window holds, and which of them it scores.
// Pure arithmetic on token indices, so that the protocols can be checked by counting.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/engine/request.hpp"

namespace yardstick::tasks {

/// Stream tokens [begin, end) behind `prefix` tokens of BOS; [score_from, end) are scored.
/// prefix + end - begin is at most the window's length in positions.
struct Window {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t score_from = 0;  ///< index in the stream, begin <= score_from < end
  std::int64_t prefix = 0;

  bool operator==(const Window&) const = default;
};

struct Windows {
  std::vector<Window> windows;
  std::int64_t tokens_skipped = 0;  ///< stream tokens that no window holds

  bool operator==(const Windows&) const = default;
};

/// What happens to the stream's last part, which does not fill a window.
enum class Tail { kDrop, kScore };

struct DisjointPlan {
  std::int64_t length = 0;  ///< positions of a window, at least 2
  Tail tail = Tail::kDrop;
};

/// Windows side by side. A window that the prefix opens holds length - prefix tokens and scores
/// them all; one without prefix, or whose first token is the prefix already (BOS is never doubled),
/// holds `length` tokens and scores all but its first: length - 1 scored tokens either way.
[[nodiscard]] Windows cut_disjoint(std::span<const TokenId> stream, std::span<const TokenId> prefix,
                                   const DisjointPlan& plan);

/// The first `length` positions of each of the windows that cut_disjoint makes for `longest`, whose
/// rest is dropped: the same windows at every length, all as parts of the longest ones.
/// 2 <= length <= longest.
[[nodiscard]] Windows cut_nested(std::span<const TokenId> stream, std::span<const TokenId> prefix,
                                 std::int64_t length, std::int64_t longest);

/// "nested,longest=32768": the variant of a nested cell, since its windows depend on the suite's
/// longest length and not on its own length alone.
[[nodiscard]] std::string format_longest(std::int64_t longest);

/// @throws Error(kInternal) for a text that format_longest did not write.
[[nodiscard]] std::int64_t parse_longest(const std::string& variant);

/// Which tokens the last-k protocol scores: k tokens in front of each end, and the ends are
/// longest, longest + stride, longest + 2 stride ... <= size of the stream. All of them have full
/// context at every length up to `longest`, so the targets are the same at every length.
struct LastTargets {
  std::int64_t k = 0;
  std::int64_t longest = 0;
  std::int64_t stride = 0;

  bool operator==(const LastTargets&) const = default;
};

/// For each end, the window of `length` positions that ends there and scores the last k tokens.
/// k < length <= longest, k <= stride.
[[nodiscard]] Windows cut_last(std::span<const TokenId> stream, std::span<const TokenId> prefix,
                               std::int64_t length, const LastTargets& targets);

/// "last=256,longest=32768,stride=32768": the variant of a last-k cell, since its targets depend on
/// the suite's longest length and not on its own length alone.
[[nodiscard]] std::string format_targets(const LastTargets& targets);

/// @throws Error(kInternal) for a text that format_targets did not write.
[[nodiscard]] LastTargets parse_targets(const std::string& variant);

}  // namespace yardstick::tasks
