#include "harness/scheduler/bundle.hpp"

#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace yardstick::harness {
namespace {

void check_stored(CellWork& work) {
  if (are_planned(work.planned, work.stored)) return;
  work.stored_state = CellWork::Stored::kStale;
  work.stored.clear();
}

BuiltPartPtr keep(BuiltCell built) {
  auto part = std::make_shared<BuiltPart>();
  part->built = std::move(built);
  return part;
}

}  // namespace

void Bundle::build(const OpenedSuite& opened, const MoreCells& more, const PutBack& put_back,
                   const ChunkLimits& limits, models::Sharing sharing) {
  try {
    if (!build_next_part(opened, put_back)) build_whole(opened, more);
    cut(limits, {.sharing = sharing, .length_use = opened.models[model_]->length_use()});
  } catch (const std::exception& error) {
    chunks_.clear();
    idle_cells_.clear();
    built_.clear();
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      idle_cells_.push_back(i);
      built_.push_back(keep({.error = error.what()}));
    }
  }
  is_built_ = true;
  is_built_.notify_all();
}

void Bundle::build_whole(const OpenedSuite& opened, const MoreCells& more) {
  std::vector<BuiltCell> built =
      build_together(opened, *cells_.front()->cell, [&](std::size_t most) {
        std::vector<const PlannedCell*> planned;
        for (CellPtr& cell : more(most)) {
          planned.push_back(cell->cell);
          cells_.push_back(std::move(cell));
        }
        return planned;
      });
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    cells_[i]->planned = built[i].planned;
    check_stored(*cells_[i]);
    built_.push_back(keep(std::move(built[i])));
  }
}

/// False for a cell that is built as a whole.
bool Bundle::build_next_part(const OpenedSuite& opened, const PutBack& put_back) {
  const CellPtr& cell = cells_.front();
  if (cell->next_part == 0) {
    std::optional<std::vector<std::string>> ids;
    try {
      ids = ids_of_parts(opened, *cell->cell);
    } catch (const std::exception&) {
      return false;  // building the whole says what is wrong
    }
    if (!ids) return false;
    cell->planned = std::move(*ids);
    cell->parts = count_parts(cell->planned.size());
    check_stored(*cell);
  }
  const std::size_t part = cell->next_part++;
  const bool is_last = cell->next_part == cell->parts || cell->ended;
  put_back(is_last ? nullptr : cell);
  built_ = {keep(build_part(opened, *cell->cell, part))};
  return true;
}

void Bundle::cut(const ChunkLimits& limits, const ShareRule& rule) {
  std::vector<ChunkCell> to_cut;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const BuiltCell& built = built_[i]->built;
    to_cut.push_back({.samples = built.samples, .wanted = samples_left(built, cells_[i]->stored)});
    if (to_cut.back().wanted.empty()) idle_cells_.push_back(i);
  }
  chunks_ = plan_chunks(to_cut, limits, rule);
}

bool Bundle::is_open() const { return !is_built_ || next_chunk_ < chunks_.size(); }

std::vector<std::size_t> Bundle::take_idle_cells() {
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
