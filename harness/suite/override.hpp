// Changes to a configuration before it is typed: `--set key=value`. Values keep their place, so
// that a later error names the file (or the --set) that it came from.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/yaml.hpp"

namespace yardstick::harness {

/// Applies "models.tiny-rope.path=checkpoints/a" to `suite`. Steps of the dotted path are keys,
/// list indices or the `name` of a list's element; the value is read as YAML. A relative file given
/// this way (keys path, tokenizer, include, data, file) starts from `current_folder`, where the
/// command was typed.
/// @throws Error(kConfig) naming the assignment and the step that leads nowhere.
void apply_override(Located& suite, std::string_view assignment,
                    const std::filesystem::path& current_folder);

/// `path` from `base`, unless it is absolute.
[[nodiscard]] std::filesystem::path from_folder(const std::filesystem::path& base,
                                                const std::filesystem::path& path);

}  // namespace yardstick::harness
