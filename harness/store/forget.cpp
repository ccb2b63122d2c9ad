#include "harness/store/forget.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/run_lock.hpp"

namespace yardstick::harness {
namespace {

struct Shown {
  std::string suite;
  std::string model;
  std::string task;
  std::string status;
  std::int64_t cell_id = 0;
};

/// What a filter means in a database.
struct Choice {
  std::vector<Shown> chosen;
  std::set<std::int64_t> doomed;  // cells that nothing else shows
  Forgotten summary;
};

std::vector<Shown> read_shown(SQLite::Database& database) {
  std::vector<Shown> shown;
  SQLite::Statement rows(database,
                         "SELECT s.suite, s.model, s.task, c.status, c.id FROM suite_cell s "
                         "JOIN cell c ON c.id = s.cell_id ORDER BY s.suite, s.position");
  while (rows.executeStep()) {
    shown.push_back({rows.getColumn(0).getString(), rows.getColumn(1).getString(),
                     rows.getColumn(2).getString(), rows.getColumn(3).getString(),
                     rows.getColumn(4).getInt64()});
  }
  return shown;
}

bool is_meant(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

void check_names(const std::filesystem::path& file, std::string_view what,
                 const std::vector<std::string>& wanted, const std::set<std::string>& there) {
  const std::vector<std::string> known(there.begin(), there.end());
  for (const std::string& name : wanted) {
    if (there.contains(name)) continue;
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: shows no {} '{}'{}; it has: {}", file.string(), what, name,
                            did_you_mean(name, known),
                            known.empty() ? std::string("none")
                                          : fmt::format("{}", fmt::join(known, ", "))));
  }
}

void check_filter(const std::filesystem::path& file, const ForgetFilter& filter,
                  const std::vector<Shown>& shown) {
  std::set<std::string> suites;
  std::set<std::string> models;
  std::set<std::string> tasks;
  for (const Shown& row : shown) {
    suites.insert(row.suite);
    models.insert(row.model);
    tasks.insert(row.task);
  }
  check_names(file, "suite", filter.suites, suites);
  check_names(file, "model", filter.models, models);
  check_names(file, "task", filter.tasks, tasks);
}

std::int64_t count_samples(SQLite::Database& database, std::int64_t cell_id) {
  SQLite::Statement count(database, "SELECT count(*) FROM sample WHERE cell_id = ?");
  count.bind(1, cell_id);
  count.executeStep();
  return count.getColumn(0).getInt64();
}

void add_line(std::vector<ForgetLine>& lines, const Shown& row, std::int64_t samples) {
  auto line = std::find_if(lines.begin(), lines.end(), [&](const ForgetLine& known) {
    return known.suite == row.suite && known.model == row.model && known.task == row.task &&
           known.status == row.status;
  });
  if (line == lines.end())
    line = lines.insert(line, {row.suite, row.model, row.task, row.status, 0, 0});
  ++line->cells;
  line->samples += samples;
}

Choice choose(SQLite::Database& database, const std::filesystem::path& file,
              const ForgetFilter& filter) {
  const std::vector<Shown> shown = read_shown(database);
  check_filter(file, filter, shown);
  Choice choice;
  std::set<std::int64_t> others;
  for (const Shown& row : shown) {
    if (is_meant(filter.suites, row.suite) && is_meant(filter.models, row.model) &&
        is_meant(filter.tasks, row.task) && is_meant(filter.statuses, row.status)) {
      choice.chosen.push_back(row);
      choice.doomed.insert(row.cell_id);
    } else {
      others.insert(row.cell_id);
    }
  }
  choice.summary.kept = static_cast<std::int64_t>(
      std::erase_if(choice.doomed, [&](const std::int64_t id) { return others.contains(id); }));
  choice.summary.cells = std::ssize(choice.doomed);
  std::map<std::int64_t, std::int64_t> samples;
  for (const std::int64_t id : choice.doomed)
    choice.summary.samples += samples[id] = count_samples(database, id);
  for (const Shown& row : choice.chosen) add_line(choice.summary.lines, row, samples[row.cell_id]);
  return choice;
}

void drop(SQLite::Database& database, const Choice& choice) {
  SQLite::Statement hide(
      database,
      "DELETE FROM suite_cell WHERE suite = ? AND model = ? AND task = ? AND cell_id = ?");
  for (const Shown& row : choice.chosen) {
    hide.bind(1, row.suite);
    hide.bind(2, row.model);
    hide.bind(3, row.task);
    hide.bind(4, row.cell_id);
    hide.exec();
    hide.reset();
  }
  SQLite::Statement remove(database, "DELETE FROM cell WHERE id = ?");
  for (const std::int64_t id : choice.doomed) {
    remove.bind(1, id);
    remove.exec();
    remove.reset();
  }
  database.exec("DELETE FROM model WHERE id NOT IN (SELECT model_id FROM cell)");
  database.exec("DELETE FROM task WHERE id NOT IN (SELECT task_id FROM cell)");
}

}  // namespace

Forgotten preview_forget(const std::filesystem::path& file, const ForgetFilter& filter,
                         const Warn& warn) {
  try {
    std::unique_ptr<SQLite::Database> database = open_database(file, Access::kReadOnly, warn);
    Forgotten summary = choose(*database, file, filter).summary;
    close_database(std::move(database), stamp_file(file));
    return summary;
  } catch (const SQLite::Exception& error) {
    throw_store_error(file, error);
  }
}

Forgotten forget(const std::filesystem::path& file, const ForgetFilter& filter, const Warn& warn) {
  static_cast<void>(preview_forget(file, filter, warn));  // nothing is made for a mistyped name
  const RunLock lock(file);
  try {
    std::unique_ptr<SQLite::Database> database = open_database(file, Access::kReadWrite, warn);
    Forgotten summary;
    {
      SQLite::Transaction transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
      const Choice choice = choose(*database, file, filter);
      drop(*database, choice);
      transaction.commit();
      summary = choice.summary;
    }
    close_database(std::move(database), stamp_file(file));
    return summary;
  } catch (const SQLite::Exception& error) {
    throw_store_error(file, error);
  }
}

}  // namespace yardstick::harness
