#include "tasks/metrics/normalize.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "tasks/metrics/characters.hpp"

namespace yardstick::tasks {
namespace {

bool is_article(std::u32string_view word) {
  return word == U"a" || word == U"an" || word == U"the";
}

// Words end where Python's \b has a border, which is finer than white space.
std::u32string without_articles(std::u32string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto* const begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    const auto* const end = std::find_if_not(begin, text.end(), is_letter_or_number);
    const std::u32string_view word(begin, static_cast<std::size_t>(end - begin));
    if (word.empty()) {
      out.push_back(text[at++]);
      continue;
    }
    out.append(is_article(word) ? U" " : word);
    at += word.size();
  }
  return out;
}

}  // namespace

std::string normalize_answer(std::string_view text) {
  std::u32string points = lower(code_points(text));
  std::erase_if(points, is_ascii_punctuation);
  return fmt::format("{}", fmt::join(split_words(to_utf8(without_articles(points))), " "));
}

std::string without(const Ignored& ignored, std::string_view text) {
  constexpr std::int64_t kAll = 0;
  std::string kept = to_utf8(code_points(text));  // patterns need valid UTF-8
  try {
    for (const PythonRegex& pattern : ignored.patterns)
      kept = pattern.substitute(kept, "", kAll, kept.size());
  } catch (const Error& error) {
    throw ignored.patterns_place.empty() ? error : error.within(ignored.patterns_place);
  }
  std::u32string points = code_points(kept);
  if (ignored.letter_case) points = lower(points);
  if (ignored.punctuation) std::erase_if(points, is_ascii_punctuation);
  if (ignored.numbers) std::erase_if(points, [](char32_t c) { return c >= U'0' && c <= U'9'; });
  return to_utf8(points);
}

}  // namespace yardstick::tasks
