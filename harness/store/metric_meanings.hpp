// Schema 1 kept a metric's name and no more: what the metrics that its tasks made mean. Internal to
// the store.
#pragma once

namespace SQLite {
class Database;
}

namespace yardstick::harness {

/// Adds unit, better and scale to the metrics of a database of schema 1, from the fixed list of
/// names that its tasks wrote and from what their definitions say. A name that is not in the list
/// stays a number without direction, but for a headline, whose direction schema 1 has.
void add_metric_meanings(SQLite::Database& database);

}  // namespace yardstick::harness
