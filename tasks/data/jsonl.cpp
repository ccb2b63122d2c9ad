#include "tasks/data/jsonl.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/json.hpp"
#include "tasks/data/text_file.hpp"

namespace yardstick::tasks {
namespace {

nlohmann::ordered_json parse_line(std::string_view text, const std::string& file,
                                  std::int64_t line) {
  try {
    return parse_ordered_json(text, fmt::format("{}:{}", file, line));
  } catch (const Error&) {
    if (nlohmann::json::accept(text)) throw;  // a repeated key; the message names file and line
    // Parsed again behind as many line breaks, so that the message has the file's own line.
    const std::string moved = std::string(static_cast<std::size_t>(line - 1), '\n');
    return parse_ordered_json(moved + std::string(text), file);
  }
}

}  // namespace

void for_each_json_line(
    const std::filesystem::path& file,
    const std::function<Proceed(std::int64_t line, nlohmann::ordered_json&& object)>& visit) {
  const std::string text = read_text_file(file);
  const std::string_view all = text;
  std::int64_t line = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t newline = std::min(all.find('\n', begin), all.size());
    const std::string_view content = all.substr(begin, newline - begin);
    begin = newline + 1;
    ++line;
    if (content.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    nlohmann::ordered_json object = parse_line(content, file.string(), line);
    if (!object.is_object()) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}:{}: expected a JSON object such as {{\"text\": ...}}, found {}",
                              file.string(), line, object.type_name()));
    }
    if (visit(line, std::move(object)) == Proceed::kStop) return;
  }
}

}  // namespace yardstick::tasks
