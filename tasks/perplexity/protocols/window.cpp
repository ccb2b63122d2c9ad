#include "tasks/perplexity/protocols/window.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace yardstick::tasks {

std::int64_t opening_at(std::span<const TokenId> stream, std::span<const TokenId> opening,
                        std::int64_t begin) {
  if (opening.empty()) return 0;
  const auto place = static_cast<std::size_t>(begin);
  if (place < stream.size() && stream[place] == opening.back()) return 0;
  return static_cast<std::int64_t>(opening.size());
}

Windows with_skipped(std::vector<Window> windows, std::int64_t size) {
  std::int64_t held = 0;
  std::int64_t reached = 0;
  for (const Window& window : windows) {
    held += std::max<std::int64_t>(0, window.end - std::max(window.begin, reached));
    reached = std::max(reached, window.end);
  }
  return {.windows = std::move(windows), .tokens_skipped = size - held};
}

std::string WindowProtocol::variant(std::span<const std::int64_t> /*lengths*/) const { return ""; }

std::vector<TokenId> WindowProtocol::opening(const TextCodec& codec) const {
  return codec.window_prefix();
}

std::vector<TokenId> WindowProtocol::text_prefix(const TextCodec& /*codec*/) const { return {}; }

}  // namespace yardstick::tasks
