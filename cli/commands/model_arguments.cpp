#include "cli/commands/model_arguments.hpp"

#include <glob.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::cli {
namespace {

namespace fs = std::filesystem;

bool is_gguf(const fs::path& path) { return path.extension() == ".gguf"; }

/// Folders and .gguf files that the pattern names, sorted.
std::vector<fs::path> matches(const std::string& pattern) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<fs::path> paths;
  for (std::size_t i = 0; status == 0 && i < found.gl_pathc; ++i) {
    fs::path path = found.gl_pathv[i];
    if (fs::is_directory(path) || is_gguf(path)) paths.push_back(std::move(path));
  }
  ::globfree(&found);
  std::sort(paths.begin(), paths.end());
  if (paths.empty()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("--model {}: no folder or .gguf file is called so", pattern));
  }
  return paths;
}

std::vector<NamedModel> read_argument(const std::string& argument) {
  if (fs::exists(argument)) return {{std::nullopt, argument}};  // also one with '=' or '*' in it
  const std::size_t equals = argument.find('=');
  const bool is_named = equals != std::string::npos && equals > 0 &&
                        argument.substr(0, equals).find('/') == std::string::npos;
  std::optional<std::string> name;
  if (is_named) name = argument.substr(0, equals);
  const std::string path = is_named ? argument.substr(equals + 1) : argument;
  if (path.empty()) {
    throw Error(ErrorKind::kConfig, fmt::format("--model {}: expected a folder or a .gguf file{}",
                                                argument, is_named ? " behind the name" : ""));
  }
  if (fs::exists(path) || path.find_first_of("*?[") == std::string::npos) return {{name, path}};
  std::vector<NamedModel> models;
  for (fs::path& found : matches(path)) models.push_back({name, std::move(found)});
  if (name && models.size() > 1) {
    throw Error(ErrorKind::kConfig,
                fmt::format("--model {}: one name for {} models; leave it out and each gets its "
                            "folder's",
                            argument, models.size()));
  }
  return models;
}

/// The last `count` parts of a path, as a name.
std::string ending(const fs::path& path, std::size_t count) {
  fs::path whole = fs::absolute(path).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  if (is_gguf(whole)) whole.replace_extension();
  const std::vector<fs::path> parts(whole.begin(), whole.end());
  fs::path name;
  for (std::size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i)
    name /= parts[i];
  return name.string();
}

/// Takes more and more of the paths, until all differ or are used up: the same path twice.
void tell_apart(const std::vector<NamedModel*>& alike) {
  constexpr std::size_t kMostParts = 64;
  for (std::size_t count = 2; count <= kMostParts; ++count) {
    std::set<std::string> names;
    for (const NamedModel* model : alike) names.insert(ending(model->path, count));
    if (names.size() < alike.size()) continue;
    for (NamedModel* model : alike) model->name = ending(model->path, count);
    return;
  }
}

}  // namespace

std::vector<NamedModel> named_models(const std::vector<std::string>& arguments) {
  std::vector<NamedModel> models;
  for (const std::string& argument : arguments) {
    for (NamedModel& model : read_argument(argument)) models.push_back(std::move(model));
  }
  std::map<std::string, std::vector<NamedModel*>> by_name;
  for (NamedModel& model : models)
    if (!model.name) by_name[ending(model.path, 1)].push_back(&model);
  for (const auto& [name, alike] : by_name)
    if (alike.size() > 1) tell_apart(alike);
  return models;
}

}  // namespace yardstick::cli
