// Which files hold a task's documents: the data set that a task file names, and its splits.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Where the files of a data set may lie.
struct DatasetPlaces {
  std::string place;       ///< of the key that names the data, for messages: "arc.yaml:3:15"
  std::string shown;       ///< "'allenai/ai2_arc' (ARC-Easy)"
  std::string how_to_get;  ///< what to do about a missing split; {split} in it is its name
  std::optional<std::filesystem::path> single;            ///< one file is every split
  std::map<std::string, std::filesystem::path> by_split;  ///< files by the names of the splits
  std::vector<std::filesystem::path> folders;             ///< that hold <split>.<ending>
  std::vector<std::filesystem::path> stems;               ///< <stem>.<ending> is every split
};

/// A data set as a task file names it. Says where a split is, or why it is not to be had.
class Dataset {
 public:
  explicit Dataset(DatasetPlaces places) : places_(std::move(places)) {}

  /// The file of a split, by the split's name; `validation`, `dev`, `valid` and `val` are one name.
  /// @throws Error(kConfig) with the places tried and how to get the data there.
  [[nodiscard]] std::filesystem::path file_of(std::string_view split) const;

  /// file_of(), or nothing where it would throw.
  [[nodiscard]] std::optional<std::filesystem::path> find(std::string_view split) const;

  /// True if the task file names the files itself, so that it needs no *_split keys.
  [[nodiscard]] bool names_files() const { return places_.single || !places_.by_split.empty(); }

  [[nodiscard]] const std::string& place() const { return places_.place; }

 private:
  DatasetPlaces places_;
};

/// Reads `data`, or else dataset_path, dataset_name and dataset_kwargs.
/// @throws Error(kConfig) for keys that do not name a data set, or a named file that is not there.
[[nodiscard]] Dataset read_dataset(Fields& fields, const TaskDefinition& definition);

/// The files that a task reads.
struct DatasetFiles {
  std::filesystem::path tested;
  /// Where worked examples are drawn from; may be `tested` itself. Nothing if that split is not to
  /// be had; `missing_examples` says why.
  std::optional<std::filesystem::path> examples;
  std::string missing_examples;
};

/// The tested split: test_split, else validation_split. The one of the worked examples:
/// `example_split`, else training_split, else validation_split, else the tested one. Without any of
/// these keys the files that `data` names are test, else validation, and train.
/// @throws Error(kConfig) for a split that is not named or not to be had.
[[nodiscard]] DatasetFiles choose_files(Fields& fields, const Dataset& dataset,
                                        const std::optional<std::string>& example_split);

}  // namespace yardstick::tasks
