#include "reports/format.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"

namespace yardstick::reports {

std::string value_text(std::string_view metric, std::optional<double> value) {
  if (!value || std::isnan(*value)) return "";
  if (*value > 1e30) return ">1e30";
  if (is_share(metric)) return fmt::format("{:.1f} %", 100.0 * *value);
  if (std::abs(*value) >= 1e5) return fmt::format("{:.2e}", *value);
  if (std::abs(*value) >= 100) return fmt::format("{:.0f}", *value);
  if (std::abs(*value) >= 10) return fmt::format("{:.1f}", *value);
  return fmt::format("{:.3f}", *value);
}

std::string interval_text(const Metric& metric) {
  std::string text = value_text(metric.name, metric.value);
  if (text.empty() || !metric.ci_low || !metric.ci_high) return text;
  return text + fmt::format(" [{}, {}]", value_text(metric.name, metric.ci_low),
                            value_text(metric.name, metric.ci_high));
}

std::string escape_html(std::string_view text) {
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

std::string escape_markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\`*_{}[]<>|#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string csv_text(std::string_view text) {
  std::string field(text);
  if (!field.empty() &&
      std::string_view("=+-@\t\r").find(field.front()) != std::string_view::npos) {
    field.insert(field.begin(), '\'');
  }
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) {
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
