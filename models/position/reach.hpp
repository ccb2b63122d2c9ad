// Which keys a query sees, and at which positions both are taken: everything, a window, or one of
// the methods that carry a model past its training length without training.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace yardstick::position {

enum class ReachKind {
  kAll,
  kWindow,      ///< a query sees itself and the window - 1 tokens before it
  kStreaming,   ///< StreamingLLM, arXiv 2309.17453: sinks and window, positions inside the cache
  kLambda,      ///< LM-Infinite, arXiv 2308.16137: sinks and window, distances capped at the window
  kSelfExtend,  ///< arXiv 2401.01325: beyond the window, positions divided by group, rounded down
  kReRope,      ///< distances beyond the window count as the window, or grow at 1 / group (leaky)
  kDualChunk,   ///< arXiv 2402.17463: positions inside chunks
};

/// Fields that a kind does not use keep their defaults.
struct Reach {
  ReachKind kind = ReachKind::kAll;
  std::int64_t window = 0;  ///< tokens
  std::int64_t sinks = 0;   ///< first tokens of a sequence that every query sees
  double group = 1.0;       ///< self-extend: a whole number; leaky ReRoPE: k; 0: plain ReRoPE
  std::int64_t chunk = 0;   ///< dual chunk attention: tokens of a chunk
  std::int64_t limit = 0;   ///< dual chunk attention: greatest position of a query

  bool operator==(const Reach&) const = default;
};

/// Keys [begin, end) of a sequence that a query takes with one rotation of itself and of the keys.
struct KeySpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int query_version = 0;
  int key_version = 0;

  bool operator==(const KeySpan&) const = default;
};

inline constexpr std::size_t kMostSpans = 3;

/// The keys that one query sees: ascending, disjoint, none empty; the last ends behind the query.
struct Spans {
  std::array<KeySpan, kMostSpans> spans;
  std::size_t count = 0;

  [[nodiscard]] std::span<const KeySpan> list() const { return {spans.data(), count}; }
};

/// @param query 0-based position of the query in its sequence
[[nodiscard]] Spans visible(const Reach& reach, std::int64_t query);

/// How many rotations of each query and of each key the kind needs.
[[nodiscard]] int query_versions(ReachKind kind);
[[nodiscard]] int key_versions(ReachKind kind);

/// The position that version `version` of the query or key at place `index` of its sequence has.
/// Not whole for leaky ReRoPE.
[[nodiscard]] double query_position(const Reach& reach, int version, std::int64_t index);
[[nodiscard]] double key_position(const Reach& reach, int version, std::int64_t index);

/// The distance at which a query takes a key that it sees: what a bias by distance is read at.
[[nodiscard]] double distance(const Reach& reach, std::int64_t query, std::int64_t key);

[[nodiscard]] std::string_view to_string(ReachKind kind);

}  // namespace yardstick::position
