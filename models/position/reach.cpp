#include "models/position/reach.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace yardstick::position {
namespace {

void add(Spans& spans, KeySpan span) {
  span.begin = std::max<std::int64_t>(span.begin, 0);
  if (span.begin >= span.end) return;
  spans.spans[spans.count++] = span;
}

/// Sinks before a window, each with its own versions.
Spans sinks_and_window(const Reach& reach, std::int64_t query, int query_version, int key_version) {
  Spans out;
  const std::int64_t begin = std::max<std::int64_t>(query + 1 - reach.window, 0);
  add(out, {0, std::min(reach.sinks, begin), query_version, key_version});
  add(out, {begin, query + 1, 0, 0});
  return out;
}

/// Keys beyond the window in version 1 of query and key, the others in version 0.
Spans far_and_near(const Reach& reach, std::int64_t query) {
  Spans out;
  const std::int64_t begin = std::max<std::int64_t>(query + 1 - reach.window, 0);
  add(out, {0, begin, 1, 1});
  add(out, {begin, query + 1, 0, 0});
  return out;
}

Spans chunks(const Reach& reach, std::int64_t query) {
  Spans out;
  const std::int64_t begin = query / reach.chunk * reach.chunk;
  add(out, {0, begin - reach.chunk, 2, 0});
  add(out, {begin - reach.chunk, begin, 1, 0});
  add(out, {begin, query + 1, 0, 0});
  return out;
}

double floor_of(double value) { return std::floor(value); }

}  // namespace

Spans visible(const Reach& reach, std::int64_t query) {
  switch (reach.kind) {
    case ReachKind::kAll: {
      Spans out;
      add(out, {0, query + 1, 0, 0});
      return out;
    }
    case ReachKind::kWindow: {
      Spans out;
      add(out, {query + 1 - reach.window, query + 1, 0, 0});
      return out;
    }
    case ReachKind::kStreaming: return sinks_and_window(reach, query, 1, 0);
    case ReachKind::kLambda: return sinks_and_window(reach, query, 1, 1);
    case ReachKind::kSelfExtend:
    case ReachKind::kReRope: return far_and_near(reach, query);
    case ReachKind::kDualChunk: return chunks(reach, query);
  }
  throw Error(ErrorKind::kInternal, "a reach has no spans");
}

int query_versions(ReachKind kind) {
  switch (kind) {
    case ReachKind::kAll:
    case ReachKind::kWindow: return 1;
    case ReachKind::kDualChunk: return 3;
    default: return 2;
  }
}

int key_versions(ReachKind kind) {
  switch (kind) {
    case ReachKind::kLambda:
    case ReachKind::kSelfExtend:
    case ReachKind::kReRope: return 2;
    default: return 1;
  }
}

double query_position(const Reach& reach, int version, std::int64_t index) {
  const auto place = static_cast<double>(index);
  const auto window = static_cast<double>(reach.window);
  switch (reach.kind) {
    case ReachKind::kAll:
    case ReachKind::kWindow: return place;
    // The cache holds sinks and window once it is full; the query is its last token.
    case ReachKind::kStreaming:
      return version == 0 ? place
                          : static_cast<double>(std::min(index, reach.sinks + reach.window - 1));
    case ReachKind::kLambda: return version == 0 ? place : window;
    case ReachKind::kSelfExtend:
      if (version == 0) return place;
      return floor_of(place / reach.group) + window - floor_of(window / reach.group);
    case ReachKind::kReRope:
      if (version == 0) return place;
      return reach.group == 0.0 ? window : window + (place - window) / reach.group;
    case ReachKind::kDualChunk: {
      const std::int64_t inside = index % reach.chunk;
      if (version == 0) return static_cast<double>(inside);
      const std::int64_t next = version == 1 ? inside + reach.chunk : 2 * reach.chunk - 1;
      return static_cast<double>(std::min(next, reach.limit));
    }
  }
  throw Error(ErrorKind::kInternal, "a reach has no query positions");
}

double key_position(const Reach& reach, int version, std::int64_t index) {
  const auto place = static_cast<double>(index);
  if (reach.kind == ReachKind::kDualChunk) return static_cast<double>(index % reach.chunk);
  if (version == 0) return place;
  switch (reach.kind) {
    case ReachKind::kLambda: return 0.0;
    case ReachKind::kSelfExtend: return floor_of(place / reach.group);
    case ReachKind::kReRope: return reach.group == 0.0 ? 0.0 : place / reach.group;
    default: return place;
  }
}

double distance(const Reach& reach, std::int64_t query, std::int64_t key) {
  const Spans spans = visible(reach, query);
  for (const KeySpan& span : spans.list()) {
    if (key < span.begin || key >= span.end) continue;
    return query_position(reach, span.query_version, query) -
           key_position(reach, span.key_version, key);
  }
  throw Error(ErrorKind::kInternal, "a query was asked for its distance to a key it does not see");
}

std::string_view to_string(ReachKind kind) {
  switch (kind) {
    case ReachKind::kAll: return "all";
    case ReachKind::kWindow: return "sliding_window";
    case ReachKind::kStreaming: return "streaming";
    case ReachKind::kLambda: return "lambda";
    case ReachKind::kSelfExtend: return "self_extend";
    case ReachKind::kReRope: return "rerope";
    case ReachKind::kDualChunk: return "dual_chunk";
  }
  throw Error(ErrorKind::kInternal, "a reach has no name");
}

}  // namespace yardstick::position
