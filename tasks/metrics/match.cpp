#include "tasks/metrics/match.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/error.hpp"
#include "tasks/metrics/characters.hpp"
#include "tasks/metrics/number.hpp"

namespace yardstick::tasks {
namespace {

bool is_ascii_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

// Whether nothing that belongs to gold's word stands beside its edge character. `beside` is the
// neighbour, `beyond` the one behind it; U+0000 past the text's end.
bool is_border(char32_t edge, char32_t beside, char32_t beyond) {
  if (!is_word_character(edge)) return true;
  if (is_word_character(beside)) return false;
  const bool joins_digits = beside == U'.' || beside == U',';
  return !(is_ascii_digit(edge) && joins_digits && is_ascii_digit(beyond));
}

std::int64_t count_contained(std::string_view output, std::span<const std::string> golds) {
  const std::string lowered = lower(output);
  return std::count_if(golds.begin(), golds.end(), [&](const std::string& gold) {
    return lowered.find(lower(gold)) != std::string::npos;
  });
}

}  // namespace

bool matches_exactly(std::string_view output, std::string_view gold) {
  return trim(output) == trim(gold);
}

bool contains_token(std::string_view output, std::string_view gold) {
  const std::u32string text = code_points(output);
  const std::u32string word = code_points(gold);
  if (word.empty()) return false;
  const auto character = [&](std::size_t i) { return i < text.size() ? text[i] : U'\0'; };
  for (std::size_t at = text.find(word); at != std::u32string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const char32_t before = at > 0 ? text[at - 1] : U'\0';
    const char32_t further = at > 1 ? text[at - 2] : U'\0';
    if (is_border(word.front(), before, further) &&
        is_border(word.back(), character(end), character(end + 1))) {
      return true;
    }
  }
  return false;
}

bool contains_number(std::string_view output, std::string_view gold) {
  const std::optional<Decimal> value = parse_number(gold);
  if (!value) return false;
  const std::vector<Decimal> numbers = numbers_in(output);
  return std::find(numbers.begin(), numbers.end(), *value) != numbers.end();
}

double ruler_all(std::string_view output, std::span<const std::string> golds) {
  check(!golds.empty(), "a sample has at least one right answer");
  return static_cast<double>(count_contained(output, golds)) / static_cast<double>(golds.size());
}

double ruler_any(std::string_view output, std::span<const std::string> golds) {
  check(!golds.empty(), "a sample has at least one right answer");
  return count_contained(output, golds) > 0 ? 1 : 0;
}

}  // namespace yardstick::tasks
