// Attention as tasks: some queries of one head each.
#include "models/kernels/attention.hpp"

#include <algorithm>

#include "models/kernels/attention_runner.hpp"
#include "models/kernels/parallel.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kLeastQueryTile = 96;  // where more would leave threads without a task
constexpr std::int64_t kTasksAThread = 4;

/// Last queries first: they see most.
std::vector<AttentionTile> tiles_of(const SequenceView& sequence, const position::Reach& reach,
                                    std::int64_t size) {
  std::vector<AttentionTile> tiles;
  const std::int64_t queries = sequence.queries.front().count;
  for (std::int64_t first = (queries - 1) / size * size; first >= 0; first -= size) {
    const std::int64_t count = std::min(size, queries - first);
    const std::int64_t place = sequence.tokens - queries + first;
    tiles.push_back({.sequence = &sequence,
                     .first = first,
                     .count = count,
                     .place = place,
                     .ranges = position::version_ranges(reach, place, count)});
  }
  return tiles;
}

struct Task {
  const AttentionTile* tile = nullptr;
  std::int64_t head = 0;
};

}  // namespace

void attend(std::span<const SequenceView> sequences, const HeadShape& shape,
            const Scoring& scoring) {
  std::int64_t queries = 0;
  for (const SequenceView& sequence : sequences) queries += sequence.queries.front().count;
  const std::int64_t threads = thread_count();
  const bool has_enough =
      threads == 1 || queries * shape.heads >= threads * kTasksAThread * kMostQueryTile;
  std::vector<std::vector<AttentionTile>> tiles;
  for (const SequenceView& sequence : sequences) {
    tiles.push_back(
        tiles_of(sequence, scoring.reach, has_enough ? kMostQueryTile : kLeastQueryTile));
  }
  std::vector<Task> tasks;
  for (const std::vector<AttentionTile>& own : tiles) {
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      for (const AttentionTile& tile : own) tasks.push_back({&tile, head});
    }
  }
  std::vector<AttentionRunner> runners;
  for (std::int64_t i = 0; i < threads; ++i) runners.emplace_back(shape, scoring);
  for_each_task(std::ssize(tasks), [&](std::int64_t task, std::int64_t thread) {
    const auto& [tile, head] = tasks[static_cast<std::size_t>(task)];
    runners[static_cast<std::size_t>(thread)].run(*tile, head);
  });
}

}  // namespace yardstick::models::kernels
