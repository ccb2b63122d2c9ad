// Cells of one job that are built together and cut into chunks in which their samples share
// prefixes. Slots take the chunks one by one.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/plan/chunks.hpp"
#include "harness/scheduler/cell_work.hpp"

namespace yardstick::harness {

class Bundle {
 public:
  explicit Bundle(CellPtr first)
      : model_(first->cell->model), label_(first->label), cells_{std::move(first)} {}

  [[nodiscard]] std::size_t model() const { return model_; }
  [[nodiscard]] const std::string& label() const { return label_; }  ///< of its first cell

  /// Gives up to `most` more cells of the job.
  using MoreCells = std::function<std::vector<CellPtr>(std::size_t most)>;
  /// Takes back a large cell, of which another part is to be built.
  using PutBack = std::function<void(CellPtr cell)>;
  /// Builds the cells, or the next part of a large one, and cuts their samples into chunks; called
  /// once, before all that is below. Either `more` or `put_back` is called once. What goes wrong
  /// becomes the error of a cell.
  void build(const OpenedSuite& opened, const MoreCells& more, const PutBack& put_back,
             const ChunkLimits& limits, models::Sharing sharing);

  /// True until it is built and every chunk is taken. From any thread.
  [[nodiscard]] bool is_open() const;

  /// Blocks until it is built. What is below needs that.
  void wait() const { is_built_.wait(false); }

  [[nodiscard]] const std::vector<CellPtr>& cells() const { return cells_; }
  [[nodiscard]] const BuiltPartPtr& built(std::size_t cell) const { return built_[cell]; }

  /// To whoever asks first: indices of the cells that have no sample to compute here; the error of
  /// what is built() may say why.
  [[nodiscard]] std::vector<std::size_t> take_idle_cells();

  /// The next chunk that no slot has taken, or null. It stands as long as the bundle.
  [[nodiscard]] const PlannedChunk* take_chunk();

  /// Takes all chunks that no slot has taken. Returns the cells of their samples.
  [[nodiscard]] std::vector<CellPtr> take_cells_left();

 private:
  void build_whole(const OpenedSuite& opened, const MoreCells& more);
  [[nodiscard]] bool build_next_part(const OpenedSuite& opened, const PutBack& put_back);
  void cut(const ChunkLimits& limits, const ShareRule& rule);

  std::size_t model_;
  std::string label_;
  std::vector<CellPtr> cells_;
  std::vector<BuiltPartPtr> built_;  // of cells_
  std::vector<std::size_t> idle_cells_;
  std::vector<PlannedChunk> chunks_;
  std::atomic<bool> is_built_{false};
  std::atomic<bool> idle_cells_taken_{false};
  std::atomic<std::size_t> next_chunk_{0};
};
using BundlePtr = std::shared_ptr<Bundle>;

}  // namespace yardstick::harness
