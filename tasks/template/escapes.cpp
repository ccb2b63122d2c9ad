#include "tasks/template/escapes.hpp"

#include <charconv>
#include <cstdint>

#include "tasks/template/code_points.hpp"

namespace yardstick::tasks::jinja {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// Reads exactly `digits` hexadecimal digits from the front of `rest`.
std::optional<std::int32_t> take_hex(std::string_view& rest, std::size_t digits) {
  if (rest.size() < digits) return std::nullopt;
  std::uint32_t value = 0;
  const char* const end = rest.data() + digits;
  const auto [next, error] = std::from_chars(rest.data(), end, value, 16);
  if (error != std::errc() || next != end || value > 0x10FFFF) return std::nullopt;
  if (value >= 0xD800 && value <= 0xDFFF) return std::nullopt;
  rest.remove_prefix(digits);
  return static_cast<std::int32_t>(value);
}

std::int32_t take_octal(std::string_view& rest) {
  std::int32_t value = 0;
  for (int i = 0; i < 3 && !rest.empty() && is_octal(rest.front()); ++i) {
    value = value * 8 + (rest.front() - '0');
    rest.remove_prefix(1);
  }
  return value;
}

}  // namespace

std::optional<std::string> decode_escapes(std::string_view body) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  std::string out;
  while (!body.empty()) {
    const std::size_t backslash = std::min(body.find('\\'), body.size());
    out += body.substr(0, backslash);
    body.remove_prefix(backslash);
    if (body.empty()) break;
    body.remove_prefix(1);
    if (body.empty()) return std::nullopt;
    if (is_octal(body.front())) {
      append_code_point(out, take_octal(body));
      continue;
    }
    const char letter = body.front();
    body.remove_prefix(1);
    if (letter == '\n') continue;
    if (const std::size_t known = kLetters.find(letter); known != std::string_view::npos) {
      out += kMeanings[known];
    } else if (letter == 'x' || letter == 'u' || letter == 'U') {
      const auto code_point = take_hex(body, letter == 'x' ? 2 : letter == 'u' ? 4 : 8);
      if (!code_point) return std::nullopt;
      append_code_point(out, *code_point);
    } else if (letter == 'N') {
      return std::nullopt;
    } else {
      out += '\\';
      out += letter;
    }
  }
  return out;
}

}  // namespace yardstick::tasks::jinja
