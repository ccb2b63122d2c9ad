#include "tasks/metrics/characters.hpp"

#include <utf8proc.h>

#include <array>

namespace yardstick::tasks {
namespace {

constexpr char32_t kCapitalIDotted = 0x130;
constexpr char32_t kDotAbove = 0x307;
constexpr char32_t kCapitalSigma = 0x3A3;
constexpr char32_t kSmallSigma = 0x3C3;
constexpr char32_t kFinalSigma = 0x3C2;
constexpr char32_t kReplacement = 0xFFFD;

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool is_cased(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL ||
         kind == UTF8PROC_CATEGORY_LT;
}

// Case_Ignorable: marks, format characters, modifiers, and the punctuation that stands in words.
bool is_case_ignorable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return true;
    default: break;
  }
  constexpr std::u32string_view kInWords = U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027";
  return kInWords.find(c) != std::u32string_view::npos;
}

// SpecialCasing's Final_Sigma: a cased letter before, none after, case-ignorable ones passed over.
bool ends_a_word(std::u32string_view text, std::size_t i) {
  std::size_t before = i;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  std::size_t after = i + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

// Length of the white-space character that `text` begins with, or 0.
std::size_t leading_space(std::string_view text) {
  utf8proc_int32_t c = 0;
  const utf8proc_ssize_t size =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &c);
  return size > 0 && is_space(static_cast<char32_t>(c)) ? static_cast<std::size_t>(size) : 0;
}

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    utf8proc_int32_t c = 0;
    const utf8proc_ssize_t size =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + i,
                         static_cast<utf8proc_ssize_t>(text.size() - i), &c);
    points.push_back(size > 0 ? static_cast<char32_t>(c) : kReplacement);
    i += size > 0 ? static_cast<std::size_t>(size) : 1;
  }
  return points;
}

std::string to_utf8(std::u32string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (const char32_t c : text) {
    std::array<utf8proc_uint8_t, 4> unit{};
    const utf8proc_ssize_t size =
        utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), unit.data());
    bytes.append(unit.begin(), unit.begin() + size);
  }
  return bytes;
}

bool is_letter_or_number(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return true;
    default: return false;
  }
}

bool is_decimal_digit(char32_t c) { return category(c) == UTF8PROC_CATEGORY_ND; }

bool is_word_character(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return true;
    default: return is_letter_or_number(c);
  }
}

bool is_space(char32_t c) {
  if ((c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85) return true;
  if (c < 0x80) return false;
  const utf8proc_category_t kind = category(c);
  return kind == UTF8PROC_CATEGORY_ZS || kind == UTF8PROC_CATEGORY_ZL ||
         kind == UTF8PROC_CATEGORY_ZP;
}

bool is_ascii_punctuation(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

std::u32string lower(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c == kCapitalIDotted) {
      out.push_back(U'i');
      out.push_back(kDotAbove);
    } else if (c == kCapitalSigma) {
      out.push_back(ends_a_word(text, i) ? kFinalSigma : kSmallSigma);
    } else {
      out.push_back(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
    }
  }
  return out;
}

std::string lower(std::string_view text) { return to_utf8(lower(code_points(text))); }

std::string_view trim(std::string_view text) {
  while (const std::size_t size = leading_space(text)) text.remove_prefix(size);
  while (!text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) --start;
    if (leading_space(text.substr(start)) == 0) break;
    text = text.substr(0, start);
  }
  return text;
}

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
