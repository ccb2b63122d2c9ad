#include "harness/suite/include.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "harness/suite/marks.hpp"

namespace yardstick::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kDeepest = 16;
constexpr std::array<std::string_view, 3> kDataWords = {"format", "field", "dtype"};
constexpr std::array<std::string_view, 5> kFileKeys = {"data_files", "facts", "haystack", "source",
                                                       "words"};

/// Turns files that a value of the file in `folder` names into paths from `base`. Everything under
/// `data` is a file, and what has an ending under a key that names files (`haystack: book.txt`);
/// other texts are one if there is such a file.
class Rebase {
 public:
  Rebase(const fs::path& folder, const fs::path& base) : folder_(folder), base_(base) {}

  void all(json& mapping) const {
    for (auto& [key, value] : mapping.items()) {
      if (key == "include") continue;
      if (key == "data")
        data(value);
      else
        others(value, names_files(key));
    }
  }

 private:
  [[nodiscard]] std::string moved(const std::string& written) const {
    if (fs::path(written).is_absolute()) return written;
    const fs::path full = (folder_ / written).lexically_normal();
    return (base_.empty() ? full : full.lexically_proximate(base_)).string();
  }

  void data(json& value) const {
    if (value.is_string()) value = moved(value.get<std::string>());
    if (!value.is_object()) return;
    for (auto& [key, child] : value.items()) {
      const bool is_word = std::find(kDataWords.begin(), kDataWords.end(), key) != kDataWords.end();
      if (child.is_string() && !is_word) child = moved(child.get<std::string>());
    }
  }

  enum class Under { kFileKey, kOtherKey };

  static Under names_files(std::string_view key) {
    const bool is_file = std::find(kFileKeys.begin(), kFileKeys.end(), key) != kFileKeys.end();
    return is_file ? Under::kFileKey : Under::kOtherKey;
  }

  void others(json& value, Under under) const {
    if (value.is_object()) {
      for (auto& [key, child] : value.items())
        others(child, under == Under::kFileKey ? under : names_files(key));
    } else if (value.is_array()) {
      for (json& child : value) others(child, under);
    } else if (value.is_string() && is_file(value.get_ref<const std::string&>(), under)) {
      value = moved(value.get<std::string>());
    }
  }

  [[nodiscard]] bool is_file(const std::string& text, Under under) const {
    if (text.size() >= 4096 || text.find_first_of("\n{") != std::string::npos) return false;
    if (text.starts_with("./") || text.starts_with("../")) return true;
    if (under == Under::kFileKey && !fs::path(text).extension().empty()) return true;
    std::error_code ignored;
    return text.find_first_of(".-/") != std::string::npos &&
           fs::is_regular_file(folder_ / text, ignored);
  }

  const fs::path& folder_;
  const fs::path& base_;
};

/// Puts the keys of `upper` over those of `lower`.
void overlay(Located& lower, const Located& upper) {
  for (const auto& [key, value] : upper.values().items()) {
    if (key == "include") continue;
    lower.values()[key] = value;
    mark_tree(
        lower, json::json_pointer() / key, value,
        [&](const std::string& pointer) { return upper.where(pointer); },
        [&](const std::string& pointer) { return upper.where_key(pointer); });
  }
}

class Includer {
 public:
  Includer(const fs::path& base, const TaskLibrary& library) : base_(base), library_(library) {}

  Located merge(const Located& entry, const fs::path& folder) {
    if (!entry.values().is_object() || !entry.values().contains("include")) return entry;
    const json& names = entry.values()["include"];
    Located merged(json::object(), entry.file());
    merged.mark("", entry.where(""), entry.where_key(""));
    for (const json& name : names.is_array() ? names : json::array({names})) {
      if (!name.is_string())
        fail(entry, fmt::format("found {}, expected a task file", name.dump()));
      overlay(merged, included(entry, name.get<std::string>(), folder));
    }
    overlay(merged, entry);
    return merged;
  }

  Located read(const fs::path& file) {
    Located own = read_yaml(file);
    if (!own.values().is_object()) {
      throw Error(ErrorKind::kConfig, fmt::format("{}: is not a mapping", file.string()));
    }
    const fs::path folder = file.parent_path();
    Rebase(folder, base_).all(own.values());
    chain_.push_back(file);
    Located merged = merge(own, folder);
    chain_.pop_back();
    return merged;
  }

 private:
  [[noreturn]] static void fail(const Located& entry, std::string_view message) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: include: {}", entry.where("/include"), message));
  }

  Located included(const Located& entry, const std::string& name, const fs::path& folder) {
    const fs::path file = library_.find_file(name, folder);
    if (file.empty()) {
      std::vector<std::string> names;
      for (const LibraryTask& task : library_.tasks()) names.push_back(task.name);
      fail(entry, fmt::format("there is no file '{}', and no task of the library is called so{}",
                              (folder / name).string(), did_you_mean(name, names)));
    }
    if (chain_.size() == kDeepest || std::find(chain_.begin(), chain_.end(), file) != chain_.end())
      fail(entry, fmt::format("'{}' includes itself", file.string()));
    return read(file);
  }

  const fs::path& base_;
  const TaskLibrary& library_;
  std::vector<fs::path> chain_;  ///< the files that are being read
};

}  // namespace

Located merge_include(const Located& entry, const fs::path& base, const TaskLibrary& library) {
  return Includer(base, library).merge(entry, base);
}

Located read_task_file(const fs::path& file, const fs::path& base, const TaskLibrary& library) {
  return Includer(base, library).read(file);
}

}  // namespace yardstick::harness
