// Notes of an opened suite: what was accepted and has no effect, and what tasks say of themselves.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "harness/plan/plan.hpp"

namespace yardstick::harness {
namespace {

/// Whether one of the task's cells has one of the lengths that were said for it.
bool takes_lengths(const OpenedSuite& opened, std::size_t task) {
  const std::vector<std::int64_t>& said = opened.suite.tasks[task].lengths;
  const std::vector<tasks::CellAxes> cells = opened.tasks[task]->cells(said);
  return std::any_of(cells.begin(), cells.end(), [&](const tasks::CellAxes& cell) {
    return cell.length_tokens &&
           std::find(said.begin(), said.end(), *cell.length_tokens) != said.end();
  });
}

void note_lengths(const OpenedSuite& opened, std::vector<std::string>& notes) {
  bool is_any_taken = false;
  std::vector<const SuiteTask*> deaf;
  for (std::size_t i = 0; i < opened.tasks.size(); ++i) {
    const SuiteTask& entry = opened.suite.tasks[i];
    if (entry.lengths.empty()) continue;
    if (takes_lengths(opened, i)) {
      is_any_taken = true;
    } else if (entry.lengths_from == LengthsFrom::kEntry) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: lengths: the task '{}' is not asked at lengths of one's choice; "
                              "remove the key (questions become longer with `stretch`)",
                              entry.place, entry.definition.name));
    } else {
      deaf.push_back(&entry);
    }
  }
  if (deaf.empty()) return;
  const bool is_command_line = deaf.front()->lengths_from == LengthsFrom::kCommandLine;
  std::vector<std::string> names;
  for (const SuiteTask* const entry : deaf) names.push_back("'" + entry->definition.name + "'");
  const std::string message =
      fmt::format("{}: the task{} {} {} not asked at lengths of one's choice",
                  is_command_line ? "--lengths" : "lengths", names.size() == 1 ? "" : "s",
                  fmt::join(names, ", "), names.size() == 1 ? "is" : "are");
  if (is_any_taken) {
    if (is_command_line) notes.push_back(message + "; others of this run are");
    return;  // a suite's lengths are for those of its tasks that have some
  }
  if (is_command_line) {
    throw Error(ErrorKind::kConfig, message +
                                        "; leave the option out (questions become longer "
                                        "with `stretch` in a task file)");
  }
  notes.push_back(message + "; the suite's lengths have no effect");
}

}  // namespace

std::vector<std::string> notes_of(const OpenedSuite& opened) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < opened.tasks.size(); ++i) {
    for (const std::string& note : opened.suite.tasks[i].notes) notes.push_back(note);
    for (const std::string& note : opened.tasks[i]->notes()) notes.push_back(note);
  }
  note_lengths(opened, notes);
  std::vector<std::string> once;
  for (std::string& note : notes) {
    if (std::find(once.begin(), once.end(), note) == once.end()) once.push_back(std::move(note));
  }
  return once;
}

}  // namespace yardstick::harness
