// Task files by name: the folders in which they are looked for, and what a name stands for.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::harness {

/// One task file of a library folder.
struct LibraryTask {
  std::string name;              ///< its path in the folder without ".yaml": "ruler/vt"
  std::filesystem::path folder;  ///< of the library, in which it stands
  std::filesystem::path file;
  std::string task;                  ///< its key `task`, or empty (a group has none)
  std::vector<std::string> tags;     ///< its keys `tag` and `group`
  std::vector<std::string> members;  ///< of a group: the names in its list `task`
  std::vector<std::string> notes;    ///< keys of a group that have no effect yet, with their place
  std::string broken;                ///< why the file cannot be read, or empty
};

/// A task that a name stands for.
struct FoundTask {
  std::string name;  ///< as tables call it
  std::filesystem::path file;
  std::vector<std::string> notes = {};  ///< of the groups that it is the first task of
};

/// Folders of task files, searched in order. Immutable; the folders are read when asked.
class TaskLibrary {
 public:
  explicit TaskLibrary(std::vector<std::filesystem::path> folders) : folders_(std::move(folders)) {}

  /// `first`, then the folders of the environment variable YARDSTICK_TASKS (separated by ':'), then
  /// the shipped one beside the program.
  [[nodiscard]] static TaskLibrary standard(std::vector<std::filesystem::path> first);

  [[nodiscard]] const std::vector<std::filesystem::path>& folders() const { return folders_; }

  /// All task files, by folder and name. A file that cannot be read is listed with its reason.
  [[nodiscard]] std::vector<LibraryTask> tasks() const;

  /// The tasks that `name` stands for: a YAML file (from `base`), the name of a library file, the
  /// `task` of one, a group or tag (all its tasks), or a pattern of names with * and ?.
  /// @throws Error(kConfig) with the nearest name if there is none, or the reason of a file that
  /// cannot be read.
  [[nodiscard]] std::vector<FoundTask> find(std::string_view name,
                                            const std::filesystem::path& base) const;

  /// The file that an `include` names, from the folder of the file that includes it, or else in the
  /// library; empty if there is none.
  [[nodiscard]] std::filesystem::path find_file(std::string_view name,
                                                const std::filesystem::path& base) const;

 private:
  /// @param depth groups around the name, which a group that holds itself drives up
  [[nodiscard]] std::vector<FoundTask> find_within(std::string_view name,
                                                   const std::filesystem::path& base,
                                                   int depth) const;

  std::vector<std::filesystem::path> folders_;
};

}  // namespace yardstick::harness
