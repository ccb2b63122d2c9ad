#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tasks/template/code_points.hpp"
#include "tasks/template/filters.hpp"
#include "tasks/template/operators.hpp"
#include "tasks/template/real_text.hpp"

namespace yardstick::tasks::jinja {
namespace {

using Call = Invocation;

// The digits of `text` as ASCII, without white space at the ends and without underscores between
// digits; nothing if it cannot be a number.
std::optional<std::string> plain_digits(std::string_view text) {
  std::string out;
  bool follows_digit = false;
  const std::vector<std::string_view> points = code_points(strip(text));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::int32_t c = first_code_point(points[i]).value;
    const int digit = decimal_value(c);
    const bool is_letter_digit = c < 0x80 && std::isalpha(c) != 0;
    if (digit >= 0) {
      out += static_cast<char>('0' + digit);
    } else if (c == '_') {
      if (!follows_digit || i + 1 == points.size() || points[i + 1] == "_") return std::nullopt;
      follows_digit = false;
      continue;
    } else if (c >= 0x80) {
      return std::nullopt;
    } else {
      out += static_cast<char>(c);
    }
    follows_digit = digit >= 0 || is_letter_digit;
  }
  return out;
}

// int(text, base)
std::optional<Integer> parse_integer(std::string_view text, std::int64_t base) {
  const std::optional<std::string> written = plain_digits(text);
  if (!written) return std::nullopt;
  std::string_view digits = *written;
  const bool is_negative = digits.starts_with('-');
  if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
  const std::string_view letter = base == 16 ? "xX" : base == 8 ? "oO" : base == 2 ? "bB" : "";
  if (digits.size() > 2 && digits[0] == '0' && letter.find(digits[1]) != std::string_view::npos) {
    digits.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [next, error] = std::from_chars(digits.data(), end, value, static_cast<int>(base));
  if (digits.empty() || next != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) throw Fault("an integer lies beyond 64 bits");
  if (error != std::errc()) return std::nullopt;
  return is_negative ? -Integer{value} : Integer{value};
}

// float(text)
std::optional<double> parse_float(std::string_view text) {
  std::optional<std::string> written = plain_digits(text);
  if (!written) return std::nullopt;
  for (char& c : *written) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string_view digits = *written;
  const bool is_negative = digits.starts_with('-');
  if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
  std::optional<double> value;
  if (digits == "inf" || digits == "infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (digits == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (!digits.empty() &&
             digits.find_first_not_of("0123456789.e+-") == std::string_view::npos &&
             digits.front() != '-' && digits.front() != '+') {
    value = parse_real(std::string(digits));
  }
  if (value && is_negative) value = -*value;
  return value;
}

std::optional<Integer> truncated(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  if (std::fabs(value) >= 18446744073709551616.0) throw Fault("an integer lies beyond 64 bits");
  return static_cast<Integer>(value);
}

std::optional<double> to_float(const Value& value) {
  if (const std::string* text = value.as_text()) return parse_float(*text);
  return as_number(value);
}

std::optional<Integer> to_integer(const Value& value, std::int64_t base) {
  if (const std::string* text = value.as_text()) {
    if (const auto number = parse_integer(*text, base)) return number;
  }
  if (const std::optional<Integer> number = as_integer(value)) return number;
  const std::optional<double> number = to_float(value);
  return number ? truncated(*number) : std::nullopt;
}

Value int_filter(const Call& call) {
  require_defined(call.subject);
  const std::int64_t base = call.integer(1, 10);
  if (base < 2 || base > 36)
    throw Fault(fmt::format("the base of int is {}, expected 2 to 36", base));
  if (const auto number = to_integer(call.subject, base)) return Value::integer(*number);
  return call.has(0) ? call.get(0) : Value(Integer{0});
}

Value float_filter(const Call& call) {
  require_defined(call.subject);
  if (const auto number = to_float(call.subject)) return {*number};
  return call.has(0) ? call.get(0) : Value(0.0);
}

Value absolute(const Call& call) {
  require_defined(call.subject);
  if (const std::optional<Integer> number = as_integer(call.subject)) {
    return Value::integer(*number < 0 ? -*number : *number);
  }
  if (const double* number = call.subject.as<double>()) return {std::fabs(*number)};
  throw Fault(fmt::format("abs expects a number, found {}", call.subject.type_name()));
}

// round(value, precision): half to even in the exact binary value, which printing gives as well.
double rounded(double value, std::int64_t precision) {
  if (!std::isfinite(value) || precision > 323) return value;
  return parse_real(fmt::format("{:.{}f}", value, precision)).value();
}

Value round_filter(const Call& call) {
  require_defined(call.subject);
  const std::int64_t precision = call.integer(0, 0);
  const std::string method = call.text(1, "common");
  if (method != "common" && method != "ceil" && method != "floor") {
    throw Fault(fmt::format("the method of round is '{}', expected common, ceil or floor", method));
  }
  const std::optional<double> number = as_number(call.subject);
  if (!number)
    throw Fault(fmt::format("round expects a number, found {}", call.subject.type_name()));
  if (precision < 0) throw Fault("a negative precision of round is not supported");
  const bool is_whole = as_integer(call.subject).has_value();
  if (method == "common")
    return is_whole ? Value(*as_integer(call.subject)) : Value(rounded(*number, precision));
  if (precision > 15) throw Fault("round to more than 15 digits by ceil or floor is not supported");
  const double scale = std::pow(10.0, static_cast<double>(precision));
  const double scaled = *number * scale;
  if (!(std::fabs(scaled) < 9007199254740992.0)) {
    throw Fault("the number is too large to round by ceil or floor");
  }
  return {(method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale};
}

constexpr auto kFilters = std::to_array<Callable>({
    {"int", {"default", "base"}, 0, &int_filter},
    {"float", {"default"}, 0, &float_filter},
    {"abs", {}, 0, &absolute},
    {"round", {"precision", "method"}, 0, &round_filter},
});

}  // namespace

std::span<const Callable> number_filters() { return kFilters; }

}  // namespace yardstick::tasks::jinja
