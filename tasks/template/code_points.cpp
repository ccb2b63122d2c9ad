#include "tasks/template/code_points.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <utf8proc.h>

namespace yardstick::tasks::jinja {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

utf8proc_category_t category(std::int32_t c) { return utf8proc_category(c); }

// The last code point of `text`, which is not empty.
CodePoint last_code_point(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && text.size() - begin < 4 && is_continuation(text[begin])) --begin;
  const CodePoint found = first_code_point(text.substr(begin));
  if (begin + found.size == text.size()) return found;
  return {.value = -1, .size = 1};
}

template <typename Drop>
std::string_view drop_left(std::string_view text, const Drop& drop) {
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (!drop(c, text.substr(0, c.size))) break;
    text.remove_prefix(c.size);
  }
  return text;
}

template <typename Drop>
std::string_view drop_right(std::string_view text, const Drop& drop) {
  while (!text.empty()) {
    const CodePoint c = last_code_point(text);
    if (!drop(c, text.substr(text.size() - c.size))) break;
    text.remove_suffix(c.size);
  }
  return text;
}

// Characters that are digits but no decimal digits (Numeric_Type=Digit): superscripts, circled.
constexpr std::array<std::pair<std::int32_t, std::int32_t>, 20> kOtherDigits = {{
    {0xB2, 0xB3},       {0xB9, 0xB9},       {0x1369, 0x1371},   {0x19DA, 0x19DA},
    {0x2070, 0x2070},   {0x2074, 0x2079},   {0x2080, 0x2089},   {0x2460, 0x2468},
    {0x2474, 0x247C},   {0x2488, 0x2490},   {0x24EA, 0x24EA},   {0x24F5, 0x24FD},
    {0x24FF, 0x24FF},   {0x2776, 0x277E},   {0x2780, 0x2788},   {0x278A, 0x2792},
    {0x10A40, 0x10A43}, {0x10E60, 0x10E68}, {0x11052, 0x1105A}, {0x1F100, 0x1F10A},
}};

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {.value = lead, .size = 1};
  utf8proc_int32_t value = -1;
  const utf8proc_ssize_t size = utf8proc_iterate(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
      static_cast<utf8proc_ssize_t>(std::min<std::size_t>(text.size(), 4)), &value);
  if (size <= 0) return {.value = -1, .size = 1};
  return {.value = value, .size = static_cast<std::size_t>(size)};
}

std::vector<std::string_view> code_points(std::string_view text) {
  std::vector<std::string_view> out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = first_code_point(text).size;
    out.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

void append_code_point(std::string& out, std::int32_t code_point) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const utf8proc_ssize_t size = utf8proc_encode_char(code_point, bytes.data());
  out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
}

std::int64_t length_of(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); });
}

std::size_t offset_of(std::string_view text, std::int64_t index) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (is_continuation(text[at])) continue;
    if (index-- == 0) break;
  }
  return at;
}

bool is_space(std::int32_t c) {
  if (c < 0x80) return (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= ' ');
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_letter(std::int32_t c) {
  const utf8proc_category_t found = category(c);
  return found >= UTF8PROC_CATEGORY_LU && found <= UTF8PROC_CATEGORY_LO;
}

bool is_digit(std::int32_t c) {
  return category(c) == UTF8PROC_CATEGORY_ND ||
         std::any_of(kOtherDigits.begin(), kOtherDigits.end(),
                     [&](const auto& range) { return c >= range.first && c <= range.second; });
}

bool is_numeral(std::int32_t c) {
  const utf8proc_category_t found = category(c);
  return found >= UTF8PROC_CATEGORY_ND && found <= UTF8PROC_CATEGORY_NO;
}

bool is_printable(std::int32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return false;
    case UTF8PROC_CATEGORY_ZS: return c == ' ';
    default: return true;
  }
}

bool is_word(std::int32_t c) { return c == '_' || is_letter(c) || is_numeral(c); }

bool is_name_part(std::int32_t c) {
  const utf8proc_category_t found = category(c);
  return is_word(c) || found == UTF8PROC_CATEGORY_MN || found == UTF8PROC_CATEGORY_MC;
}

int decimal_value(std::int32_t c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (category(c) != UTF8PROC_CATEGORY_ND) return -1;
  // A script's decimal digits are ten neighbours from 0 to 9. Only the mathematical ones follow
  // each other without a gap.
  if (c >= 0x1D7CE && c <= 0x1D7FF) return (c - 0x1D7CE) % 10;
  std::int32_t zero = c;
  while (c - zero < 9 && category(zero - 1) == UTF8PROC_CATEGORY_ND) --zero;
  return c - zero;
}

std::string_view strip_left(std::string_view text) {
  return drop_left(text, [](const CodePoint& c, std::string_view) { return is_space(c.value); });
}

std::string_view strip_right(std::string_view text) {
  return drop_right(text, [](const CodePoint& c, std::string_view) { return is_space(c.value); });
}

std::string_view strip(std::string_view text) { return strip_left(strip_right(text)); }

std::string_view strip_left(std::string_view text, std::string_view set) {
  return drop_left(text, [&](const CodePoint&, std::string_view bytes) {
    return set.find(bytes) != std::string_view::npos;
  });
}

std::string_view strip_right(std::string_view text, std::string_view set) {
  return drop_right(text, [&](const CodePoint&, std::string_view bytes) {
    return set.find(bytes) != std::string_view::npos;
  });
}

}  // namespace yardstick::tasks::jinja
