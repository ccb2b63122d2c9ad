// What --model names: a folder or file, NAME=PATH, or a pattern of folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace yardstick::cli {

struct NamedModel {
  std::optional<std::string> name;  ///< none: the folder's or file's own
  std::filesystem::path path;
};

/// The models of the arguments, in their order, those of a pattern (`*`, `?`, `[...]`; folders and
/// .gguf files) sorted. Models whose folders are called alike get as much of their paths as tells
/// them apart: "run-a/final" and "run-b/final".
/// @throws Error(kConfig) for a pattern that names nothing, a name for several models, or no path
/// behind a name.
[[nodiscard]] std::vector<NamedModel> named_models(const std::vector<std::string>& arguments);

}  // namespace yardstick::cli
