// Prompts that people may reword: templates that have to say certain things, and nothing unknown.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "tasks/template/template.hpp"

namespace yardstick::tasks {

/// What a template is rendered with.
struct PromptFields {
  std::vector<std::string_view> required;  ///< it has to say each of them
  std::vector<std::string_view> optional;
};

/// The template of `key`, or `fallback`.
/// @throws Error(kConfig) at the key for a required field that does not change what is rendered;
/// Error(kData) at the template's line for a field that is neither.
[[nodiscard]] Template read_prompt_template(Fields& fields, std::string_view key,
                                            std::string_view fallback, const PromptFields& names);

/// Existing files that a key names: a path or a list of paths, relative ones from `base`; empty if
/// the key is absent. @throws Error(kConfig) for one that does not exist.
[[nodiscard]] std::vector<std::filesystem::path> read_files(Fields& fields, std::string_view key,
                                                            const std::filesystem::path& base);

}  // namespace yardstick::tasks
