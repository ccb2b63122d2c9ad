// Compiled without contraction to FMA (see CMakeLists.txt): the clones differ in width only.
#include "models/kernels/attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "models/kernels/aligned.hpp"
#include "models/kernels/clones.hpp"
#include "models/kernels/parallel.hpp"
#include "models/kernels/prefetch.hpp"
#include "models/kernels/softmax.hpp"
#include "models/kernels/tile.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kPage = kPageTokens;
constexpr std::int64_t kMostQueryTile = 384;  // queries that each read of a page serves
constexpr std::int64_t kLeastQueryTile = 96;  // where more would leave threads without a task
constexpr std::int64_t kTasksAThread = 4;

/// Numbers from row to row of `width`: whole cache lines, and an odd number of them, so that the
/// rows of one tile do not meet in the same cache set.
constexpr std::int64_t row_stride(std::int64_t width) { return ((width + 15) / 16 | 1) * 16; }

constexpr std::int64_t kScoreStride = row_stride(kPage);

YARDSTICK_CLONES void scale_row(float* row, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) row[i] *= factor;
}

/// Consecutive queries of one head of one sequence, at most kMostQueryTile.
struct Task {
  const SequenceView* sequence = nullptr;
  std::int64_t head = 0;
  std::int64_t first = 0;  // among the sequence's queries
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t position() const {
    return sequence->tokens - sequence->queries.count + first;
  }
};

class TaskRunner {
 public:
  TaskRunner(const HeadShape& shape, const float* slopes)
      : shape_(shape),
        slopes_(slopes),
        scale_(static_cast<float>(std::numbers::log2e /
                                  std::sqrt(static_cast<double>(shape.head_dim)))),
        panels_((shape.head_dim + tiles_.columns - 1) / tiles_.columns),
        query_stride_(row_stride(shape.head_dim)),
        out_stride_(row_stride(panels_ * tiles_.columns)),
        queries_(aligned_array<float>(static_cast<std::size_t>(kMostQueryTile * query_stride_))),
        scores_(aligned_array<float>(static_cast<std::size_t>(kMostTileRows * kScoreStride))),
        output_(aligned_array<float>(static_cast<std::size_t>(kMostQueryTile * out_stride_))),
        softmax_(static_cast<std::size_t>(kMostQueryTile)) {}

  void run(const Task& task) {
    load_queries(task);
    std::fill_n(output_.get(), task.count * out_stride_, 0.0F);
    std::fill(softmax_.begin(), softmax_.end(), Softmax{});
    const std::int64_t pages = (task.position() + task.count + kPage - 1) / kPage;
    for (std::int64_t page = 0; page < pages; ++page) add_page(task, page);
    write(task);
  }

 private:
  /// The task's queries, times log2(e) / sqrt(D).
  void load_queries(const Task& task) {
    for (std::int64_t row = 0; row < task.count; ++row) {
      const float* source = task.sequence->queries[task.first + row] + task.head * shape_.head_dim;
      float* target = queries_.get() + row * query_stride_;
      for (std::int64_t d = 0; d < shape_.head_dim; ++d) target[d] = source[d] * scale_;
    }
  }

  void add_page(const Task& task, std::int64_t index) {
    // The first query's place relative to the page; queries before the page see nothing of it.
    const std::int64_t offset = task.position() - index * kPage;
    const std::int64_t begin = std::max<std::int64_t>(0, -offset);
    const KeyValuePage& page = task.sequence->pages[static_cast<std::size_t>(index)];
    for (std::int64_t row = begin; row < task.count; row += kMostTileRows) {
      prefetch(task, index + 1, row - begin, task.count - begin);
      add_rows(task, page, {row, std::min(kMostTileRows, task.count - row), offset});
    }
  }

  /// Rows of one register tile; row r sees the page's keys up to offset + r.
  struct TileRows {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t offset = 0;

    /// The page's keys that a row sees.
    [[nodiscard]] std::int64_t visible(std::int64_t row) const {
      return std::min(kPage, offset + row + 1);
    }
    /// The page's keys that any of them sees.
    [[nodiscard]] std::int64_t depth() const { return visible(first + count - 1); }
  };

  /// Takes a page for a few rows, whose scores stay in the first-level cache.
  void add_rows(const Task& task, const KeyValuePage& page, const TileRows& rows) {
    const std::int64_t group = task.head / (shape_.heads / shape_.kv_heads);
    add_scores(page.keys + group * shape_.head_dim * kPage, rows);
    Softmax* const softmax = softmax_.data() + rows.first;
    const float slope = slopes_ == nullptr ? 0.0F : slopes_[task.head];
    take_page_({.scores = scores_.get(),
                .stride = kScoreStride,
                .count = rows.count,
                .visible = rows.offset + rows.first + 1,
                .distance = rows.offset + rows.first,
                .slope = static_cast<float>(static_cast<double>(slope) * std::numbers::log2e)},
               softmax);
    for (std::int64_t i = 0; i < rows.count; ++i) {
      if (softmax[i].shrink == 1.0F) continue;
      scale_row(output_.get() + (rows.first + i) * out_stride_, shape_.head_dim, softmax[i].shrink);
    }
    const float* const values = page.values + group * panels_ * tiles_.columns * kPage;
    if (*page.is_finite != 0) {
      add_values(values, rows.first, rows.count, rows);
      return;
    }
    // A weight of 0 hides no NaN: each query takes what it sees and no more.
    for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row)
      add_values(values, row, 1, rows);
  }

  /// Asks the memory for the part of a page, of what it holds for the task's head, that belongs to
  /// a tile's first row among `rows`.
  void prefetch(const Task& task, std::int64_t page, std::int64_t row, std::int64_t rows) const {
    if (page >= std::ssize(task.sequence->pages)) return;
    const KeyValuePage& next = task.sequence->pages[static_cast<std::size_t>(page)];
    const std::int64_t group = task.head / (shape_.heads / shape_.kv_heads);
    const std::int64_t keys = shape_.head_dim * kPage;
    const std::int64_t values = panels_ * tiles_.columns * kPage;
    const std::int64_t part = row / kMostTileRows;
    const std::int64_t parts = (rows + kMostTileRows - 1) / kMostTileRows;
    constexpr std::int64_t kSize = sizeof(float);
    prefetch_part(next.keys + group * keys, keys * kSize, part, parts);
    prefetch_part(next.values + group * values, values * kSize, part, parts);
  }

  void add_scores(const float* keys, const TileRows& rows) {
    for (std::int64_t column = 0; column < rows.depth(); column += tiles_.columns) {
      tiles_.product({.x = queries_.get() + rows.first * query_stride_,
                      .x_stride = query_stride_,
                      .panel = keys + column * shape_.head_dim,
                      .depth = shape_.head_dim,
                      .out = scores_.get() + column,
                      .out_stride = kScoreStride},
                     rows.count);
    }
  }

  /// Adds what `count` of the rows from `row` on see.
  void add_values(const float* values, std::int64_t row, std::int64_t count, const TileRows& rows) {
    for (std::int64_t panel = 0; panel < panels_; ++panel) {
      tiles_.accumulate({.x = scores_.get() + (row - rows.first) * kScoreStride,
                         .x_stride = kScoreStride,
                         .panel = values + panel * kPage * tiles_.columns,
                         .depth = rows.visible(row + count - 1),
                         .out = output_.get() + row * out_stride_ + panel * tiles_.columns,
                         .out_stride = out_stride_},
                        count);
    }
  }

  void write(const Task& task) {
    for (std::int64_t row = 0; row < task.count; ++row) {
      float* out = task.sequence->out[task.first + row] + task.head * shape_.head_dim;
      const auto factor = static_cast<float>(1.0 / softmax_[static_cast<std::size_t>(row)].sum);
      const float* source = output_.get() + row * out_stride_;
      for (std::int64_t d = 0; d < shape_.head_dim; ++d) out[d] = source[d] * factor;
    }
  }

  HeadShape shape_;
  const float* slopes_;
  float scale_;
  const TileFunctions& tiles_ = tile_functions();
  TakePage take_page_ = take_page_function();
  std::int64_t panels_;  // of a head's values
  std::int64_t query_stride_;
  std::int64_t out_stride_;
  AlignedArray<float> queries_;   // [kMostQueryTile, D]
  AlignedArray<float> scores_;    // [kMostTileRows, kPage]
  AlignedArray<float> output_;    // [kMostQueryTile, panels_ x columns]
  std::vector<Softmax> softmax_;  // [kMostQueryTile]
};

void add_tasks(const SequenceView& sequence, const HeadShape& shape, std::int64_t tile,
               std::vector<Task>& tasks) {
  // Last queries first: they see most.
  const std::int64_t tiles = (sequence.queries.count + tile - 1) / tile;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    for (std::int64_t index = tiles - 1; index >= 0; --index) {
      const std::int64_t first = index * tile;
      tasks.push_back({&sequence, head, first, std::min(tile, sequence.queries.count - first)});
    }
  }
}

}  // namespace

void attend(std::span<const SequenceView> sequences, const HeadShape& shape, const float* slopes) {
  std::int64_t queries = 0;
  for (const SequenceView& sequence : sequences) queries += sequence.queries.count;
  const std::int64_t threads = thread_count();
  const bool has_enough =
      threads == 1 || queries * shape.heads >= threads * kTasksAThread * kMostQueryTile;
  std::vector<Task> tasks;
  for (const SequenceView& sequence : sequences)
    add_tasks(sequence, shape, has_enough ? kMostQueryTile : kLeastQueryTile, tasks);
  std::vector<TaskRunner> runners;
  for (std::int64_t i = 0; i < threads; ++i) runners.emplace_back(shape, slopes);
  for_each_task(std::ssize(tasks), [&](std::int64_t task, std::int64_t thread) {
    runners[static_cast<std::size_t>(thread)].run(tasks[static_cast<std::size_t>(task)]);
  });
}

}  // namespace yardstick::models::kernels
