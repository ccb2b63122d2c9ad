#include "tasks/template/letter_case.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <utf8proc.h>

#include "tasks/template/code_points.hpp"

namespace yardstick::tasks::jinja {
namespace {

using Letters = std::array<utf8proc_int32_t, 4>;

constexpr std::int32_t kCapitalSigma = 0x3A3;
constexpr std::int32_t kFinalSigma = 0x3C2;
constexpr std::int32_t kSmallSigma = 0x3C3;
constexpr std::int32_t kCapitalIWithDot = 0x130;

utf8proc_category_t category(std::int32_t c) { return utf8proc_category(c); }

// Letters of category Lm, Nl and So have case, too (Other_Lowercase, Other_Uppercase).
bool is_lower_letter(std::int32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LL || (c >= 0 && utf8proc_islower(c) != 0);
}
bool is_upper_letter(std::int32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LU || (c >= 0 && utf8proc_isupper(c) != 0);
}
bool is_title_letter(std::int32_t c) { return category(c) == UTF8PROC_CATEGORY_LT; }
bool is_cased(std::int32_t c) {
  return is_lower_letter(c) || is_upper_letter(c) || is_title_letter(c);
}

bool is_case_ignorable(std::int32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return true;
    default: break;
  }
  // Word_Break = MidLetter, MidNumLet, Single_Quote
  constexpr std::array<std::int32_t, 17> kInsideWords = {
      '\'',   '.',    ':',    0xB7,   0x387,  0x55F,  0x5F4,  0x2018, 0x2019,
      0x2024, 0x2027, 0xFE13, 0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A};
  return std::find(kInsideWords.begin(), kInsideWords.end(), c) != kInsideWords.end();
}

// The full case folding, where it has more than one letter and `c` is no capital: SpecialCasing's
// upper case of such a letter is the upper case of these. Otherwise empty.
std::span<const utf8proc_int32_t> unfolded(std::int32_t c, Letters& letters) {
  if (c < 0xDF || is_upper_letter(c)) return {};
  int boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(c, letters.data(), std::ssize(letters), UTF8PROC_CASEFOLD, &boundary);
  if (count < 2 || count > std::ssize(letters)) return {};
  return {letters.data(), static_cast<std::size_t>(count)};
}

void append_upper(std::string& out, std::int32_t c) {
  Letters letters{};
  const auto several = unfolded(c, letters);
  if (several.empty()) {
    append_code_point(out, utf8proc_toupper(c));
    return;
  }
  for (const utf8proc_int32_t letter : several) append_code_point(out, utf8proc_toupper(letter));
}

void append_title(std::string& out, std::int32_t c) {
  constexpr std::int32_t kIota = 0x3B9;
  constexpr std::int32_t kIotaBelow = 0x345;
  Letters letters{};
  const auto several = unfolded(c, letters);
  if (several.empty() || utf8proc_totitle(c) != c || is_title_letter(c)) {
    append_code_point(out, utf8proc_totitle(c));
    return;
  }
  bool capital_is_due = true;
  for (const utf8proc_int32_t letter : several) {
    const bool is_iota = !capital_is_due && letter == kIota;
    append_code_point(out, capital_is_due ? utf8proc_totitle(letter)
                           : is_iota      ? kIotaBelow
                                          : letter);
    if (is_cased(letter) && category(letter) != UTF8PROC_CATEGORY_LM) capital_is_due = false;
  }
}

// Unicode's Final_Sigma: a letter with case before it and none behind, ignoring what is ignorable.
bool is_final_sigma(const std::vector<std::string_view>& points, std::size_t at) {
  const auto value = [&](std::size_t i) { return first_code_point(points[i]).value; };
  std::size_t before = at;
  while (before > 0 && is_case_ignorable(value(before - 1))) --before;
  if (before == 0 || !is_cased(value(before - 1))) return false;
  std::size_t behind = at + 1;
  while (behind < points.size() && is_case_ignorable(value(behind))) ++behind;
  return behind == points.size() || !is_cased(value(behind));
}

void append_lower(std::string& out, const std::vector<std::string_view>& points, std::size_t at) {
  const std::int32_t c = first_code_point(points[at]).value;
  if (c == kCapitalSigma) {
    append_code_point(out, is_final_sigma(points, at) ? kFinalSigma : kSmallSigma);
  } else if (c == kCapitalIWithDot) {
    out += "i\u0307";
  } else {
    append_code_point(out, utf8proc_tolower(c));
  }
}

// Calls `append(out, points, i)` for each code point; bytes that are no UTF-8 stand as they are.
template <typename Append>
std::string mapped(std::string_view text, const Append& append) {
  const std::vector<std::string_view> points = code_points(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (first_code_point(points[i]).value < 0) {
      out += points[i];
    } else {
      append(out, points, i);
    }
  }
  return out;
}

template <typename Wanted, typename Other>
bool has_only(std::string_view text, const Wanted& wanted, const Other& other) {
  bool found = false;
  for (const std::string_view bytes : code_points(text)) {
    const std::int32_t c = first_code_point(bytes).value;
    if (other(c) || is_title_letter(c)) return false;
    found = found || wanted(c);
  }
  return found;
}

}  // namespace

std::string upper(std::string_view text) {
  return mapped(text, [](std::string& out, const auto& points, std::size_t i) {
    append_upper(out, first_code_point(points[i]).value);
  });
}

std::string lower(std::string_view text) {
  return mapped(text, [](std::string& out, const auto& points, std::size_t i) {
    append_lower(out, points, i);
  });
}

std::string title(std::string_view text) {
  bool follows_cased = false;
  return mapped(text, [&](std::string& out, const auto& points, std::size_t i) {
    const std::int32_t c = first_code_point(points[i]).value;
    if (follows_cased) {
      append_lower(out, points, i);
    } else {
      append_title(out, c);
    }
    follows_cased = is_cased(c);
  });
}

std::string capitalize(std::string_view text) {
  return mapped(text, [](std::string& out, const auto& points, std::size_t i) {
    if (i == 0) {
      append_title(out, first_code_point(points[i]).value);
    } else {
      append_lower(out, points, i);
    }
  });
}

std::string swap_case(std::string_view text) {
  return mapped(text, [](std::string& out, const auto& points, std::size_t i) {
    const std::int32_t c = first_code_point(points[i]).value;
    if (is_upper_letter(c)) {
      append_lower(out, points, i);
    } else if (is_lower_letter(c)) {
      append_upper(out, c);
    } else {
      out += points[i];
    }
  });
}

bool is_upper(std::string_view text) { return has_only(text, is_upper_letter, is_lower_letter); }
bool is_lower(std::string_view text) { return has_only(text, is_lower_letter, is_upper_letter); }

}  // namespace yardstick::tasks::jinja
