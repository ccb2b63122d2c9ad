#include "tasks/downstream/dataset.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/home_path.hpp"
#include "core/text.hpp"
#include "tasks/data/records.hpp"

namespace yardstick::tasks {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kCompressions = {"", ".gz", ".zst"};
constexpr std::array<std::string_view, 4> kValidation = {"validation", "dev", "valid", "val"};
constexpr std::array<std::string_view, 2> kTraining = {"train", "training"};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// All names of a split, its own first.
std::vector<std::string> names_of(std::string_view split) {
  std::vector<std::string> names{std::string(split)};
  for (const std::span<const std::string_view> group :
       {std::span<const std::string_view>(kValidation),
        std::span<const std::string_view>(kTraining)}) {
    if (std::find(group.begin(), group.end(), split) == group.end()) continue;
    for (const std::string_view name : group) {
      if (name != split) names.emplace_back(name);
    }
  }
  return names;
}

/// stem.jsonl, stem.jsonl.gz, ...: the first that is there.
std::optional<fs::path> file_with_stem(const fs::path& stem) {
  for (const std::string_view suffix : record_suffixes()) {
    for (const std::string_view compression : kCompressions) {
      fs::path file = stem;
      file += suffix;
      file += compression;
      if (is_file(file)) return file;
    }
  }
  return std::nullopt;
}

std::string last_part(const std::string& hub_name) {
  return hub_name.substr(hub_name.rfind('/') + 1);
}

fs::path existing(const Fields& fields, std::string_view key, const std::string& written,
                  const fs::path& base) {
  if (written.find("://") != std::string::npos) {
    throw fields.error(
        key, fmt::format("'{}' is on the network; download it and name the file", written));
  }
  const fs::path path = path_from(base, written);
  if (is_file(path) || is_folder(path)) return path;
  throw fields.error(key, fmt::format("there is no file or folder '{}' (relative paths start at "
                                      "'{}')",
                                      path.string(), base.empty() ? "." : base.string()));
}

fs::path existing_file(const Fields& fields, std::string_view key, const std::string& written,
                       const fs::path& base) {
  fs::path path = existing(fields, key, written, base);
  if (!is_folder(path)) return path;
  throw fields.error(key, fmt::format("found the folder '{}', expected a file", path.string()));
}

/// {train: FILE, test: FILE}
std::map<std::string, fs::path> files_by_split(Fields& splits, const nlohmann::json& mapping,
                                               const fs::path& base) {
  std::map<std::string, fs::path> files;
  for (const auto& [split, unused] : mapping.items()) {
    files[split] = existing_file(splits, split, splits.text(split), base);
  }
  return files;
}

/// A name of the hub, or of a split, is no place in the file system.
void check_plain_split(const Fields& fields, std::string_view key, const std::string& split) {
  if (split.find_first_of("[]+/\\%:") == std::string::npos && !split.empty()) return;
  throw fields.error(key, fmt::format("'{}' is a slice or a sum of splits, which is not read here; "
                                      "name one split, and take part of it with `limit` or with "
                                      "the filter of `process_docs`",
                                      split));
}

std::optional<std::string> split_name(Fields& fields, std::string_view key) {
  std::optional<std::string> split = fields.optional_text(key);
  if (split) check_plain_split(fields, key, *split);
  return split;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

/// A data set by its keys in lm-evaluation-harness's form.
struct Keys {
  std::string path;                          // dataset_path
  std::string name;                          // dataset_name; may be empty
  std::optional<nlohmann::json> data_files;  // of dataset_kwargs
  std::string data_dir;                      // of dataset_kwargs; may be empty
};

std::string pointer_of_kwargs(const Fields& fields) { return fields.pointer("dataset_kwargs"); }

Keys read_keys(Fields& fields) {
  Keys keys{.path = fields.optional_text("dataset_path").value_or(""),
            .name = fields.optional_text("dataset_name").value_or(""),
            .data_files = std::nullopt,
            .data_dir = ""};
  if (!fields.has("dataset_kwargs")) return keys;
  Fields kwargs(fields.located(), pointer_of_kwargs(fields), "dataset_kwargs");
  if (kwargs.has("data_files")) keys.data_files = kwargs.raw("data_files");
  keys.data_dir = kwargs.optional_text("data_dir").value_or("");
  for (const char* const key : {"trust_remote_code", "revision", "streaming", "cache_dir"}) {
    static_cast<void>(kwargs.raw(key));  // of no use to local files
  }
  kwargs.finish();
  return keys;
}

/// `data: FILE`, `data: {path: FILE}` or `data: {test: FILE, train: FILE}`.
void read_own_data(Fields& fields, const fs::path& base, DatasetPlaces& places) {
  places.place = fields.where("data");
  places.shown = "the task's `data`";
  const nlohmann::json data = fields.raw("data");
  if (data.is_string()) {
    places.single = existing_file(fields, "data", data.get<std::string>(), base);
    return;
  }
  Fields splits(fields.located(), fields.pointer("data"), "the task's data");
  if (splits.has("path")) {
    places.single = existing_file(splits, "path", splits.text("path"), base);
  } else {
    places.by_split = files_by_split(splits, data, base);
  }
  splits.finish();
  if (!places.single && places.by_split.empty()) {
    throw fields.error("data", "names no file; expected `data: FILE` or `data: {test: FILE}`");
  }
}

/// `dataset_path: json` (csv, text): the files are those of dataset_kwargs.
void read_format(const Fields& fields, const Keys& keys, const fs::path& base,
                 DatasetPlaces& places) {
  if (!keys.data_files && keys.data_dir.empty()) {
    throw fields.error("dataset_path",
                       fmt::format("'{}' is a format; name the files with "
                                   "`dataset_kwargs: {{data_files: {{test: FILE}}}}`",
                                   keys.path));
  }
  Fields kwargs(fields.located(), pointer_of_kwargs(fields), "dataset_kwargs");
  const fs::path folder = path_from(base, keys.data_dir);
  if (!keys.data_files) {
    places.folders.push_back(existing(kwargs, "data_dir", keys.data_dir, base));
    places.how_to_get = "put the split's file there";
  } else if (keys.data_files->is_string()) {
    places.single =
        existing_file(kwargs, "data_files", keys.data_files->get<std::string>(), folder);
  } else {
    Fields splits(fields.located(), kwargs.pointer("data_files"), "data_files");
    places.by_split = files_by_split(splits, *keys.data_files, folder);
  }
}

/// dataset_path is a file, or a folder with [dataset_name/]<split>.<ending>.
void read_path(const Fields& fields, const Keys& keys, const fs::path& base,
               DatasetPlaces& places) {
  const fs::path found = existing(fields, "dataset_path", keys.path, base);
  if (is_file(found)) {
    places.single = found;
    return;
  }
  places.folders = {found / keys.data_dir / keys.name};
  if (!keys.name.empty()) places.stems = places.folders;
  places.how_to_get = "put the split's file there";
}

std::string how_to_get(const Keys& keys, const std::vector<fs::path>& data_folders) {
  const fs::path folder = data_folders.empty() ? "DIR" : data_folders.front();
  const fs::path file = folder / last_part(keys.path) / keys.name / "{split}.jsonl";
  return fmt::format(
      "{}to save it there, run in Python\n    from datasets import load_dataset\n    "
      "load_dataset(\"{}\"{}, split=\"{{split}}\").to_json(\"{}\")\nor name the file in the task "
      "with `data: FILE`",
      data_folders.empty() ? "name a folder with --data-dir DIR; " : "", keys.path,
      keys.name.empty() ? "" : fmt::format(", \"{}\"", keys.name), file.string());
}

/// dataset_path is a name of the hub: looked for below each data folder.
void read_hub_name(Fields& fields, const Keys& keys, const std::vector<fs::path>& data_folders,
                   DatasetPlaces& places) {
  for (const fs::path& folder : data_folders) {
    std::vector<fs::path> roots = {folder / keys.path};
    if (last_part(keys.path) != keys.path) roots.push_back(folder / last_part(keys.path));
    for (const fs::path& root : roots) {
      const fs::path place = keys.name.empty() ? root : root / keys.name;
      places.folders.push_back(place);
      places.stems.push_back(place);
    }
  }
  const std::optional<std::string> task = fields.optional_text("task");
  for (const fs::path& folder : data_folders) {
    if (task && task->find('/') == std::string::npos) places.stems.push_back(folder / *task);
  }
  places.how_to_get = how_to_get(keys, data_folders);
}

}  // namespace

std::optional<fs::path> Dataset::find(std::string_view split) const {
  if (places_.single) return places_.single;
  const std::vector<std::string> names = names_of(split);
  for (const std::string& name : names) {
    if (const auto found = places_.by_split.find(name); found != places_.by_split.end()) {
      return found->second;
    }
  }
  for (const fs::path& folder : places_.folders) {
    for (const std::string& name : names) {
      if (std::optional<fs::path> file = file_with_stem(folder / name)) return file;
    }
  }
  for (const fs::path& stem : places_.stems) {
    if (std::optional<fs::path> file = file_with_stem(stem)) return file;
  }
  return std::nullopt;
}

fs::path Dataset::file_of(std::string_view split) const {
  if (std::optional<fs::path> file = find(split)) return *std::move(file);
  std::vector<std::string> tried;
  if (!places_.by_split.empty()) {
    for (const auto& [name, file] : places_.by_split) tried.push_back(name);
    throw Error(
        ErrorKind::kConfig,
        fmt::format("{}: {} has no split '{}'{}; there are: {}", places_.place, places_.shown,
                    split, did_you_mean(split, tried), fmt::join(tried, ", ")));
  }
  for (const fs::path& folder : places_.folders) tried.push_back((folder / split).string() + ".*");
  for (const fs::path& stem : places_.stems) tried.push_back(stem.string() + ".*");
  throw Error(
      ErrorKind::kConfig,
      fmt::format(
          "{}: the split '{}' of {} is not there; {}; {}", places_.place, split, places_.shown,
          tried.empty() ? "no data folder is known"
                        : fmt::format("tried {} (endings {}, each also with .gz or .zst)",
                                      fmt::join(tried, ", "), fmt::join(record_suffixes(), " ")),
          replaced(places_.how_to_get, "{split}", split)));
}

Dataset read_dataset(Fields& fields, const TaskDefinition& definition) {
  DatasetPlaces places;
  const Keys keys = read_keys(fields);
  if (fields.has("data")) {
    read_own_data(fields, definition.base, places);
    return Dataset(std::move(places));
  }
  if (keys.path.empty()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: the task names no data: expected `data: FILE`, or `dataset_path` "
                            "with the name of a data set",
                            fields.located().where(fields.pointer("data"))));
  }
  places.place = fields.where("dataset_path");
  places.shown = fmt::format("'{}'{}", keys.path, keys.name.empty() ? "" : " (" + keys.name + ")");
  const bool is_format = keys.path == "json" || keys.path == "csv" || keys.path == "text";
  if (keys.data_files && !is_format) {
    throw fields.error("dataset_kwargs", "data_files goes with `dataset_path: json`, csv or text");
  }
  const fs::path local = path_from(definition.base, keys.path);
  const bool is_path =
      keys.path.starts_with('.') || keys.path.starts_with('~') || keys.path.starts_with('/');
  if (is_format) {
    read_format(fields, keys, definition.base, places);
  } else if (is_path || is_file(local) || is_folder(local)) {
    read_path(fields, keys, definition.base, places);
  } else {
    read_hub_name(fields, keys, definition.data_folders, places);
  }
  return Dataset(std::move(places));
}

DatasetFiles choose_files(Fields& fields, const Dataset& dataset,
                          const std::optional<std::string>& example_split) {
  const std::optional<std::string> test = split_name(fields, "test_split");
  const std::optional<std::string> validation = split_name(fields, "validation_split");
  const std::optional<std::string> training = split_name(fields, "training_split");
  std::string tested = test.value_or(validation.value_or(""));
  std::string examples = example_split.value_or(training.value_or(validation.value_or(tested)));
  const bool has_keys = test || validation;
  if (!has_keys && !dataset.names_files()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: the task does not say which split to ask; name it with "
                            "`test_split` or `validation_split`",
                            dataset.place()));
  }
  if (!has_keys) {
    tested = dataset.find("test") ? "test" : "validation";
    if (!example_split && !training) {
      examples = dataset.find("train")        ? "train"
                 : dataset.find("validation") ? "validation"
                                              : tested;
    }
  }
  DatasetFiles files;
  files.tested = dataset.file_of(tested);
  try {
    files.examples = dataset.file_of(examples);
  } catch (const Error& error) {
    files.missing_examples = error.what();
  }
  return files;
}

}  // namespace yardstick::tasks
