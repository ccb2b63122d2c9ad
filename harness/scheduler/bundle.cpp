#include "harness/scheduler/bundle.hpp"

#include <exception>
#include <set>
#include <utility>

namespace yardstick::harness {
namespace {

void check_stored(CellWork& work) {
  if (are_planned(work.built, work.stored)) return;
  work.stored_state = CellWork::Stored::kStale;
  work.stored.clear();
}

}  // namespace

void Bundle::build(const OpenedSuite& opened, const MoreCells& more, const ChunkLimits& limits,
                   models::Sharing sharing) {
  try {
    std::vector<BuiltCell> built =
        build_together(opened, *cells_.front()->cell, [&](std::size_t most) {
          std::vector<const PlannedCell*> planned;
          for (CellPtr& cell : more(most)) {
            planned.push_back(cell->cell);
            cells_.push_back(std::move(cell));
          }
          return planned;
        });
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i]->built = std::move(built[i]);
    cut(limits, {.sharing = sharing, .length_use = opened.models[model_]->length_use()});
  } catch (const std::exception& error) {
    chunks_.clear();
    idle_cells_ = cells_;
    for (const CellPtr& cell : cells_) cell->built.error = error.what();
  }
  is_built_ = true;
  is_built_.notify_all();
}

void Bundle::cut(const ChunkLimits& limits, const ShareRule& rule) {
  std::vector<ChunkCell> to_cut;
  for (const CellPtr& cell : cells_) {
    check_stored(*cell);
    to_cut.push_back(
        {.samples = cell->built.samples, .wanted = samples_left(cell->built, cell->stored)});
    if (to_cut.back().wanted.empty()) idle_cells_.push_back(cell);
  }
  chunks_ = plan_chunks(to_cut, limits, rule);
}

bool Bundle::is_open() const { return !is_built_ || next_chunk_ < chunks_.size(); }

std::vector<CellPtr> Bundle::take_idle_cells() {
  if (idle_cells_taken_.exchange(true)) return {};
  return std::exchange(idle_cells_, {});
}

const PlannedChunk* Bundle::take_chunk() {
  const std::size_t index = next_chunk_++;
  return index < chunks_.size() ? &chunks_[index] : nullptr;
}

std::vector<CellPtr> Bundle::take_cells_left() {
  std::set<std::size_t> left;
  while (const PlannedChunk* chunk = take_chunk()) {
    for (const PlannedChunk::Ref& ref : chunk->samples) left.insert(ref.cell);
  }
  std::vector<CellPtr> cells;
  for (const std::size_t cell : left) cells.push_back(cells_[cell]);
  return cells;
}

}  // namespace yardstick::harness
