#include "harness/store/store.hpp"

#include <ctime>
#include <optional>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/rows.hpp"
#include "harness/store/run_lock.hpp"
#include "harness/store/suite_cells.hpp"

namespace yardstick::harness {
namespace {

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

CellStatus to_cell_status(std::string_view text) {
  if (text == "ok") return CellStatus::kOk;
  if (text == "failed") return CellStatus::kFailed;
  if (text == "skipped") return CellStatus::kSkipped;
  return CellStatus::kPending;
}

template <typename T>
void bind_optional(SQLite::Statement& statement, int index, const std::optional<T>& value) {
  if (value)
    statement.bind(index, *value);
  else
    statement.bind(index);
}

/// Binds values in order and runs a statement without results.
template <typename... Values>
void execute(SQLite::Database& database, const char* sql, const Values&... values) {
  SQLite::Statement statement(database, sql);
  int index = 0;
  (statement.bind(++index, values), ...);
  statement.exec();
}

std::int64_t id_of(SQLite::Database& database, const char* sql, const std::string& name) {
  SQLite::Statement statement(database, sql);
  statement.bind(1, name);
  check(statement.executeStep(), "a row that was just written is found");
  return statement.getColumn(0).getInt64();
}

}  // namespace

std::string_view to_string(CellStatus status) {
  switch (status) {
    case CellStatus::kPending: return "pending";
    case CellStatus::kOk: return "ok";
    case CellStatus::kFailed: return "failed";
    case CellStatus::kSkipped: return "skipped";
  }
  return "pending";
}

struct Store::State {
  std::filesystem::path file;
  std::unique_ptr<SQLite::Database> database;
  FileStamp opened;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { close_database(std::move(database), opened); }

  /// Commits reach the file that was opened, wherever it is now; nobody would find them there.
  void check_place() const {
    if (is_in_place(*database, opened)) return;
    throw Error(ErrorKind::kStore,
                fmt::format("{}: the database {} while it was being written; nothing more is "
                            "written. Put it back, with its -wal if there is one, or run again to "
                            "start a new one",
                            file.string(),
                            find_stamp(file) ? "was replaced by another file"
                                             : "was deleted or moved away"));
  }

  /// Runs `action` inside one transaction, with SQLite's errors as ours.
  template <typename Action>
  auto transact(const Action& action) {
    return translate([&] {
      check_place();
      SQLite::Transaction transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
      if constexpr (std::is_void_v<decltype(action(*database))>) {
        action(*database);
        check_place();
        transaction.commit();
      } else {
        auto result = action(*database);
        check_place();
        transaction.commit();
        return result;
      }
    });
  }

  template <typename Action>
  auto translate(const Action& action) {
    try {
      return action();
    } catch (const SQLite::Exception& error) {
      throw_store_error(file, error);
    }
  }
};

namespace {

void insert_model(SQLite::Database& database, const ModelRecord& model) {
  SQLite::Statement statement(
      database,
      "INSERT INTO model (fingerprint, architecture, encoding, parameters, weight_dtype, "
      "training_length, position_plan, tokenizer, bos, generation_ends) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (fingerprint) DO NOTHING");
  statement.bind(1, model.fingerprint);
  statement.bind(2, model.architecture);
  statement.bind(3, model.encoding);
  statement.bind(4, model.parameters);
  statement.bind(5, model.weight_dtype);
  bind_optional(statement, 6, model.training_length);
  statement.bind(7, model.position_plan);
  statement.bind(8, model.tokenizer);
  statement.bind(9, model.bos);
  statement.bind(10, model.generation_ends);
  statement.exec();
}

void insert_task(SQLite::Database& database, const TaskRecord& task) {
  const bool higher = task.headline.better == tasks::Task::Headline::Better::kHigher;
  execute(database,
          "INSERT INTO task (fingerprint, kind, protocol, definition, headline, better) "
          "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (fingerprint) DO NOTHING",
          task.fingerprint, task.kind, task.protocol, task.definition, task.headline.metric,
          higher ? "higher" : "lower");
}

void insert_cell(SQLite::Database& database, const CellRecord& cell) {
  SQLite::Statement statement(
      database,
      "INSERT INTO cell (key, model_id, task_id, length, depth, variant, seed, sample_limit, "
      "dtype, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending') ON CONFLICT (key) DO NOTHING");
  statement.bind(1, cell.key);
  statement.bind(
      2, id_of(database, "SELECT id FROM model WHERE fingerprint = ?", cell.model_fingerprint));
  statement.bind(
      3, id_of(database, "SELECT id FROM task WHERE fingerprint = ?", cell.task_fingerprint));
  bind_optional(statement, 4, cell.axes.length_tokens);
  bind_optional(statement, 5, cell.axes.depth);
  statement.bind(6, cell.axes.variant);
  statement.bind(7, static_cast<std::int64_t>(cell.seed));
  bind_optional(statement, 8, cell.limit);
  statement.bind(9, cell.dtype);
  statement.exec();
}

std::optional<CellState> find_cell(SQLite::Database& database, const std::string& key) {
  SQLite::Statement statement(database, "SELECT id, status, message FROM cell WHERE key = ?");
  statement.bind(1, key);
  if (!statement.executeStep()) return std::nullopt;
  return CellState{statement.getColumn(0).getInt64(),
                   to_cell_status(statement.getColumn(1).getString()),
                   statement.getColumn(2).getString()};
}

/// Makes a cell pending, with or without the samples that it has.
void reopen_cell(SQLite::Database& database, std::int64_t cell_id, Store::Earlier earlier) {
  execute(database,
          "UPDATE cell SET status = 'pending', message = '', run_id = NULL, finished_at = NULL "
          "WHERE id = ?",
          cell_id);
  execute(database, "DELETE FROM metric WHERE cell_id = ?", cell_id);
  if (earlier == Store::Earlier::kKeep) return;
  execute(database, "DELETE FROM sample WHERE cell_id = ?", cell_id);
  execute(database,
          "UPDATE cell SET seconds = NULL, tokens = NULL, planned_samples = NULL, device = NULL "
          "WHERE id = ?",
          cell_id);
}

std::int64_t insert_run(SQLite::Database& database, const RunRecord& run) {
  execute(database,
          "INSERT INTO run (suite, started_at, command, version, backend, host, config) "
          "VALUES (?, ?, ?, ?, ?, ?, ?)",
          run.suite, now_utc(), run.command, run.version, run.backend, host_name(), run.config);
  return database.getLastInsertRowid();
}

void write_chunk(SQLite::Database& database, std::int64_t cell_id, const ChunkRecord& chunk) {
  insert_samples(database, cell_id, chunk.scores);
  execute(database, "UPDATE cell SET seconds = coalesce(seconds, 0) + ? WHERE id = ?",
          chunk.seconds, cell_id);
}

void write_end(SQLite::Database& database, std::int64_t cell_id, const CellEnd& end,
               std::int64_t run_id) {
  replace_metrics(database, cell_id, end.metrics);
  execute(database,
          "UPDATE cell SET status = ?, message = ?, run_id = ?, finished_at = ? WHERE id = ?",
          std::string(to_string(end.status)), end.message, run_id, now_utc(), cell_id);
}

}  // namespace

Store::Store(const std::filesystem::path& file, Access access, const Warn& warn)
    : state_(std::make_unique<State>()) {
  state_->file = file;
  state_->database = open_database(file, access, warn);
  state_->opened = stamp_file(file);
}

Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const std::filesystem::path& Store::file() const { return state_->file; }

std::map<std::string, CellState> Store::find_cells(const std::vector<std::string>& keys) {
  return state_->translate([&] {
    std::map<std::string, CellState> found;
    for (const std::string& key : keys) {
      if (const auto cell = find_cell(*state_->database, key)) found.emplace(key, *cell);
    }
    return found;
  });
}

Store::Begun Store::begin_run(const SuiteRecord& record, Earlier earlier) {
  return state_->transact([&](SQLite::Database& database) {
    Begun begun;
    begun.run_id = insert_run(database, record.run);
    for (const ModelRecord& model : record.models) insert_model(database, model);
    for (const TaskRecord& task : record.tasks) insert_task(database, task);
    std::vector<ShownCell> shown;
    for (const SuiteCellRecord& entry : record.cells) {
      const std::string& key = entry.cell.key;
      if (!begun.cells.contains(key)) {
        insert_cell(database, entry.cell);
        CellState state = find_cell(database, key).value();
        if (earlier == Earlier::kDelete || state.status == CellStatus::kFailed) {
          reopen_cell(database, state.id, earlier);
          state = {state.id, CellStatus::kPending, ""};
        }
        begun.cells.emplace(key, state);
      }
      shown.push_back({entry.model, entry.task, begun.cells.at(key).id});
    }
    begun.change = show_cells(database, record.run.suite, shown, record.earlier_cells);
    return begun;
  });
}

void Store::finish_run(std::int64_t run_id) {
  state_->transact([&](SQLite::Database& database) {
    execute(database, "UPDATE run SET finished_at = ? WHERE id = ?", now_utc(), run_id);
  });
}

std::set<std::string> Store::sample_ids(std::int64_t cell_id) {
  return state_->translate([&] {
    std::set<std::string> ids;
    SQLite::Statement statement(*state_->database,
                                "SELECT sample_id FROM sample WHERE cell_id = ?");
    statement.bind(1, cell_id);
    while (statement.executeStep()) ids.insert(statement.getColumn(0).getString());
    return ids;
  });
}

void Store::clear_samples(std::int64_t cell_id) {
  state_->transact(
      [&](SQLite::Database& database) { reopen_cell(database, cell_id, Earlier::kDelete); });
}

void Store::set_facts(std::int64_t cell_id, const CellFacts& facts) {
  state_->transact([&](SQLite::Database& database) {
    // A part that a slot without a model ends has no device; that of the others stays.
    execute(
        database,
        "UPDATE cell SET planned_samples = ?, tokens = ?, device = coalesce(nullif(?, ''), device) "
        "WHERE id = ?",
        facts.planned_samples, facts.tokens, facts.device, cell_id);
  });
}

void Store::add_chunk(std::int64_t cell_id, const ChunkRecord& chunk) {
  state_->transact([&](SQLite::Database& database) { write_chunk(database, cell_id, chunk); });
}

CellEnd Store::add_last_chunk(std::int64_t cell_id, const ChunkRecord& chunk,
                              const std::vector<std::string>& planned, std::int64_t run_id,
                              const MakeEnd& make_end) {
  return state_->transact([&](SQLite::Database& database) {
    write_chunk(database, cell_id, chunk);
    CellEnd end = make_end(read_samples(database, cell_id, planned));
    write_end(database, cell_id, end, run_id);
    return end;
  });
}

void Store::end_cell(std::int64_t cell_id, const CellEnd& end, std::int64_t run_id) {
  state_->transact([&](SQLite::Database& database) { write_end(database, cell_id, end, run_id); });
}

std::vector<RunSummary> Store::runs() {
  return state_->translate([&] {
    std::vector<RunSummary> runs;
    SQLite::Statement statement(
        *state_->database,
        "SELECT id, suite, started_at, finished_at, host, command FROM run ORDER BY id");
    while (statement.executeStep()) {
      RunSummary run;
      run.id = statement.getColumn(0).getInt64();
      run.suite = statement.getColumn(1).getString();
      run.started_at = statement.getColumn(2).getString();
      if (!statement.isColumnNull(3)) run.finished_at = statement.getColumn(3).getString();
      run.host = statement.getColumn(4).getString();
      run.command = statement.getColumn(5).getString();
      runs.push_back(std::move(run));
    }
    return runs;
  });
}

std::vector<HeadlineRow> Store::headlines(const std::string& suite) {
  return state_->translate([&] {
    std::vector<HeadlineRow> rows;
    SQLite::Statement statement(
        *state_->database,
        "SELECT s.model, s.task, t.headline, c.length, c.depth, c.variant, m.value, coalesce(m.n, "
        "0), "
        "c.status, c.message FROM suite_cell s JOIN cell c ON c.id = s.cell_id "
        "JOIN task t ON t.id = c.task_id "
        "LEFT JOIN metric m ON m.cell_id = c.id AND m.name = t.headline "
        "WHERE s.suite = ? ORDER BY s.position");
    statement.bind(1, suite);
    while (statement.executeStep()) {
      HeadlineRow row;
      row.model = statement.getColumn(0).getString();
      row.task = statement.getColumn(1).getString();
      row.metric = statement.getColumn(2).getString();
      if (!statement.isColumnNull(3)) row.length = statement.getColumn(3).getInt64();
      if (!statement.isColumnNull(4)) row.depth = statement.getColumn(4).getDouble();
      row.variant = statement.getColumn(5).getString();
      if (!statement.isColumnNull(6)) row.value = statement.getColumn(6).getDouble();
      row.n = statement.getColumn(7).getInt64();
      row.status = statement.getColumn(8).getString();
      row.message = statement.getColumn(9).getString();
      rows.push_back(std::move(row));
    }
    return rows;
  });
}

}  // namespace yardstick::harness
