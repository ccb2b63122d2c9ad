#include "harness/store/suite_cells.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>

#include "core/error.hpp"

namespace yardstick::harness {
namespace {

struct Facts {
  std::int64_t model = 0;
  std::int64_t task = 0;
  std::optional<std::int64_t> length;
  std::optional<double> depth;
  std::string variant;
};

/// What tells the rows of a suite apart for people.
using Place = std::tuple<std::string, std::string, std::optional<std::int64_t>,
                         std::optional<double>, std::string>;

Place place_of(const ShownCell& cell, const Facts& facts) {
  return {cell.model, cell.task, facts.length, facts.depth, facts.variant};
}

class CellFactsReader {
 public:
  explicit CellFactsReader(SQLite::Database& database)
      : row_(database, "SELECT model_id, task_id, length, depth, variant FROM cell WHERE id = ?") {}

  Facts read(std::int64_t cell_id) {
    row_.reset();
    row_.bind(1, cell_id);
    check(row_.executeStep(), "a cell of a suite is there");
    Facts facts;
    facts.model = row_.getColumn(0).getInt64();
    facts.task = row_.getColumn(1).getInt64();
    if (!row_.isColumnNull(2)) facts.length = row_.getColumn(2).getInt64();
    if (!row_.isColumnNull(3)) facts.depth = row_.getColumn(3).getDouble();
    facts.variant = row_.getColumn(4).getString();
    return facts;
  }

 private:
  SQLite::Statement row_;
};

std::vector<ShownCell> shown_before(SQLite::Database& database, const std::string& suite) {
  std::vector<ShownCell> cells;
  SQLite::Statement row(
      database, "SELECT model, task, cell_id FROM suite_cell WHERE suite = ? ORDER BY position");
  row.bind(1, suite);
  while (row.executeStep()) {
    cells.push_back(
        {row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getInt64()});
  }
  return cells;
}

void write(SQLite::Database& database, const std::string& suite,
           const std::vector<ShownCell>& cells) {
  SQLite::Statement clear(database, "DELETE FROM suite_cell WHERE suite = ?");
  clear.bind(1, suite);
  clear.exec();
  SQLite::Statement insert(database, "INSERT OR IGNORE INTO suite_cell VALUES (?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const ShownCell& cell : cells) {
    insert.bind(1, suite);
    insert.bind(2, cell.model);
    insert.bind(3, cell.task);
    insert.bind(4, cell.cell_id);
    insert.bind(5, position++);
    insert.exec();
    insert.reset();
  }
}

/// The cells of a run, by all that an earlier one can clash with.
class RunCells {
 public:
  RunCells(const std::vector<ShownCell>& cells, CellFactsReader& facts) {
    for (const ShownCell& cell : cells) {
      const Facts of_cell = facts.read(cell.cell_id);
      models_[cell.model].insert(of_cell.model);
      tasks_[cell.task].insert(of_cell.task);
      places_.emplace(place_of(cell, of_cell), cell);
    }
  }

  /// The run's cell that stands where the earlier one stood, if there is one.
  [[nodiscard]] const ShownCell* at(const Place& place) const {
    const auto found = places_.find(place);
    return found == places_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] bool renames(const ShownCell& cell, const Facts& facts) const {
    return is_other(models_, cell.model, facts.model) || is_other(tasks_, cell.task, facts.task);
  }

 private:
  using Ids = std::map<std::string, std::set<std::int64_t>>;
  static bool is_other(const Ids& ids, const std::string& name, std::int64_t id) {
    const auto found = ids.find(name);
    return found != ids.end() && !found->second.contains(id);
  }

  Ids models_;
  Ids tasks_;
  std::map<Place, ShownCell> places_;
};

}  // namespace

SuiteChange show_cells(SQLite::Database& database, const std::string& suite,
                       const std::vector<ShownCell>& cells, EarlierCells earlier) {
  CellFactsReader facts(database);
  const RunCells run(cells, facts);
  SuiteChange change;
  std::vector<ShownCell> in_front;
  for (const ShownCell& before : shown_before(database, suite)) {
    const Facts of_cell = facts.read(before.cell_id);
    const ShownCell* const now = run.at(place_of(before, of_cell));
    if (now != nullptr) in_front.push_back(*now);
    if (now != nullptr && *now == before) continue;
    if (now != nullptr || run.renames(before, of_cell)) {
      change.replaced.push_back(before);
    } else if (earlier == EarlierCells::kPruned) {
      change.pruned.push_back(before);
    } else {
      change.kept.push_back(before);
      in_front.push_back(before);
    }
  }
  // A cell that stands twice in a list is written at its first place.
  std::vector<ShownCell> shown = cells;
  if (earlier == EarlierCells::kInFront)
    shown.insert(shown.begin(), in_front.begin(), in_front.end());
  if (earlier == EarlierCells::kBehind)
    shown.insert(shown.end(), change.kept.begin(), change.kept.end());
  write(database, suite, shown);
  return change;
}

}  // namespace yardstick::harness
