#include "tasks/downstream/stop_texts.hpp"

#include <algorithm>

namespace yardstick::tasks {

std::string_view cut_at_stop(std::string_view text, std::span<const std::string> stops) {
  std::size_t end = text.size();
  for (const std::string& stop : stops) end = std::min(end, text.find(stop));
  return text.substr(0, end);
}

std::vector<TokenId> stop_tokens_of(const TextCodec& codec, std::span<const std::string> stops) {
  std::vector<TokenId> out;
  if (stops.empty()) return out;
  for (TokenId id = 0; id < codec.vocabulary_size(); ++id) {
    const std::string text = codec.decode(std::span(&id, 1));
    const bool holds_one = std::any_of(stops.begin(), stops.end(), [&](const std::string& stop) {
      return text.find(stop) != std::string::npos;
    });
    if (holds_one) out.push_back(id);
  }
  return out;
}

}  // namespace yardstick::tasks
