#include "tasks/data/text_file.hpp"

#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "core/content_kind.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/data/compressed.hpp"

namespace yardstick::tasks {

std::string read_text_file(const std::filesystem::path& file) {
  std::string text = read_inflated(file);
  if (const std::optional<std::string> reason = why_not_text(text)) {
    throw Error(ErrorKind::kData, fmt::format("{}: {}", file.string(), *reason));
  }
  if (const std::optional<std::size_t> offset = find_invalid_utf8(text)) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: byte {} (0x{:02x}) is not valid UTF-8; convert the file to UTF-8",
                            file.string(), *offset, static_cast<unsigned char>(text[*offset])));
  }
  return text;
}

}  // namespace yardstick::tasks
