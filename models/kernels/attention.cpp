// Compiled without contraction to FMA (see CMakeLists.txt): the clones differ in width only.
#include "models/kernels/attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "models/kernels/clones.hpp"
#include "models/kernels/matrix_product.hpp"
#include "models/kernels/prefetch.hpp"
#include "models/kernels/softmax.hpp"
#include "models/kernels/tile.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kPage = kPageTokens;
constexpr std::int64_t kQueryTile = 8 * kMostTileRows;
constexpr std::int64_t kScoreStride = padded_width(kPage);

YARDSTICK_CLONES void scale_row(float* row, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) row[i] *= factor;
}

/// Up to kQueryTile queries of one head of one sequence.
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
        scale_(static_cast<float>(1.0 / std::sqrt(static_cast<double>(shape.head_dim)))),
        panels_((shape.head_dim + tiles_.columns - 1) / tiles_.columns),
        query_stride_(padded_width(shape.head_dim)),
        out_stride_(padded_width(panels_ * tiles_.columns)),
        queries_(static_cast<std::size_t>(kQueryTile * query_stride_)),
        scores_(static_cast<std::size_t>(kQueryTile * kScoreStride)),
        output_(static_cast<std::size_t>(kQueryTile * out_stride_)),
        softmax_(static_cast<std::size_t>(kQueryTile)) {}

  void run(const Task& task) {
    load_queries(task);
    std::fill(output_.begin(), output_.end(), 0.0F);
    std::fill(softmax_.begin(), softmax_.end(), Softmax{});
    const std::int64_t pages = (task.position() + task.count + kPage - 1) / kPage;
    for (std::int64_t page = 0; page < pages; ++page) add_page(task, page);
    write(task);
  }

 private:
  /// The task's queries, divided by sqrt(D).
  void load_queries(const Task& task) {
    for (std::int64_t row = 0; row < task.count; ++row) {
      const float* source = task.sequence->queries[task.first + row] + task.head * shape_.head_dim;
      float* target = queries_.data() + row * query_stride_;
      for (std::int64_t d = 0; d < shape_.head_dim; ++d) target[d] = source[d] * scale_;
    }
  }

  void add_page(const Task& task, std::int64_t index) {
    const std::int64_t group = task.head / (shape_.heads / shape_.kv_heads);
    // The first query's place relative to the page; queries before the page see nothing of it.
    const std::int64_t offset = task.position() - index * kPage;
    const std::int64_t begin = std::max<std::int64_t>(0, -offset);
    const KeyValuePage& page = task.sequence->pages[static_cast<std::size_t>(index)];
    const float* const values = page.values + group * panels_ * tiles_.columns * kPage;
    add_scores(page.keys + group * shape_.head_dim * kPage, {begin, task.count, offset});
    for (std::int64_t row = begin; row < task.count; ++row) {
      prefetch(task, index + 1, row - begin, task.count - begin);
      const float shrink = take_page_({.scores = scores_.data() + row * kScoreStride,
                                       .visible = std::min(kPage, offset + row + 1),
                                       .distance = offset + row,
                                       .slope = slopes_ == nullptr ? 0.0F : slopes_[task.head]},
                                      softmax_[static_cast<std::size_t>(row)]);
      if (shrink != 1.0F) scale_row(output_.data() + row * out_stride_, shape_.head_dim, shrink);
    }
    if (*page.is_finite != 0) {
      add_values(values, {begin, task.count, offset});
      return;
    }
    // A weight of 0 hides no NaN: each query takes what it sees and no more.
    for (std::int64_t row = begin; row < task.count; ++row)
      add_values(values, {row, row + 1, offset});
  }

  /// Asks the memory for part `index` of `parts` of what a page holds for the task's head.
  void prefetch(const Task& task, std::int64_t page, std::int64_t index, std::int64_t parts) const {
    if (page >= std::ssize(task.sequence->pages)) return;
    const KeyValuePage& next = task.sequence->pages[static_cast<std::size_t>(page)];
    const std::int64_t group = task.head / (shape_.heads / shape_.kv_heads);
    const std::int64_t keys = shape_.head_dim * kPage;
    const std::int64_t values = panels_ * tiles_.columns * kPage;
    constexpr std::int64_t kSize = sizeof(float);
    prefetch_part(next.keys + group * keys, keys * kSize, index, parts);
    prefetch_part(next.values + group * values, values * kSize, index, parts);
  }

  /// Rows [begin, end) of the tile; row r sees the page's keys up to offset + r.
  struct Part {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t offset = 0;

    /// Rows of the register tile from `row` on, and how many of the page's keys any of them sees.
    [[nodiscard]] std::int64_t rows(std::int64_t row) const {
      return std::min(kMostTileRows, end - row);
    }
    [[nodiscard]] std::int64_t depth(std::int64_t row) const {
      return std::min(kPage, offset + row + rows(row));
    }
  };

  void add_scores(const float* keys, const Part& part) {
    for (std::int64_t column = 0; column < kPage; column += tiles_.columns) {
      for (std::int64_t row = part.begin; row < part.end; row += kMostTileRows) {
        if (column >= part.depth(row)) continue;
        tiles_.product({.x = queries_.data() + row * query_stride_,
                        .x_stride = query_stride_,
                        .panel = keys + column * shape_.head_dim,
                        .depth = shape_.head_dim,
                        .out = scores_.data() + row * kScoreStride + column,
                        .out_stride = kScoreStride},
                       part.rows(row));
      }
    }
  }

  void add_values(const float* values, const Part& part) {
    for (std::int64_t panel = 0; panel < panels_; ++panel) {
      for (std::int64_t row = part.begin; row < part.end; row += kMostTileRows) {
        tiles_.accumulate({.x = scores_.data() + row * kScoreStride,
                           .x_stride = kScoreStride,
                           .panel = values + panel * kPage * tiles_.columns,
                           .depth = part.depth(row),
                           .out = output_.data() + row * out_stride_ + panel * tiles_.columns,
                           .out_stride = out_stride_},
                          part.rows(row));
      }
    }
  }

  void write(const Task& task) {
    for (std::int64_t row = 0; row < task.count; ++row) {
      float* out = task.sequence->out[task.first + row] + task.head * shape_.head_dim;
      const auto factor = static_cast<float>(1.0 / softmax_[static_cast<std::size_t>(row)].sum);
      const float* source = output_.data() + row * out_stride_;
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
  std::vector<float> queries_;  // [kQueryTile, D]
  std::vector<float> scores_;   // [kQueryTile, kPage]
  std::vector<float> output_;   // [kQueryTile, panels_ x columns]
  std::vector<Softmax> softmax_;
};

void add_tasks(const SequenceView& sequence, const HeadShape& shape, std::vector<Task>& tasks) {
  // Last queries first: they see most.
  const std::int64_t tiles = (sequence.queries.count + kQueryTile - 1) / kQueryTile;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    for (std::int64_t tile = tiles - 1; tile >= 0; --tile) {
      const std::int64_t first = tile * kQueryTile;
      tasks.push_back(
          {&sequence, head, first, std::min(kQueryTile, sequence.queries.count - first)});
    }
  }
}

}  // namespace

void attend(std::span<const SequenceView> sequences, const HeadShape& shape, const float* slopes) {
  std::vector<Task> tasks;
  for (const SequenceView& sequence : sequences) add_tasks(sequence, shape, tasks);
  const auto count = static_cast<std::int64_t>(tasks.size());
#pragma omp parallel if (count > 1)
  {
    TaskRunner runner(shape, slopes);
#pragma omp for schedule(dynamic)
    for (std::int64_t i = 0; i < count; ++i) runner.run(tasks[static_cast<std::size_t>(i)]);
  }
}

}  // namespace yardstick::models::kernels
