#include "core/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace yardstick {
namespace {

// Length of the sequence that starts with `lead`, and the allowed range of its second byte.
struct Utf8Form {
  std::size_t length;
  unsigned char low;
  unsigned char high;
};

std::optional<Utf8Form> utf8_form(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return Utf8Form{2, 0x80, 0xBF};
  if (lead == 0xE0) return Utf8Form{3, 0xA0, 0xBF};
  if (lead == 0xED) return Utf8Form{3, 0x80, 0x9F};  // excludes the surrogates
  if (lead >= 0xE1 && lead <= 0xEF) return Utf8Form{3, 0x80, 0xBF};
  if (lead == 0xF0) return Utf8Form{4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return Utf8Form{4, 0x80, 0xBF};
  if (lead == 0xF4) return Utf8Form{4, 0x80, 0x8F};
  return std::nullopt;
}

// Insertions, deletions, substitutions and swaps of two neighbours, each as one edit (optimal
// string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitute});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// Bytes of the control character that `text` begins with: C0 and DEL take one, C1 (U+0080 to
/// U+009F) two. 0 if it begins with another.
std::size_t control_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x20 || first == 0x7F) return 1;
  if (first != 0xC2 || text.size() < 2) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  return second >= 0x80 && second <= 0x9F ? 2 : 0;
}

std::string escape_control(std::string_view control) {
  switch (control.front()) {
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\r': return "\\r";
    default: break;
  }
  // DEL and C1 as JSON writes them: its library leaves them raw, and its lines stay JSON this way.
  const auto last = static_cast<unsigned char>(control.back());
  return last >= 0x7F ? fmt::format("\\u00{:02x}", last) : fmt::format("\\x{:02x}", last);
}

/// `text` with its control characters written out, but for those in `kept`.
std::string escape(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  std::size_t valid = find_invalid_utf8(text).value_or(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (i == valid) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
      ++i;
      valid = i + find_invalid_utf8(text.substr(i)).value_or(text.size() - i);
      continue;
    }
    const std::size_t size = control_size(text.substr(i));
    if (size == 0 || kept.find(text[i]) != std::string_view::npos) {
      out += text[i++];
    } else {
      out += escape_control(text.substr(i, size));
      i += size;
    }
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) { return escape(text, ""); }

std::string escaped_lines(std::string_view text) { return escape(text, "\n\t"); }

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (control_size(text.substr(i)) > 0) return true;
  }
  return false;
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::optional<Utf8Form> form = utf8_form(lead);
    if (!form || i + form->length > text.size()) return i;
    const auto second = static_cast<unsigned char>(text[i + 1]);
    if (second < form->low || second > form->high) return i;
    for (std::size_t k = 2; k < form->length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return i;
    }
    i += form->length;
  }
  return std::nullopt;
}

std::int64_t count_code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

std::optional<std::string> nearest_name(std::string_view word,
                                        std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::optional<std::string> name = nearest_name(word, candidates);
  return name ? fmt::format(" (did you mean '{}'?)", *name) : "";
}

std::optional<std::int64_t> parse_length(std::string_view text) {
  double factor = 1;
  if (!text.empty() && (text.back() == 'k' || text.back() == 'K')) factor = 1024;
  if (!text.empty() && (text.back() == 'm' || text.back() == 'M')) factor = 1024.0 * 1024.0;
  if (factor > 1) text.remove_suffix(1);
  if (text.empty() || text.front() < '0' || text.front() > '9' || text.back() == '_') {
    return std::nullopt;
  }
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      digits += text[i];
    } else if (text[i - 1] == '_') {
      return std::nullopt;
    }
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  value *= factor;
  if (!(value >= 1) || value > std::ldexp(1.0, 40) || value != std::floor(value)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

std::string format_length(std::int64_t length_tokens) {
  constexpr std::int64_t kKilo = 1024;
  if (length_tokens >= kKilo && length_tokens % kKilo == 0) {
    return fmt::format("{}k", length_tokens / kKilo);
  }
  return fmt::format("{}", length_tokens);
}

}  // namespace yardstick
