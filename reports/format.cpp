#include "reports/format.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"

namespace yardstick::reports {

namespace {

/// One character of a text: its bytes, and its code point; nothing for a byte that is no UTF-8.
struct Character {
  std::string_view bytes;
  std::optional<char32_t> code_point;
};

Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const std::string_view bytes = text.substr(0, size);
  if (bytes.size() < size || find_invalid_utf8(bytes)) return {text.substr(0, 1), std::nullopt};
  char32_t code_point = size == 1 ? lead : lead & (0xFFU >> (size + 1));
  for (const char c : bytes.substr(1))
    code_point = (code_point << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  return {bytes, code_point};
}

/// Characters that a terminal or a page acts upon instead of showing them.
bool is_hidden(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200E && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/// `text` with `escape` for each character that shows, and escapes in the place of the others.
template <typename Escape>
std::string shown(std::string_view text, const Escape& escape) {
  std::string out;
  while (!text.empty()) {
    const Character next = first_character(text);
    text.remove_prefix(next.bytes.size());
    if (!next.code_point) {
      out += escape(fmt::format("\\x{:02x}", static_cast<unsigned char>(next.bytes.front())));
    } else if (is_hidden(*next.code_point)) {
      const auto code = static_cast<std::uint32_t>(*next.code_point);
      out += escape(code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code));
    } else {
      out += escape(next.bytes);
    }
  }
  return out;
}

std::string html_characters(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string markdown_characters(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
      continue;
    }
    if (std::string_view("\\`*_{}[]<>|#~$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// Line breaks and tabs as spaces: they lay text out, and a name has nothing to lay out.
std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return line;
}

}  // namespace

std::string value_text(tasks::Meaning::Unit unit, std::optional<double> value) {
  if (!value || std::isnan(*value)) return "";
  if (*value > 1e30) return ">1e30";
  if (unit == tasks::Meaning::Unit::kShare) return fmt::format("{:.1f} %", 100.0 * *value);
  if (std::abs(*value) >= 1e5) return fmt::format("{:.2e}", *value);
  if (std::abs(*value) >= 100) return fmt::format("{:.0f}", *value);
  if (std::abs(*value) >= 10) return fmt::format("{:.1f}", *value);
  return fmt::format("{:.3f}", *value);
}

std::string interval_text(const Metric& metric) {
  const tasks::Meaning::Unit unit = metric.meaning.unit;
  std::string text = value_text(unit, metric.value);
  if (text.empty() || !metric.ci_low || !metric.ci_high) return text;
  return text + fmt::format(" [{}, {}]", value_text(unit, metric.ci_low),
                            value_text(unit, metric.ci_high));
}

std::string_view direction_mark(tasks::Meaning::Better better) {
  switch (better) {
    case tasks::Meaning::Better::kHigher: return "↑";
    case tasks::Meaning::Better::kLower: return "↓";
    case tasks::Meaning::Better::kNeither: break;
  }
  return "";
}

std::string hits_text(const Metric& metric) {
  if (!metric.value) return "";
  const double hits = *metric.value * static_cast<double>(metric.n);
  const double whole = std::round(hits);
  return std::abs(hits - whole) < 1e-6 ? fmt::format("{:.0f}/{}", whole, metric.n)
                                       : fmt::format("{:.1f}/{}", hits, metric.n);
}

std::string plural_text(std::int64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string escape_html(std::string_view text) { return shown(one_line(text), html_characters); }

std::string escape_markdown(std::string_view text) {
  return shown(one_line(text), markdown_characters);
}

std::string code_markdown(std::string_view text) {
  const std::string line =
      shown(one_line(text), [](std::string_view part) { return std::string(part); });
  // A fence of more backticks than stand anywhere in the text.
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : line) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string_view air = longest > 0 ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, air, line, air, fence);
}

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_number(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string count_text(std::int64_t count) {
  const auto value = static_cast<double>(count);
  if (count >= 1'000'000'000) return fmt::format("{:.2f}B", value / 1e9);
  if (count >= 1'000'000) return fmt::format("{:.2f}M", value / 1e6);
  if (count >= 10'000) return fmt::format("{:.1f}k", value / 1e3);
  return fmt::format("{}", count);
}

std::string length_ratio_text(std::int64_t length, std::optional<std::int64_t> training) {
  if (!training || *training <= 0) return format_length(length);
  const double ratio = static_cast<double>(length) / static_cast<double>(*training);
  return fmt::format("{} ({:.3g}x)", format_length(length), ratio);
}

}  // namespace yardstick::reports
