// Rotator: which positions need tables, and how rows find theirs.
#include "models/decoder/rotation.hpp"

#include <algorithm>

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>

#include "core/error.hpp"

namespace yardstick::models {
namespace {

// Tables of one layer each (FoPE) are kept for the next batch up to this size, then recomputed.
constexpr std::int64_t kKeptBytes = std::int64_t{256} << 20;

/// Overlapping and touching runs of one total length, united.
std::vector<PositionRun> unite(std::vector<PositionRun> runs) {
  std::sort(runs.begin(), runs.end(), [](const PositionRun& a, const PositionRun& b) {
    return std::pair(a.total_length, a.first) < std::pair(b.total_length, b.first);
  });
  std::vector<PositionRun> united;
  for (const PositionRun& run : runs) {
    if (!united.empty() && united.back().total_length == run.total_length &&
        run.first <= united.back().last) {
      united.back().last = std::max(united.back().last, run.last);
    } else {
      united.push_back(run);
    }
  }
  return united;
}

/// Table row of `run`'s first position among `held`, or nothing.
std::optional<std::int64_t> table_row(const std::vector<PositionRun>& held,
                                      const PositionRun& run) {
  std::int64_t row = 0;
  for (const PositionRun& kept : held) {
    if (kept.total_length == run.total_length && kept.first <= run.first && run.last <= kept.last)
      return row + run.first - kept.first;
    row += kept.last - kept.first;
  }
  return std::nullopt;
}

std::int64_t row_count_of(const std::vector<PositionRun>& runs) {
  std::int64_t rows = 0;
  for (const PositionRun& run : runs) rows += run.last - run.first;
  return rows;
}

}  // namespace

Rotator::Rotator(std::shared_ptr<const position::Encoding> encoding, at::Device device)
    : encoding_(std::move(encoding)), device_(device) {}

Rotator::Tables Rotator::Tables::rows(std::int64_t begin, std::int64_t count) const {
  if (!cos.defined()) return {};
  return {cos.narrow(0, begin, count), sin.narrow(0, begin, count)};
}

bool Rotator::holds(const std::vector<PositionRun>& runs) const {
  return std::all_of(runs.begin(), runs.end(),
                     [this](const PositionRun& run) { return table_row(held_, run).has_value(); });
}

void Rotator::prepare(const std::vector<PlacedRun>& runs, std::int64_t row_count) {
  if (!encoding_->rotation(0)) return;
  std::vector<PositionRun> needed;
  for (const PlacedRun& placed : runs) needed.push_back(placed.run);
  if (encoding_->length_use() == position::LengthUse::kNone) {
    for (PositionRun& run : needed) run.total_length = 0;
  }
  if (!holds(needed)) {
    held_ = unite(needed);
    by_layer_.clear();
  }
  const at::Tensor rows = at::empty({row_count}, at::TensorOptions().dtype(at::kLong));
  auto* target = rows.data_ptr<std::int64_t>();
  std::fill_n(target, row_count, 0);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::int64_t row = *table_row(held_, needed[i]);
    const std::int64_t begin = runs[i].row_begin;
    for (std::int64_t t = 0; t < needed[i].last - needed[i].first; ++t) target[begin + t] = row++;
  }
  table_row_ = rows.to(device_);
  prepared_layer_ = -1;
}

Rotator::Tables Rotator::compute(std::int64_t layer) const {
  const position::RotationShape shape = *encoding_->rotation(layer);
  std::vector<at::Tensor> cosines;
  std::vector<at::Tensor> sines;
  for (const PositionRun& run : held_) {
    const std::int64_t count = run.last - run.first;
    const at::Tensor cos = at::empty({shape.table_heads, count, shape.pairs}, at::kFloat);
    const at::Tensor sin = at::empty({shape.table_heads, count, shape.pairs}, at::kFloat);
    const auto size = static_cast<std::size_t>(cos.numel());
    encoding_->fill_rotation({.layer = layer,
                              .first_position = run.first,
                              .count = count,
                              .total_length = run.total_length},
                             {cos.data_ptr<float>(), size}, {sin.data_ptr<float>(), size});
    cosines.push_back(cos.transpose(0, 1));
    sines.push_back(sin.transpose(0, 1));
  }
  return {at::cat(cosines).contiguous().to(device_), at::cat(sines).contiguous().to(device_)};
}

Rotator::Tables Rotator::tables(std::int64_t layer) {
  const std::optional<position::RotationShape> shape = encoding_->rotation(layer);
  if (!shape) return {};
  const std::int64_t slot = shape->table_set;
  if (prepared_layer_ == slot) return gathered_;
  auto kept = by_layer_.find(slot);
  if (kept == by_layer_.end()) {
    const auto layers = static_cast<std::int64_t>(by_layer_.size()) + 1;
    const std::int64_t bytes =
        row_count_of(held_) * shape->table_heads * shape->pairs * std::int64_t{8};
    if (layers * bytes > kKeptBytes) by_layer_.clear();
    kept = by_layer_.emplace(slot, compute(layer)).first;
  }
  gathered_ = {kept->second.cos.index_select(0, table_row_),
               kept->second.sin.index_select(0, table_row_)};
  prepared_layer_ = slot;
  return gathered_;
}

at::Tensor Rotator::rotate(const at::Tensor& x, const Tables& tables) const {
  if (!tables.cos.defined()) return x;
  const std::int64_t pairs = tables.cos.size(-1);
  const std::int64_t rotated = 2 * pairs;
  const bool interleaved = encoding_->plan().layout == position::PairLayout::kInterleaved;
  const at::Tensor head = x.narrow(-1, 0, rotated);
  const at::Tensor split = interleaved ? head.unflatten(-1, {pairs, 2}).transpose(-1, -2)
                                       : head.unflatten(-1, {2, pairs});
  const at::Tensor a = split.select(-2, 0);
  const at::Tensor b = split.select(-2, 1);
  const at::Tensor first = a.mul(tables.cos).sub(b.mul(tables.sin));
  const at::Tensor second = b.mul(tables.cos).add(a.mul(tables.sin));
  const at::Tensor turned =
      interleaved ? at::stack({first, second}, -1).flatten(-2) : at::cat({first, second}, -1);
  if (rotated == x.size(-1)) return turned;
  return at::cat({turned, x.narrow(-1, rotated, x.size(-1) - rotated)}, -1);
}

}  // namespace yardstick::models
