#include "harness/suite/task_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"
#include "core/yaml.hpp"

namespace yardstick::harness {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestGroup = 8;  // a group of groups, no further than anyone means it

bool is_yaml(const fs::path& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml";
}

/// Puts a group's notes to the first of its tasks, those from index `first` on.
void add_notes(std::vector<FoundTask>& found, std::size_t first,
               const std::vector<std::string>& notes) {
  if (first >= found.size()) return;
  found[first].notes.insert(found[first].notes.end(), notes.begin(), notes.end());
}

/// The shipped tasks: `configs/tasks` beside the program or above it, as in a build folder.
fs::path shipped_folder() {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int level = 0; level < 4 && !folder.empty(); ++level) {
    if (fs::is_directory(folder / "configs/tasks", error)) return folder / "configs/tasks";
    if (fs::is_directory(folder / "share/yardstick/tasks", error))
      return folder / "share/yardstick/tasks";
    folder = folder.parent_path();
  }
  return {};
}

/// A member that is a task under its own name; an alias changes no number.
bool is_plain_member(const nlohmann::json& member) {
  if (!member.is_object() || !member.contains("task") || !member["task"].is_string()) return false;
  return member.size() == 1 || (member.size() == 2 && member.contains("task_alias"));
}

/// Refuses keys that no group has, and notes those without effect: lm-evaluation-harness's mean
/// over a group's tasks.
void check_group(const Located& located, const std::string& pointer, LibraryTask& entry) {
  Fields fields(located, pointer, "a group of tasks");
  for (const char* const key : {"group", "group_alias", "task", "task_alias", "tag", "metadata",
                                "version", "description"}) {
    static_cast<void>(fields.raw(key));
  }
  if (fields.has("aggregate_metric_list")) {
    entry.notes.push_back(
        fmt::format("{}: aggregate_metric_list: has no effect: a group has no row of its own, its "
                    "tasks are shown one by one",
                    fields.where("aggregate_metric_list")));
  }
  fields.finish();
}

/// The names in a group's list `task`; those of a group in the group are the outer one's.
std::vector<std::string> members_of(const Located& located, const std::string& pointer,
                                    LibraryTask& entry) {
  std::vector<std::string> members;
  const nlohmann::json& list = located.values().at(nlohmann::json::json_pointer(pointer));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const nlohmann::json& member = list[i];
    const std::string place = fmt::format("{}/{}", pointer, i);
    if (member.is_string()) {
      members.push_back(member);
    } else if (is_plain_member(member)) {
      members.push_back(member["task"]);
    } else if (member.is_object() && member.contains("task") && member["task"].is_array()) {
      check_group(located, place, entry);
      for (std::string& inner : members_of(located, place + "/task", entry))
        members.push_back(std::move(inner));
    } else {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: task: found {:.60}, expected a name; give a task that a group "
                              "changes a file of its own, which includes the other",
                              located.where(place), member.dump()));
    }
  }
  return members;
}

/// One text, or a list of texts.
std::vector<std::string> texts_of(const Located& located, const std::string& key) {
  std::vector<std::string> texts;
  const nlohmann::json& values = located.values();
  if (!values.contains(key)) return texts;
  const nlohmann::json& value = values[key];
  for (const nlohmann::json& one : value.is_array() ? value : nlohmann::json::array({value})) {
    if (!one.is_string()) {
      throw Error(
          ErrorKind::kConfig,
          fmt::format("{}: {}: found {}, expected a name; give a task that a group changes a "
                      "file of its own, which includes the other",
                      located.where("/" + key), key, one.dump()));
    }
    texts.push_back(one);
  }
  return texts;
}

LibraryTask read_entry(const fs::path& folder, const fs::path& file) {
  LibraryTask entry{.name = file.lexically_relative(folder).replace_extension().generic_string(),
                    .folder = folder,
                    .file = file,
                    .task = {},
                    .tags = {},
                    .members = {},
                    .notes = {},
                    .broken = {}};
  try {
    const Located located = read_yaml(file);
    const nlohmann::json& values = located.values();
    if (!values.is_object()) {
      entry.broken = fmt::format("{}: is not a mapping", file.string());
      return entry;
    }
    const bool is_group = values.contains("task") && values["task"].is_array();
    if (is_group) {
      check_group(located, "", entry);
      entry.members = members_of(located, "/task", entry);
    } else if (values.contains("task") && values["task"].is_string()) {
      entry.task = values["task"];
    }
    for (const char* const key : {"tag", "group"}) {
      for (std::string& tag : texts_of(located, key)) entry.tags.push_back(std::move(tag));
    }
  } catch (const Error& error) {
    entry.broken = error.what();
  }
  return entry;
}

/// Whether `text` fits `pattern`, in which * stands for any run of characters and ? for one.
bool fits(std::string_view pattern, std::string_view text) {
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  std::size_t p = 0;
  std::size_t t = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void check_depth(std::string_view group, int depth) {
  if (depth <= kDeepestGroup) return;
  throw Error(ErrorKind::kConfig,
              fmt::format("the group '{}' is nested more than {} deep, or holds itself", group,
                          kDeepestGroup));
}

class Search {
 public:
  explicit Search(std::vector<LibraryTask> tasks) : tasks_(std::move(tasks)) {}

  std::vector<FoundTask> find(std::string_view name) {
    add(name, 0);
    return std::move(found_);
  }

 private:
  void add(std::string_view name, int depth) {
    check_depth(name, depth);
    // A folder that is searched first wins, whatever kind of name it is there.
    const std::span<const LibraryTask> all(tasks_);
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin + 1;
      while (end < all.size() && all[end].folder == all[begin].folder) ++end;
      if (add_from(all.subspan(begin, end - begin), name, depth)) return;
      begin = end;
    }
    fail(name);
  }

  bool add_from(std::span<const LibraryTask> folder, std::string_view name, int depth) {
    for (const LibraryTask& entry : folder) {
      if (entry.name != name) continue;
      add_entry(entry, entry.name, depth);
      return true;
    }
    for (const LibraryTask& entry : folder) {
      if (entry.task != name) continue;
      add_entry(entry, entry.task, depth);
      return true;
    }
    bool is_found = false;
    const bool is_pattern = name.find_first_of("*?") != std::string_view::npos;
    for (const LibraryTask& entry : folder) {
      const bool is_tagged =
          std::find(entry.tags.begin(), entry.tags.end(), name) != entry.tags.end();
      const bool is_task = !entry.task.empty() || !entry.members.empty();
      if (!is_tagged && !(is_pattern && is_task && fits(name, entry.name))) continue;
      is_found = true;
      // lm-evaluation-harness calls many a file default.yaml.
      const bool is_default = entry.file.stem() == "default" && !entry.task.empty();
      add_entry(entry, is_default ? entry.task : entry.name, depth + 1);
    }
    return is_found;
  }

  void add_entry(const LibraryTask& entry, const std::string& name, int depth) {
    if (!entry.broken.empty()) throw Error(ErrorKind::kConfig, entry.broken);
    if (!entry.members.empty()) {
      const std::size_t first = found_.size();
      for (const std::string& member : entry.members) add(member, depth + 1);
      add_notes(found_, first, entry.notes);
      return;
    }
    if (seen_.insert(entry.file).second) found_.push_back({name, entry.file});
  }

  [[noreturn]] void fail(std::string_view name) const {
    std::vector<std::string> names;
    for (const LibraryTask& entry : tasks_) {
      names.push_back(entry.name);
      names.insert(names.end(), entry.tags.begin(), entry.tags.end());
    }
    throw Error(ErrorKind::kConfig,
                fmt::format("there is no task '{}'{}; `yardstick list tasks` prints all; a task of "
                            "your own is named by its file: ./{}.yaml",
                            name, did_you_mean(name, names), name));
  }

  std::vector<LibraryTask> tasks_;
  std::set<fs::path> seen_;
  std::vector<FoundTask> found_;
};

}  // namespace

TaskLibrary TaskLibrary::standard(std::vector<fs::path> first) {
  std::vector<fs::path> folders = std::move(first);
  if (const char* const listed = std::getenv("YARDSTICK_TASKS")) {
    std::string_view rest = listed;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) folders.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const fs::path& folder : folders) {
    if (!fs::is_directory(folder)) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("there is no folder of tasks '{}' (--include-path, YARDSTICK_TASKS)",
                              folder.string()));
    }
  }
  if (fs::path shipped = shipped_folder(); !shipped.empty()) folders.push_back(std::move(shipped));
  return TaskLibrary(std::move(folders));
}

std::vector<LibraryTask> TaskLibrary::tasks() const {
  std::vector<LibraryTask> entries;
  for (const fs::path& folder : folders_) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && is_yaml(entry.path())) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) entries.push_back(read_entry(folder, file));
  }
  return entries;
}

std::vector<FoundTask> TaskLibrary::find(std::string_view name, const fs::path& base) const {
  return find_within(name, base, 0);
}

std::vector<FoundTask> TaskLibrary::find_within(std::string_view name, const fs::path& base,
                                                int depth) const {
  check_depth(name, depth);
  const fs::path file = base / name;
  if (is_yaml(file)) {
    if (!fs::is_regular_file(file)) {
      throw Error(ErrorKind::kConfig, fmt::format("there is no task file '{}'", file.string()));
    }
    const LibraryTask entry = read_entry(file.parent_path(), file);
    if (!entry.broken.empty()) throw Error(ErrorKind::kConfig, entry.broken);
    if (entry.members.empty()) return {{entry.task.empty() ? entry.name : entry.task, file}};
    // A group's members stand beside it, or in the library.
    std::vector<fs::path> folders = {file.parent_path().empty() ? fs::path(".")
                                                                : file.parent_path()};
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    const TaskLibrary wider(std::move(folders));
    std::vector<FoundTask> found;
    for (const std::string& member : entry.members) {
      for (FoundTask& task : wider.find_within(member, file.parent_path(), depth + 1))
        found.push_back(std::move(task));
    }
    add_notes(found, 0, entry.notes);
    return found;
  }
  return Search(tasks()).find(name);
}

fs::path TaskLibrary::find_file(std::string_view name, const fs::path& base) const {
  if (const fs::path file = base / name; fs::is_regular_file(file)) return file;
  for (const fs::path& folder : folders_) {
    fs::path file = folder / name;
    if (!is_yaml(file)) file += ".yaml";
    if (fs::is_regular_file(file)) return file;
  }
  return {};
}

}  // namespace yardstick::harness
