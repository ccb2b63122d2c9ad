// The store: results in one SQLite file. One process writes (RunLock), one of its threads; a
// chunk's samples commit together, and a cell's metrics and its end with its last chunk, so that a
// killed run loses at most the chunk in flight. docs/store.md documents tables, views and the key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/store/database.hpp"
#include "harness/store/records.hpp"

namespace yardstick::harness {

/// Not thread-safe: one thread at a time. Every member @throws Error(kStore) naming the file when
/// SQLite fails (full disk, lock, damage) or, when it writes, if the file is no longer the one that
/// was opened; nothing of the failed call is kept then.
class Store {
 public:
  /// Opens or creates the database. See open_database for what is refused.
  Store(const std::filesystem::path& file, Access access, const Warn& warn);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();  ///< see close_database()

  [[nodiscard]] const std::filesystem::path& file() const;

  /// States of those cells among `keys` that the store has.
  [[nodiscard]] std::map<std::string, CellState> find_cells(const std::vector<std::string>& keys);

  enum class Earlier { kKeep, kDelete };
  struct Begun {
    std::int64_t run_id = 0;
    std::map<std::string, CellState> cells;  ///< by key, every cell of the record
    SuiteChange change;
  };
  /// Enters a run, its models, tasks and cells, and makes `suite_cell` show these cells for the
  /// suite, beside those it showed before (see show_cells). With kDelete what the store has of
  /// these cells is dropped first. Cells that failed become pending again. One transaction.
  [[nodiscard]] Begun begin_run(const SuiteRecord& record, Earlier earlier);
  void finish_run(std::int64_t run_id);

  [[nodiscard]] std::set<std::string> sample_ids(std::int64_t cell_id);
  /// Drops the samples of an unfinished cell.
  void clear_samples(std::int64_t cell_id);
  void set_facts(std::int64_t cell_id, const CellFacts& facts);

  void add_chunk(std::int64_t cell_id, const ChunkRecord& chunk);
  /// A chunk and, in the same transaction, the end of its cell. `end` sees all samples of the cell
  /// in the order of `planned`, read back from the store, so that a resumed cell and one that was
  /// computed in one go are aggregated from the same bytes. Of their details they have `category`
  /// alone.
  using MakeEnd = std::function<CellEnd(const std::vector<tasks::SampleScore>& scores)>;
  CellEnd add_last_chunk(std::int64_t cell_id, const ChunkRecord& chunk,
                         const std::vector<std::string>& planned, std::int64_t run_id,
                         const MakeEnd& end);
  void end_cell(std::int64_t cell_id, const CellEnd& end, std::int64_t run_id);

  [[nodiscard]] std::vector<RunSummary> runs();
  [[nodiscard]] std::vector<HeadlineRow> headlines(const std::string& suite);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] std::string_view to_string(CellStatus status);

}  // namespace yardstick::harness
