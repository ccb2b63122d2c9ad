#include "cli/commands/stops.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace yardstick::cli {

std::string describe_stops(const Request& request, const tasks::Task& task) {
  std::string out = request.stop_tokens.empty()
                        ? std::string("no id")
                        : fmt::format("{} {}", request.stop_tokens.size() == 1 ? "id" : "ids",
                                      fmt::join(request.stop_tokens, ", "));
  std::string texts;
  for (const std::string& text : task.stop_texts()) {
    texts += fmt::format("{}\"{}\"", texts.empty() ? "" : ", ", escaped(text));
  }
  return out + (texts.empty() ? "; no text" : "; texts " + texts);
}

}  // namespace yardstick::cli
