#include "tasks/data/words.hpp"

#include <cstddef>

#include "tasks/template/code_points.hpp"

namespace yardstick::tasks {
std::vector<std::int64_t> word_begins(std::string_view text) {
  std::vector<std::int64_t> begins;
  bool after_space = true;
  for (std::size_t at = 0; at < text.size();) {
    const jinja::CodePoint character = jinja::first_code_point(text.substr(at));
    const bool space = jinja::is_space(character.value);
    if (!space && after_space) begins.push_back(static_cast<std::int64_t>(at));
    after_space = space;
    at += character.size;
  }
  return begins;
}

TextCounts count_text(std::string_view text) {
  TextCounts counts{.bytes = static_cast<std::int64_t>(text.size())};
  bool after_space = true;
  bool begins_with_space = false;
  for (std::size_t at = 0; at < text.size();) {
    const jinja::CodePoint character = jinja::first_code_point(text.substr(at));
    const bool space = jinja::is_space(character.value);
    if (at == 0) begins_with_space = space;
    if (!space && after_space) ++counts.words;
    after_space = space;
    at += character.size;
  }
  // Runs of white space split the text into one part more than there are runs.
  if (counts.words == 0) {
    counts.parts = text.empty() ? 1 : 2;
  } else {
    counts.parts = counts.words + (begins_with_space ? 1 : 0) + (after_space ? 1 : 0);
  }
  return counts;
}

}  // namespace yardstick::tasks
