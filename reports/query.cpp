#include "reports/query.hpp"

#include <map>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/migration.hpp"
#include "harness/store/schema.hpp"

namespace yardstick::reports {
namespace {

template <typename T>
std::optional<T> optional(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  if constexpr (std::is_same_v<T, double>)
    return column.getDouble();
  else
    return static_cast<T>(column.getInt64());
}

void check_version(SQLite::Database& db, const std::filesystem::path& file) {
  const int version = db.execAndGet("PRAGMA user_version").getInt();
  if (version == 0) {
    throw Error(ErrorKind::kStore,
                fmt::format("{}: is not a yardstick results database (its user_version is 0)",
                            file.string()));
  }
  if (version > harness::kSchemaVersion) {
    throw Error(
        ErrorKind::kStore,
        fmt::format("{}: was written by a newer yardstick (schema {}, this program knows {}); "
                    "update the program",
                    file.string(), version, harness::kSchemaVersion));
  }
}

std::string choose_suite(SQLite::Database& db, const std::filesystem::path& file,
                         const std::optional<std::string>& wanted) {
  std::vector<std::string> names;
  SQLite::Statement rows(db, "SELECT DISTINCT suite FROM suite_cell ORDER BY suite");
  while (rows.executeStep()) names.push_back(rows.getColumn(0).getString());
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  if (wanted) {
    for (const std::string& name : names) {
      if (name == *wanted) return name;
    }
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: no suite '{}'{}; it holds: {}", file.string(), *wanted,
                            did_you_mean(*wanted, names), list.empty() ? "none" : list));
  }
  if (names.empty()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: holds no results yet; run a suite first", file.string()));
  }
  if (names.size() > 1) {
    throw Error(
        ErrorKind::kConfig,
        fmt::format("{}: holds several suites ({}); choose one with --suite", file.string(), list));
  }
  return names.front();
}

// Names seen so far, in order of first appearance, with their index.
class Index {
 public:
  template <typename Add>
  std::size_t of(const std::string& name, const Add& add) {
    const auto [it, fresh] = index_.emplace(name, index_.size());
    if (fresh) add();
    return it->second;
  }

 private:
  std::map<std::string, std::size_t> index_;
};

constexpr const char* kCells = R"sql(
SELECT s.model, s.task, c.id, c.key, c.length, c.depth, c.variant, c.status, c.message, c.dtype,
       coalesce(c.device, ''), c.seed, c.sample_limit, coalesce(c.tokens, 0), coalesce(c.seconds, 0),
       m.fingerprint, m.architecture, m.encoding, m.parameters, m.weight_dtype, m.training_length,
       m.position_plan, m.tokenizer, m.bos, t.fingerprint, t.kind, t.protocol, t.definition, t.headline, t.better
FROM suite_cell s JOIN cell c ON c.id = s.cell_id JOIN model m ON m.id = c.model_id
     JOIN task t ON t.id = c.task_id
WHERE s.suite = ? ORDER BY s.position)sql";

Model read_model(SQLite::Statement& row) {
  return {.name = row.getColumn(0).getString(),
          .fingerprint = row.getColumn(15).getString(),
          .architecture = row.getColumn(16).getString(),
          .encoding = row.getColumn(17).getString(),
          .parameters = row.getColumn(18).getInt64(),
          .weight_dtype = row.getColumn(19).getString(),
          .training_length = optional<std::int64_t>(row.getColumn(20)),
          .position_plan = parse_json(row.getColumn(21).getString(), "model.position_plan"),
          .tokenizer = row.getColumn(22).getString(),
          .bos = row.getColumn(23).getString()};
}

Task read_task(SQLite::Statement& row) {
  return {.name = row.getColumn(1).getString(),
          .kind = row.getColumn(25).getString(),
          .fingerprint = row.getColumn(24).getString(),
          .protocol = row.getColumn(26).getString(),
          .definition = parse_json(row.getColumn(27).getString(), "task.definition"),
          .headline = row.getColumn(28).getString(),
          .meaning = {.better = row.getColumn(29).getString() == "lower"
                                    ? tasks::Meaning::Better::kLower
                                    : tasks::Meaning::Better::kHigher}};
}

Cell read_cell(SQLite::Statement& row) {
  Cell cell;
  cell.key = row.getColumn(3).getString();
  cell.length = optional<std::int64_t>(row.getColumn(4));
  cell.depth = optional<double>(row.getColumn(5));
  cell.variant = row.getColumn(6).getString();
  cell.status = row.getColumn(7).getString();
  cell.message = row.getColumn(8).getString();
  cell.dtype = row.getColumn(9).getString();
  cell.device = row.getColumn(10).getString();
  cell.seed = row.getColumn(11).getInt64();
  cell.limit = optional<std::int64_t>(row.getColumn(12));
  cell.tokens = row.getColumn(13).getInt64();
  cell.seconds = row.getColumn(14).getDouble();
  return cell;
}

tasks::Meaning read_meaning(SQLite::Statement& row) {
  const std::string unit = row.getColumn(6).getString();
  const std::string better = row.getColumn(7).getString();
  const std::string scale = row.getColumn(8).getString();
  if (const auto meaning = tasks::parse_meaning(unit, better, scale)) return *meaning;
  throw Error(
      ErrorKind::kStore,
      fmt::format("metric '{}' has unit '{}', better '{}', scale '{}'; this program does not "
                  "know one of them: update it, or mend the table 'metric'",
                  row.getColumn(0).getString(), unit, better, scale));
}

void read_metrics(SQLite::Database& db, std::int64_t id, Cell& cell) {
  SQLite::Statement rows(
      db,
      "SELECT name, value, stderr, ci_low, ci_high, n, unit, better, scale FROM metric "
      "WHERE cell_id = ? "
      "ORDER BY position");
  rows.bind(1, id);
  while (rows.executeStep()) {
    cell.metrics.push_back({.name = rows.getColumn(0).getString(),
                            .value = optional<double>(rows.getColumn(1)),
                            .standard_error = optional<double>(rows.getColumn(2)),
                            .ci_low = optional<double>(rows.getColumn(3)),
                            .ci_high = optional<double>(rows.getColumn(4)),
                            .n = rows.getColumn(5).getInt64(),
                            .meaning = read_meaning(rows)});
  }
}

void read_samples(SQLite::Database& db, std::int64_t id, Cell& cell) {
  SQLite::Statement counts(db,
                           "SELECT status, count(*), count(DISTINCT document_id) FROM sample "
                           "WHERE cell_id = ? GROUP BY status");
  counts.bind(1, id);
  while (counts.executeStep()) {
    const std::string status = counts.getColumn(0).getString();
    const std::int64_t count = counts.getColumn(1).getInt64();
    if (status == "ok") {
      cell.samples.ok = count;
      cell.samples.documents = counts.getColumn(2).getInt64();
    }
    if (status == "nonfinite") cell.samples.nonfinite = count;
    if (status == "skipped") cell.samples.skipped = count;
  }
  SQLite::Statement losses(db,
                           "SELECT first, last, sum(sum_nll), sum(count) FROM sample_position_loss "
                           "WHERE cell_id = ? GROUP BY first, last ORDER BY first");
  losses.bind(1, id);
  while (losses.executeStep()) {
    cell.position_losses.push_back({losses.getColumn(0).getInt64(), losses.getColumn(1).getInt64(),
                                    losses.getColumn(2).getDouble(),
                                    losses.getColumn(3).getInt64()});
  }
}

std::vector<Run> read_runs(SQLite::Database& db, const std::string& suite) {
  std::vector<Run> runs;
  SQLite::Statement rows(
      db,
      "SELECT started_at, coalesce(finished_at, ''), command, version, backend, host "
      "FROM run WHERE suite = ? ORDER BY id");
  rows.bind(1, suite);
  while (rows.executeStep()) {
    runs.push_back({rows.getColumn(0).getString(), rows.getColumn(1).getString(),
                    rows.getColumn(2).getString(), rows.getColumn(3).getString(),
                    rows.getColumn(4).getString(), rows.getColumn(5).getString()});
  }
  return runs;
}

Results read_all(SQLite::Database& db, const std::filesystem::path& file,
                 const std::optional<std::string>& wanted) {
  Results results{.suite = choose_suite(db, file, wanted), .database = file};
  Index models;
  Index tasks;
  SQLite::Statement rows(db, kCells);
  rows.bind(1, results.suite);
  while (rows.executeStep()) {
    Cell cell = read_cell(rows);
    cell.model = models.of(rows.getColumn(0).getString(),
                           [&] { results.models.push_back(read_model(rows)); });
    cell.task =
        tasks.of(rows.getColumn(1).getString(), [&] { results.tasks.push_back(read_task(rows)); });
    const std::int64_t id = rows.getColumn(2).getInt64();
    read_metrics(db, id, cell);
    read_samples(db, id, cell);
    Task& task = results.tasks[cell.task];
    if (const Metric* const shown = cell.find(task.headline)) task.meaning = shown->meaning;
    results.cells.push_back(std::move(cell));
  }
  results.runs = read_runs(db, results.suite);
  return results;
}

}  // namespace

const Metric* Cell::find(std::string_view name) const {
  for (const Metric& metric : metrics) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

Results read_results(const std::filesystem::path& database,
                     const std::optional<std::string>& suite) {
  if (!std::filesystem::exists(database)) {
    throw Error(ErrorKind::kStore, fmt::format("{}: there is no such database", database.string()));
  }
  try {
    const FileStamp opened = stamp_file(database);
    std::unique_ptr<SQLite::Database> db = harness::open_to_read(database);
    check_version(*db, database);
    if (db->execAndGet("PRAGMA user_version").getInt() < harness::kSchemaVersion)
      db = harness::migrated_copy(*db);
    Results results = read_all(*db, database, suite);
    harness::close_database(std::move(db), opened);
    return results;
  } catch (const SQLite::Exception& error) {
    throw Error(ErrorKind::kStore,
                fmt::format("{}: cannot be read as a results database: {} (SQLite code {})",
                            database.string(), error.what(), error.getExtendedErrorCode()));
  }
}

}  // namespace yardstick::reports
