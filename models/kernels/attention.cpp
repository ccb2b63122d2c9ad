// Compiled without contraction to FMA (see CMakeLists.txt): the clones differ in width only.
#include "models/kernels/attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "models/kernels/clones.hpp"
#include "models/kernels/exponential.hpp"
#include "models/kernels/tile.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kPage = 64;  // keys that are taken together
constexpr std::int64_t kQueryTile = 4 * kRowTile;
constexpr std::int32_t kLanes = 16;
constexpr std::int64_t kPackedFloats = std::int64_t{8} << 20;  // of sequences packed together
constexpr float kNever = -std::numeric_limits<float>::infinity();

std::int64_t pages_of(std::int64_t tokens) { return (tokens + kPage - 1) / kPage; }

/// Numbers a row of values takes in a page.
std::int64_t whole_panels(std::int64_t head_dim) {
  return (head_dim + kPanel - 1) / kPanel * kPanel;
}

std::int64_t token_count(const SequenceView& sequence) {
  return std::accumulate(
      sequence.rows.begin(), sequence.rows.end(), std::int64_t{0},
      [](std::int64_t sum, const KeyValueRows& rows) { return sum + rows.count; });
}

/// Keys [pages, G, D, kPage] and values [pages, G, kPage, V] of one sequence, V = D rounded up to
/// whole panels; zeros behind the last token. So both products of attention read panels.
class Pages {
 public:
  Pages(const SequenceView& sequence, const HeadShape& shape)
      : shape_(shape),
        value_width_(whole_panels(shape.head_dim)),
        tokens_(token_count(sequence)),
        keys_(
            static_cast<std::size_t>(pages_of(tokens_) * shape.kv_heads * shape.head_dim * kPage)),
        values_(
            static_cast<std::size_t>(pages_of(tokens_) * shape.kv_heads * value_width_ * kPage)),
        finite_(static_cast<std::size_t>(pages_of(tokens_)), 1) {
    std::int64_t first = 0;
    for (const KeyValueRows& rows : sequence.rows) {
      const std::int64_t last_page = pages_of(first + rows.count);
#pragma omp parallel for schedule(static) if (rows.count > kPage)
      for (std::int64_t page = first / kPage; page < last_page; ++page) pack(rows, first, page);
      first += rows.count;
    }
  }

  [[nodiscard]] std::int64_t tokens() const { return tokens_; }
  [[nodiscard]] bool is_finite(std::int64_t page) const {
    return finite_[static_cast<std::size_t>(page)] != 0;
  }
  [[nodiscard]] const float* keys(std::int64_t page, std::int64_t group) const {
    return keys_.data() + (page * shape_.kv_heads + group) * shape_.head_dim * kPage;
  }
  [[nodiscard]] const float* values(std::int64_t page, std::int64_t group) const {
    return values_.data() + (page * shape_.kv_heads + group) * kPage * value_width_;
  }

 private:
  /// The rows, of which the first is token `first`, that lie in `page`.
  void pack(const KeyValueRows& rows, std::int64_t first, std::int64_t page) {
    const std::int64_t begin = std::max(first, page * kPage);
    const std::int64_t end = std::min(first + rows.count, (page + 1) * kPage);
    float zero = 0;
    for (std::int64_t group = 0; group < shape_.kv_heads; ++group) {
      float* keys = keys_.data() + (page * shape_.kv_heads + group) * shape_.head_dim * kPage;
      float* values = values_.data() + (page * shape_.kv_heads + group) * kPage * value_width_;
      for (std::int64_t token = begin; token < end; ++token) {
        const float* key = rows.keys + (token - first) * rows.key_stride + group * shape_.head_dim;
        const float* value =
            rows.values + (token - first) * rows.value_stride + group * shape_.head_dim;
        const std::int64_t slot = token - page * kPage;
        for (std::int64_t d = 0; d < shape_.head_dim; ++d) keys[d * kPage + slot] = key[d];
        std::copy_n(value, shape_.head_dim, values + slot * value_width_);
        for (std::int64_t d = 0; d < shape_.head_dim; ++d) zero += value[d] * 0.0F;
      }
    }
    if (zero != 0) finite_[static_cast<std::size_t>(page)] = 0;
  }

  HeadShape shape_;
  std::int64_t value_width_;
  std::int64_t tokens_;
  std::vector<float> keys_;
  std::vector<float> values_;
  std::vector<std::uint8_t> finite_;  // of each page: whether all its values are finite
};

/// A row of scores against one page.
struct ScoreRow {
  float* scores = nullptr;    // [kPage]: q k^T / sqrt(D) in, weights out
  std::int64_t visible = 0;   // leading keys that the query sees, 1 .. kPage
  std::int64_t distance = 0;  // from the page's first key to the query
  float slope = 0;
};

/// The online softmax of one query.
struct Softmax {
  float maximum = kNever;
  double sum = 0;
};

/// Turns scores into weights exp(score - maximum), and answers by what earlier weights shrink.
YARDSTICK_CLONES float take_page(const ScoreRow& row, Softmax& softmax) {
  float* const __restrict scores = row.scores;
  const float slope = row.slope;
  const auto distance = static_cast<float>(row.distance);
  for (std::int32_t key = 0; key < kPage; ++key)
    scores[key] -= slope * (distance - static_cast<float>(key));
  std::fill(scores + row.visible, scores + kPage, kNever);
  float maximum = softmax.maximum;
#pragma omp simd reduction(max : maximum)
  for (std::int32_t key = 0; key < kPage; ++key)
    maximum = scores[key] > maximum ? scores[key] : maximum;
  for (std::int32_t key = 0; key < kPage; ++key) scores[key] = exponential(scores[key] - maximum);
  std::fill(scores + row.visible, scores + kPage, 0.0F);
  float lanes[kLanes] = {};
  for (std::int32_t first = 0; first < kPage; first += kLanes) {
    for (std::int32_t lane = 0; lane < kLanes; ++lane) lanes[lane] += scores[first + lane];
  }
  double sum = 0;
  for (const float lane : lanes) sum += static_cast<double>(lane);
  const float shrink = exponential(softmax.maximum - maximum);
  softmax.sum = softmax.sum * static_cast<double>(shrink) + sum;
  softmax.maximum = maximum;
  return shrink;
}

YARDSTICK_CLONES void scale_row(float* row, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) row[i] *= factor;
}

/// Up to kQueryTile queries of one head of one sequence.
struct Task {
  const SequenceView* sequence = nullptr;
  const Pages* pages = nullptr;
  std::int64_t head = 0;
  std::int64_t first = 0;  // among the sequence's queries
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t position() const { return pages->tokens() - sequence->count + first; }
};

class TaskRunner {
 public:
  TaskRunner(const HeadShape& shape, const float* slopes)
      : shape_(shape),
        slopes_(slopes),
        scale_(static_cast<float>(1.0 / std::sqrt(static_cast<double>(shape.head_dim)))),
        width_(whole_panels(shape.head_dim)),
        queries_(static_cast<std::size_t>(kQueryTile * shape.head_dim)),
        scores_(static_cast<std::size_t>(kQueryTile * kPage)),
        output_(static_cast<std::size_t>(kQueryTile * width_)),
        softmax_(static_cast<std::size_t>(kQueryTile)) {}

  void run(const Task& task) {
    load_queries(task);
    std::fill(output_.begin(), output_.end(), 0.0F);
    std::fill(softmax_.begin(), softmax_.end(), Softmax{});
    const std::int64_t pages = pages_of(task.position() + task.count);
    for (std::int64_t page = 0; page < pages; ++page) add_page(task, page);
    write(task);
  }

 private:
  /// The task's queries side by side, divided by sqrt(D).
  void load_queries(const Task& task) {
    for (std::int64_t row = 0; row < task.count; ++row) {
      const float* source = task.sequence->queries +
                            (task.first + row) * task.sequence->query_stride +
                            task.head * shape_.head_dim;
      float* target = queries_.data() + row * shape_.head_dim;
      for (std::int64_t d = 0; d < shape_.head_dim; ++d) target[d] = source[d] * scale_;
    }
  }

  void add_page(const Task& task, std::int64_t page) {
    const std::int64_t group = task.head / (shape_.heads / shape_.kv_heads);
    // The first query's place relative to the page; queries before the page see nothing of it.
    const std::int64_t offset = task.position() - page * kPage;
    const std::int64_t begin = std::max<std::int64_t>(0, -offset);
    const std::int64_t depth = std::min(kPage, offset + task.count);
    const float* const values = task.pages->values(page, group);
    add_scores(task.pages->keys(page, group), {begin, task.count, depth});
    for (std::int64_t row = begin; row < task.count; ++row) {
      const float shrink = take_page({.scores = scores_.data() + row * kPage,
                                      .visible = std::min(kPage, offset + row + 1),
                                      .distance = offset + row,
                                      .slope = slopes_ == nullptr ? 0.0F : slopes_[task.head]},
                                     softmax_[static_cast<std::size_t>(row)]);
      if (shrink != 1.0F) scale_row(output_.data() + row * width_, width_, shrink);
    }
    if (task.pages->is_finite(page)) {
      add_values(values, {begin, task.count, depth});
      return;
    }
    // A weight of 0 hides no NaN: each query takes what it sees and no more.
    for (std::int64_t row = begin; row < task.count; ++row)
      add_values(values, {row, row + 1, std::min(kPage, offset + row + 1)});
  }

  /// Rows [begin, end) of the tile, and how many of the page's keys any of them sees.
  struct Part {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t depth = 0;
  };

  void add_scores(const float* keys, const Part& part) {
    for (std::int64_t row = part.begin; row < part.end; row += kRowTile) {
      for (std::int64_t column = 0; column < part.depth; column += kPanel) {
        tiles_.product({.x = queries_.data() + row * shape_.head_dim,
                        .x_stride = shape_.head_dim,
                        .panel = keys + column,
                        .panel_stride = kPage,
                        .depth = shape_.head_dim,
                        .out = scores_.data() + row * kPage + column,
                        .out_stride = kPage},
                       std::min(kRowTile, part.end - row));
      }
    }
  }

  void add_values(const float* values, const Part& part) {
    for (std::int64_t row = part.begin; row < part.end; row += kRowTile) {
      for (std::int64_t column = 0; column < width_; column += kPanel) {
        tiles_.accumulate({.x = scores_.data() + row * kPage,
                           .x_stride = kPage,
                           .panel = values + column,
                           .panel_stride = width_,
                           .depth = part.depth,
                           .out = output_.data() + row * width_ + column,
                           .out_stride = width_},
                          std::min(kRowTile, part.end - row));
      }
    }
  }

  void write(const Task& task) {
    for (std::int64_t row = 0; row < task.count; ++row) {
      float* out =
          task.sequence->out + ((task.first + row) * shape_.heads + task.head) * shape_.head_dim;
      const auto factor = static_cast<float>(1.0 / softmax_[static_cast<std::size_t>(row)].sum);
      const float* source = output_.data() + row * width_;
      for (std::int64_t d = 0; d < shape_.head_dim; ++d) out[d] = source[d] * factor;
    }
  }

  HeadShape shape_;
  const float* slopes_;
  float scale_;
  std::int64_t width_;
  TileFunctions tiles_ = tile_functions();
  std::vector<float> queries_;  // [kQueryTile, D]
  std::vector<float> scores_;   // [kQueryTile, kPage]
  std::vector<float> output_;   // [kQueryTile, width]
  std::vector<Softmax> softmax_;
};

void add_tasks(const SequenceView& sequence, const Pages& pages, const HeadShape& shape,
               std::vector<Task>& tasks) {
  // Last queries first: they see most.
  const std::int64_t tiles = (sequence.count + kQueryTile - 1) / kQueryTile;
  for (std::int64_t tile = tiles - 1; tile >= 0; --tile) {
    const std::int64_t first = tile * kQueryTile;
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      tasks.push_back(
          {&sequence, &pages, head, first, std::min(kQueryTile, sequence.count - first)});
    }
  }
}

/// Sequences whose pages are in memory together.
void attend_group(std::span<const SequenceView> sequences, const HeadShape& shape,
                  const float* slopes) {
  std::vector<Pages> pages;
  pages.reserve(sequences.size());
  std::vector<Task> tasks;
  for (const SequenceView& sequence : sequences) {
    pages.emplace_back(sequence, shape);
    add_tasks(sequence, pages.back(), shape, tasks);
  }
  const auto count = static_cast<std::int64_t>(tasks.size());
#pragma omp parallel if (count > 1)
  {
    TaskRunner runner(shape, slopes);
#pragma omp for schedule(dynamic)
    for (std::int64_t i = 0; i < count; ++i) runner.run(tasks[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

void attend(std::span<const SequenceView> sequences, const HeadShape& shape, const float* slopes) {
  std::size_t begin = 0;
  std::int64_t floats = 0;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::int64_t own = token_count(sequences[i]) * shape.kv_heads *
                             (shape.head_dim + whole_panels(shape.head_dim));
    if (i > begin && floats + own > kPackedFloats) {
      attend_group(sequences.subspan(begin, i - begin), shape, slopes);
      begin = i;
      floats = 0;
    }
    floats += own;
  }
  attend_group(sequences.subspan(begin), shape, slopes);
}

}  // namespace yardstick::models::kernels
