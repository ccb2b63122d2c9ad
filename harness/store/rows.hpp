// Samples, metrics and position losses of one cell: rows in, values out. Internal to the store; the
// caller holds the transaction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/store/records.hpp"

namespace SQLite {
class Database;
}

namespace yardstick::harness {

/// Numbers survive exactly; a value that is not finite is kept as null and comes back as NaN.
void insert_samples(SQLite::Database& database, std::int64_t cell_id,
                    const std::vector<tasks::SampleScore>& scores);

/// The samples of a cell in the order of `planned`.
/// @throws Error(kInternal) if one of them is not stored.
[[nodiscard]] std::vector<tasks::SampleScore> read_samples(SQLite::Database& database,
                                                           std::int64_t cell_id,
                                                           const std::vector<std::string>& planned);

void replace_metrics(SQLite::Database& database, std::int64_t cell_id,
                     const std::vector<tasks::MetricValue>& metrics);

}  // namespace yardstick::harness
