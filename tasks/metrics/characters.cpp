#include "tasks/metrics/characters.hpp"

#include <utf8proc.h>

#include "tasks/template/code_points.hpp"
#include "tasks/template/letter_case.hpp"

namespace yardstick::tasks {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

std::int32_t signed_of(char32_t c) { return static_cast<std::int32_t>(c); }

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  while (!text.empty()) {
    const jinja::CodePoint c = jinja::first_code_point(text);
    points.push_back(c.value < 0 ? kReplacement : static_cast<char32_t>(c.value));
    text.remove_prefix(c.size);
  }
  return points;
}

std::string to_utf8(std::u32string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (const char32_t c : text) jinja::append_code_point(bytes, signed_of(c));
  return bytes;
}

bool is_letter_or_number(char32_t c) {
  return jinja::is_letter(signed_of(c)) || jinja::is_numeral(signed_of(c));
}

bool is_decimal_digit(char32_t c) {
  return utf8proc_category(signed_of(c)) == UTF8PROC_CATEGORY_ND;
}

bool is_word_character(char32_t c) {
  switch (utf8proc_category(signed_of(c))) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return true;
    default: return is_letter_or_number(c);
  }
}

bool is_space(char32_t c) { return jinja::is_space(signed_of(c)); }

bool is_ascii_punctuation(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

std::u32string lower(std::u32string_view text) { return code_points(jinja::lower(to_utf8(text))); }

std::string lower(std::string_view text) { return jinja::lower(to_utf8(code_points(text))); }

std::string_view trim(std::string_view text) { return jinja::strip(text); }

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::u32string word;
  for (const char32_t c : code_points(text)) {
    if (!is_space(c)) {
      word.push_back(c);
    } else if (!word.empty()) {
      words.push_back(to_utf8(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(to_utf8(word));
  return words;
}

}  // namespace yardstick::tasks
