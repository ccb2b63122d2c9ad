#include "tasks/needle/prompt_template.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/home_path.hpp"

namespace yardstick::tasks {

Template read_prompt_template(Fields& fields, std::string_view key, std::string_view fallback,
                              const PromptFields& names) {
  Template prompt(fields.optional_text(key).value_or(std::string(fallback)), fields.where(key));
  nlohmann::ordered_json item;
  // Some words each, since a template may ask for the third one.
  constexpr const char* kWords = "one two three four five six seven eight";
  for (const std::string_view name : names.required) item[std::string(name)] = kWords;
  for (const std::string_view name : names.optional) item[std::string(name)] = kWords;
  const std::string rendered = prompt.render(item);
  for (const std::string_view name : names.required) {
    nlohmann::ordered_json other = item;
    other[std::string(name)] = "a b c d e f g h";
    if (prompt.render(other) != rendered) continue;
    throw fields.error(
        key, fmt::format("does not say the {0}; write {{{{{0}}}}} where it stands", name));
  }
  return prompt;
}

std::vector<std::filesystem::path> read_files(Fields& fields, std::string_view key,
                                              const std::filesystem::path& base) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : fields.texts(key)) {
    std::filesystem::path file = path_from(base, name);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) {
      throw fields.error(key, fmt::format("there is no file '{}'; relative paths start at '{}'",
                                          file.string(), base.empty() ? "." : base.string()));
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace yardstick::tasks
