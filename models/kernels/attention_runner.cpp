// Compiled without contraction to FMA (see CMakeLists.txt): the clones differ in width only.
#include "models/kernels/attention_runner.hpp"

#include <algorithm>
#include <array>
#include <numbers>

#include "models/kernels/clones.hpp"
#include "models/kernels/prefetch.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kPage = kPageTokens;

/// Numbers from row to row of `width`: whole cache lines, and an odd number of them, so that the
/// rows of one tile do not meet in the same cache set.
constexpr std::int64_t row_stride(std::int64_t width) { return ((width + 15) / 16 | 1) * 16; }

constexpr std::int64_t kScoreStride = row_stride(kPage);

constexpr SeenKeys kWhole{0, kPage};

/// The same of the rows of a tile, as most see.
constexpr std::array<SeenKeys, kMostTileRows> kAllWhole = [] {
  std::array<SeenKeys, kMostTileRows> all;
  all.fill(kWhole);
  return all;
}();

YARDSTICK_LOOP void scale_row_loop(float* row, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) row[i] *= factor;
}
YARDSTICK_CLONES(void, scale_row, (float* row, std::int64_t count, float factor),
                 (row, count, factor))

/// Scores are in base 2.
float in_base_two(double score) { return static_cast<float>(score * std::numbers::log2e); }

AlignedArray<float> room(std::int64_t floats) {
  return aligned_array<float>(static_cast<std::size_t>(floats));
}

}  // namespace

AttentionRunner::AttentionRunner(const HeadShape& shape, const Scoring& scoring)
    : shape_(shape),
      scoring_(&scoring),
      scale_(static_cast<float>(std::numbers::log2e / scoring.divisor)),
      soft_cap_(in_base_two(scoring.soft_cap.value_or(0.0))),
      panels_((shape.head_dim + tiles_->columns - 1) / tiles_->columns),
      query_stride_(row_stride(shape.head_dim)),
      out_stride_(row_stride(panels_ * tiles_->columns)),
      queries_(room(kMostQueryTile * query_stride_)),
      scores_(room(kMostTileRows * kScoreStride)),
      output_(room(kMostQueryTile * out_stride_)),
      softmax_(static_cast<std::size_t>(kMostQueryTile)) {}

void AttentionRunner::run(const AttentionTile& tile, std::int64_t head) {
  std::fill_n(output_.get(), tile.count * out_stride_, 0.0F);
  std::fill(softmax_.begin(), softmax_.end(), Softmax{});
  for (const position::VersionRanges& ranges : tile.ranges) {
    const Task task{tile, ranges, head};
    load_queries(task);
    for (std::int64_t page = ranges.first / kPage; page * kPage < ranges.last; ++page)
      add_page(task, page);
  }
  write(tile, head);
}

/// The task's queries, times log2(e) / divisor.
void AttentionRunner::load_queries(const Task& task) {
  const SequenceView& sequence = *task.tile.sequence;
  const ConstRows& rows = sequence.queries[static_cast<std::size_t>(task.ranges.query_version)];
  for (std::int64_t row = 0; row < task.tile.count; ++row) {
    const std::int64_t index = task.tile.first + row;
    const float* source = rows[index] + task.head * shape_.head_dim;
    const float scale = sequence.query_scales.empty()
                            ? scale_
                            : scale_ * sequence.query_scales[static_cast<std::size_t>(index)];
    float* target = queries_.get() + row * query_stride_;
    for (std::int64_t d = 0; d < shape_.head_dim; ++d) target[d] = source[d] * scale;
  }
}

SeenKeys AttentionRunner::seen(const Task& task, std::int64_t page, std::int64_t row) {
  const std::int64_t first = page * kPage;
  const auto index = static_cast<std::size_t>(row);
  const std::int64_t begin = std::max<std::int64_t>(task.ranges.begin[index] - first, 0);
  const std::int64_t end = std::min(task.ranges.end[index] - first, kPage);
  if (begin >= end) return {};
  return {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)};
}

AttentionRunner::TileRows AttentionRunner::tile_rows(const Task& task, std::int64_t page,
                                                     std::int64_t row) {
  const std::int64_t count = std::min(kMostTileRows, task.tile.count - row);
  if (task.ranges.all_take(page * kPage, (page + 1) * kPage))
    return {.first = row, .count = count, .page = page, .any = kWhole, .seen = kAllWhole.data()};
  SeenKeys any{kPage, 0};
  for (std::int64_t i = 0; i < count; ++i) {
    const SeenKeys own = seen(task, page, row + i);
    seen_[static_cast<std::size_t>(i)] = own;
    if (own.is_empty()) continue;
    any.begin = std::min(any.begin, own.begin);
    any.end = std::max(any.end, own.end);
  }
  return {.first = row, .count = count, .page = page, .any = any, .seen = seen_.data()};
}

void AttentionRunner::add_page(const Task& task, std::int64_t index) {
  std::int64_t begin = 0;
  while (begin < task.tile.count && seen(task, index, begin).is_empty()) ++begin;
  for (std::int64_t row = begin; row < task.tile.count; row += kMostTileRows) {
    const TileRows rows = tile_rows(task, index, row);
    if (rows.any.is_empty()) continue;
    prefetch(task, index + 1, row - begin, task.tile.count - begin);
    add_rows(task, rows);
  }
}

/// Takes a page for a few rows, whose scores stay in the first-level cache.
void AttentionRunner::add_rows(const Task& task, const TileRows& rows) {
  const KeyValuePage& page = task.tile.sequence->pages[static_cast<std::size_t>(rows.page)];
  const float* const keys = page.keys[static_cast<std::size_t>(task.ranges.key_version)];
  add_scores(keys + group(task.head) * shape_.head_dim * kPage, rows);
  if (scoring_->bias) add_bias(task, rows);
  const float slope =
      scoring_->slopes.empty() ? 0.0F : scoring_->slopes[static_cast<std::size_t>(task.head)];
  Softmax* const softmax = softmax_.data() + rows.first;
  take_page_({.scores = scores_.get(),
              .stride = kScoreStride,
              .count = rows.count,
              .seen = rows.seen,
              .distance = task.tile.place + rows.first - rows.page * kPage,
              .slope = in_base_two(static_cast<double>(slope))},
             softmax);
  for (std::int64_t i = 0; i < rows.count; ++i) {
    if (softmax[i].shrink == 1.0F) continue;
    scale_row(output_.get() + (rows.first + i) * out_stride_, shape_.head_dim, softmax[i].shrink);
  }
  const float* const values = page.values + group(task.head) * panels_ * tiles_->columns * kPage;
  if (*page.is_finite != 0) {
    accumulate(values, rows, 0, rows.count, rows.any);
    return;
  }
  // A weight of 0 hides no NaN: each query takes what it sees and no more.
  for (std::int64_t i = 0; i < rows.count; ++i) accumulate(values, rows, i, 1, rows.seen[i]);
}

/// Asks the memory for the part of a page, of what it holds for the task, that belongs to a tile's
/// first row among `rows`.
void AttentionRunner::prefetch(const Task& task, std::int64_t page, std::int64_t row,
                               std::int64_t rows) const {
  if (page * kPage >= task.ranges.last) return;
  const KeyValuePage& next = task.tile.sequence->pages[static_cast<std::size_t>(page)];
  const std::int64_t keys = shape_.head_dim * kPage;
  const std::int64_t values = panels_ * tiles_->columns * kPage;
  const std::int64_t part = row / kMostTileRows;
  const std::int64_t parts = (rows + kMostTileRows - 1) / kMostTileRows;
  constexpr std::int64_t kSize = sizeof(float);
  const float* const first = next.keys[static_cast<std::size_t>(task.ranges.key_version)];
  prefetch_part(first + group(task.head) * keys, keys * kSize, part, parts);
  prefetch_part(next.values + group(task.head) * values, values * kSize, part, parts);
}

/// The scores of the panels of keys that any row sees.
void AttentionRunner::add_scores(const float* keys, const TileRows& rows) {
  const std::int64_t columns = tiles_->columns;
  const std::int64_t begin = rows.any.begin / columns * columns;
  for (std::int64_t column = begin; column < rows.any.end; column += columns) {
    tiles_->product({.x = queries_.get() + rows.first * query_stride_,
                     .x_stride = query_stride_,
                     .panel = keys + column * shape_.head_dim,
                     .depth = shape_.head_dim,
                     .out = scores_.get() + column,
                     .out_stride = kScoreStride},
                    rows.count);
  }
  if (soft_cap_ == 0.0F) return;
  for (std::int64_t i = 0; i < rows.count; ++i)
    bound_(scores_.get() + i * kScoreStride + begin, kPage - begin, soft_cap_);
}

void AttentionRunner::add_bias(const Task& task, const TileRows& rows) {
  std::array<float, kPage> bias;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const auto [begin, end] = rows.seen[i];
    if (begin >= end) continue;
    scoring_->bias({.head = task.head,
                    .query = task.tile.place + rows.first + i,
                    .first_key = rows.page * kPage + begin},
                   std::span(bias).first(static_cast<std::size_t>(end - begin)));
    float* const scores = scores_.get() + i * kScoreStride + begin;
    for (std::int64_t key = 0; key < end - begin; ++key)
      scores[key] += in_base_two(static_cast<double>(bias[static_cast<std::size_t>(key)]));
  }
}

/// Adds the values of some keys to `count` rows from the tile's row `row` on.
void AttentionRunner::accumulate(const float* values, const TileRows& rows, std::int64_t row,
                                 std::int64_t count, const SeenKeys& keys) {
  const std::int64_t columns = tiles_->columns;
  for (std::int64_t panel = 0; panel < panels_; ++panel) {
    float* const out = output_.get() + (rows.first + row) * out_stride_ + panel * columns;
    tiles_->accumulate({.x = scores_.get() + row * kScoreStride + keys.begin,
                        .x_stride = kScoreStride,
                        .panel = values + (panel * kPage + keys.begin) * columns,
                        .depth = keys.end - keys.begin,
                        .out = out,
                        .out_stride = out_stride_},
                       count);
  }
}

void AttentionRunner::write(const AttentionTile& tile, std::int64_t head) {
  for (std::int64_t row = 0; row < tile.count; ++row) {
    float* out = tile.sequence->out[tile.first + row] + head * shape_.head_dim;
    const auto factor = static_cast<float>(1.0 / softmax_[static_cast<std::size_t>(row)].sum);
    const float* source = output_.get() + row * out_stride_;
    for (std::int64_t d = 0; d < shape_.head_dim; ++d) out[d] = source[d] * factor;
  }
}

}  // namespace yardstick::models::kernels
