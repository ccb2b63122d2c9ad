// Which cells a suite shows, from one run to the next. Internal to the store.
#pragma once

#include <string>
#include <vector>

#include "harness/store/records.hpp"

namespace SQLite {
class Database;
}

namespace yardstick::harness {

/// Makes `suite` show `cells`, and beside them those that it showed before, unless these are
/// pruned. One that the run says otherwise is replaced: its model's or its task's name stands for
/// another model or task now, or the names and axes are those of a cell of the run with other
/// settings. Within the caller's transaction.
SuiteChange show_cells(SQLite::Database& database, const std::string& suite,
                       const std::vector<ShownCell>& cells, EarlierCells earlier);

}  // namespace yardstick::harness
