#include "tasks/data/source.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/home_path.hpp"
#include "tasks/data/compressed.hpp"

namespace yardstick::tasks {
namespace {

using Word = std::pair<std::string_view, DataFormat>;
constexpr std::array<Word, 5> kFormats = {{{"text", DataFormat::kText},
                                           {"jsonl", DataFormat::kJsonl},
                                           {"npy", DataFormat::kNpy},
                                           {"bin", DataFormat::kBin},
                                           {"json", DataFormat::kJson}}};
constexpr std::array<std::pair<std::string_view, TokenWidth>, 6> kWidths = {
    {{"u2", TokenWidth::kU2},
     {"uint16", TokenWidth::kU2},
     {"<u2", TokenWidth::kU2},
     {"u4", TokenWidth::kU4},
     {"uint32", TokenWidth::kU4},
     {"<u4", TokenWidth::kU4}}};
constexpr std::array<Word, 7> kSuffixes = {{{".txt", DataFormat::kText},
                                            {".raw", DataFormat::kText},
                                            {".jsonl", DataFormat::kJsonl},
                                            {".ndjson", DataFormat::kJsonl},
                                            {".npy", DataFormat::kNpy},
                                            {".bin", DataFormat::kBin},
                                            {".json", DataFormat::kJson}}};

std::optional<DataFormat> format_of_name(const std::filesystem::path& file) {
  const std::filesystem::path path = inflated_name(file);
  for (const auto& [suffix, format] : kSuffixes)
    if (path.extension() == suffix) return format;
  return std::nullopt;
}

std::string names_of(std::span<const DataFormat> formats) {
  std::string out;
  for (const DataFormat format : formats) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", to_string(format));
  }
  return out;
}

// The file itself, with errors at the place of the key that names it.
std::filesystem::path existing_file(const Fields& fields, std::string_view key,
                                    const std::string& written, const std::filesystem::path& base) {
  const std::filesystem::path path = path_from(base, written);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw fields.error(
        key, fmt::format("{} '{}'; name the task's data with "
                         "`data: {{path: FILE}}` (relative paths start at '{}')",
                         std::filesystem::is_directory(path, ignored) ? "found the folder"
                                                                      : "there is no file",
                         path.string(), base.empty() ? "." : base.string()));
  }
  return path;
}

DataFormat decide_format(const Fields& fields, std::string_view key, const DataSource& source,
                         std::optional<DataFormat> stated, std::span<const DataFormat> accepted) {
  const std::optional<DataFormat> format = stated ? stated : format_of_name(source.path);
  if (!format) {
    throw fields.error(key, fmt::format("the name '{}' does not say what the file holds; add "
                                        "`format:` with one of: {}",
                                        source.path.filename().string(), names_of(accepted)));
  }
  if (std::find(accepted.begin(), accepted.end(), *format) == accepted.end()) {
    throw fields.error(key, fmt::format("the format '{}' is of no use to this task; it reads: {}",
                                        to_string(*format), names_of(accepted)));
  }
  return *format;
}

}  // namespace

std::string_view to_string(DataFormat format) {
  for (const auto& [word, value] : kFormats)
    if (value == format) return word;
  check(false, "every data format has a name");
  return "";
}

DataSource read_source(Fields& fields, const std::filesystem::path& base,
                       std::span<const DataFormat> accepted) {
  DataSource source;
  const nlohmann::json raw = fields.raw("data");
  if (raw.is_null()) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: the task needs the key 'data', such as `data: {{path: FILE}}`",
                            fields.located().where(fields.pointer("data"))));
  }
  if (raw.is_string()) {
    source.path = existing_file(fields, "data", raw.get<std::string>(), base);
    source.format = decide_format(fields, "data", source, std::nullopt, accepted);
  } else {
    Fields data(fields.located(), fields.pointer("data"), "the task's data");
    source.path = existing_file(data, "path", data.text("path"), base);
    std::optional<DataFormat> stated;
    if (data.has("format")) {
      stated = data.choice("format", DataFormat::kText, std::span<const Word>(kFormats));
    }
    source.format = decide_format(data, stated ? "format" : "path", source, stated, accepted);
    source.field = data.optional_text("field").value_or("text");
    const bool has_width = data.has("dtype");
    source.width = data.choice("dtype", TokenWidth::kU2,
                               std::span<const std::pair<std::string_view, TokenWidth>>(kWidths));
    data.finish();
    if (source.format == DataFormat::kBin && has_width) return source;
    if (has_width) {
      throw data.error("dtype", "only a .bin stream needs it; a .npy file says its own");
    }
  }
  if (source.format == DataFormat::kBin) {
    throw fields.error("data", "a .bin stream has no header: say `dtype: u2` or `dtype: u4`");
  }
  return source;
}

void describe(const DataSource& source, Fingerprint& fingerprint) {
  fingerprint.add("data.format", to_string(source.format))
      .add("data.field", source.field)
      .add("data.token_bytes", source.width == TokenWidth::kU2 ? 2 : 4)
      .add("data.sha256", sha256_file(source.path));
}

}  // namespace yardstick::tasks
