// Rotator: which positions need tables, and how rows find theirs.
#include "models/decoder/rotation.hpp"

#include <algorithm>

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include "core/error.hpp"

namespace yardstick::models {
namespace {

// Tables of one layer each (FoPE) are kept up to this size, then made anew.
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

/// Tables as `heads` heads read them: [rows, 1 or heads, pairs].
at::Tensor for_heads(const at::Tensor& table, std::int64_t heads) {
  const std::int64_t table_heads = table.size(1);
  if (table_heads == 1 || table_heads == heads) return table;
  std::vector<std::int64_t> indices;
  for (std::int64_t head = 0; head < heads; ++head) indices.push_back(head * table_heads / heads);
  return table.index_select(1, at::tensor(indices).to(table.device()));
}

}  // namespace

Rotator::Rotator(std::shared_ptr<const position::Encoding> encoding, at::Device device)
    : encoding_(std::move(encoding)), device_(device) {}

RotationTables RotationTables::rows(std::int64_t begin, std::int64_t count) const {
  if (!cos.defined()) return {};
  return {cos.narrow(0, begin, count), sin.narrow(0, begin, count), layout};
}

LayerRotation LayerRotation::rows(std::int64_t begin, std::int64_t count) const {
  LayerRotation part;
  for (const RotationTables& tables : queries) part.queries.push_back(tables.rows(begin, count));
  for (const RotationTables& tables : keys) part.keys.push_back(tables.rows(begin, count));
  return part;
}

const RotationTables* Rotator::Kept::find(const Key& key) const {
  const auto found = tables_.find(key);
  return found == tables_.end() ? nullptr : &found->second;
}

const RotationTables& Rotator::Kept::add(const Key& key, RotationTables tables) {
  if (bytes_ + tables.bytes() > kKeptBytes) clear();
  bytes_ += tables.bytes();
  return tables_.insert_or_assign(key, std::move(tables)).first->second;
}

void Rotator::Kept::clear() {
  tables_.clear();
  bytes_ = 0;
}

bool Rotator::holds(const std::vector<PositionRun>& runs) const {
  return std::all_of(runs.begin(), runs.end(),
                     [this](const PositionRun& run) { return table_row(held_, run).has_value(); });
}

void Rotator::prepare(const std::vector<PlacedRun>& runs, std::int64_t row_count) {
  std::vector<PositionRun> needed;
  for (const PlacedRun& placed : runs) needed.push_back(placed.run);
  if (encoding_->length_use() == position::LengthUse::kNone) {
    for (PositionRun& run : needed) run.total_length = 0;
  }
  if (!holds(needed)) {
    held_ = unite(needed);
    computed_.clear();
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
  gathered_.clear();
}

RotationTables Rotator::compute(std::int64_t layer, Side side, int version) const {
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
                              .total_length = run.total_length,
                              .side = side,
                              .version = version},
                             {cos.data_ptr<float>(), size}, {sin.data_ptr<float>(), size});
    cosines.push_back(cos.transpose(0, 1));
    sines.push_back(sin.transpose(0, 1));
  }
  return {at::cat(cosines).contiguous().to(device_), at::cat(sines).contiguous().to(device_),
          shape.layout};
}

RotationTables Rotator::gathered(std::int64_t layer, Side side, int version) {
  const std::optional<position::RotationShape> shape = encoding_->rotation(layer);
  if (!shape) return {};
  const bool is_shared = shape->sides == position::RotationShape::Sides::kSame;
  const Key key{shape->table_set, is_shared ? Side::kQuery : side, version};
  if (const RotationTables* const ready = gathered_.find(key)) return *ready;
  const RotationTables* tables = computed_.find(key);
  if (tables == nullptr) tables = &computed_.add(key, compute(layer, key.side, version));
  return gathered_.add(key, {tables->cos.index_select(0, table_row_),
                             tables->sin.index_select(0, table_row_), tables->layout});
}

LayerRotation Rotator::layer(std::int64_t layer) {
  const position::ReachKind reach = encoding_->reach(layer).kind;
  LayerRotation rotation;
  for (int version = 0; version < position::query_versions(reach); ++version)
    rotation.queries.push_back(gathered(layer, Side::kQuery, version));
  for (int version = 0; version < position::key_versions(reach); ++version)
    rotation.keys.push_back(gathered(layer, Side::kKey, version));
  return rotation;
}

at::Tensor rotate(const at::Tensor& x, const RotationTables& tables) {
  if (!tables.cos.defined()) return x;
  const std::int64_t pairs = tables.cos.size(-1);
  const std::int64_t rotated = 2 * pairs;
  const at::Tensor cos = for_heads(tables.cos, x.size(1));
  const at::Tensor sin = for_heads(tables.sin, x.size(1));
  const bool is_interleaved = tables.layout == position::PairLayout::kInterleaved;
  const at::Tensor head = x.narrow(-1, 0, rotated);
  const at::Tensor split = is_interleaved ? head.unflatten(-1, {pairs, 2}).transpose(-1, -2)
                                          : head.unflatten(-1, {2, pairs});
  const at::Tensor a = split.select(-2, 0);
  const at::Tensor b = split.select(-2, 1);
  const at::Tensor first = a.mul(cos).sub(b.mul(sin));
  const at::Tensor second = b.mul(cos).add(a.mul(sin));
  const at::Tensor turned =
      is_interleaved ? at::stack({first, second}, -1).flatten(-2) : at::cat({first, second}, -1);
  if (rotated == x.size(-1)) return turned;
  return at::cat({turned, x.narrow(-1, rotated, x.size(-1) - rotated)}, -1);
}

}  // namespace yardstick::models
