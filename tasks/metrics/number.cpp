#include "tasks/metrics/number.hpp"

#include <algorithm>
#include <cstddef>

#include "tasks/metrics/characters.hpp"

namespace yardstick::tasks {
namespace {

constexpr char32_t kMinusSign = 0x2212;
constexpr std::size_t kMaxExponentDigits = 9;

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool is_sign(char32_t c) { return c == U'+' || c == U'-' || c == kMinusSign; }

// Reads one text from left to right; past its end stands U+0000.
class Scanner {
 public:
  explicit Scanner(std::u32string_view text) : text_(text) {}

  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] char32_t peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : U'\0';
  }
  [[nodiscard]] char32_t before() const { return at_ > 0 ? text_[at_ - 1] : U'\0'; }
  char32_t next() { return text_[at_++]; }

 private:
  std::u32string_view text_;
  std::size_t at_ = 0;
};

std::string take_digits(Scanner& text) {
  std::string digits;
  while (is_digit(text.peek())) digits += static_cast<char>(text.next());
  return digits;
}

// "1", "1234", "1,234,567"; nothing if a ',' stands before other than three digits.
std::optional<std::string> take_whole(Scanner& text) {
  std::string digits = take_digits(text);
  const std::size_t first_group = digits.size();
  while (text.peek() == U',' && is_digit(text.peek(1))) {
    text.next();
    const std::string group = take_digits(text);
    if (group.size() != 3 || first_group > 3 || first_group == 0) return std::nullopt;
    digits += group;
  }
  return digits;
}

std::optional<std::int64_t> take_exponent(Scanner& text) {
  if (text.peek() != U'e' && text.peek() != U'E') return 0;
  const bool is_signed = is_sign(text.peek(1));
  if (!is_digit(text.peek(is_signed ? 2 : 1))) return 0;
  text.next();
  const bool negative = is_signed && text.next() != U'+';
  const std::string digits = take_digits(text);
  if (digits.size() > kMaxExponentDigits) return std::nullopt;
  return negative ? -std::stoll(digits) : std::stoll(digits);
}

Decimal canonical(bool negative, std::string digits, std::int64_t exponent) {
  const std::size_t last = digits.find_last_not_of('0');
  if (last == std::string::npos) return {};
  exponent += static_cast<std::int64_t>(digits.size() - last - 1);
  digits.erase(last + 1);
  digits.erase(0, digits.find_first_not_of('0'));
  return {.negative = negative, .digits = std::move(digits), .exponent = exponent};
}

bool continues(const Scanner& text) {
  const char32_t c = text.peek();
  return is_word_character(c) || ((c == U'.' || c == U',') && is_digit(text.peek(1)));
}

// At a digit, a '.' before one or a sign before either. Nothing if what begins here is no number.
std::optional<Decimal> take_number(Scanner& text) {
  const bool negative = is_sign(text.peek()) && text.next() != U'+';
  std::optional<std::string> digits = take_whole(text);
  if (!digits) return std::nullopt;
  std::int64_t exponent = 0;
  if (text.peek() == U'.' && is_digit(text.peek(1))) {
    text.next();
    const std::string decimals = take_digits(text);
    *digits += decimals;
    exponent -= static_cast<std::int64_t>(decimals.size());
  }
  const std::optional<std::int64_t> power = take_exponent(text);
  if (!power || digits->empty() || continues(text)) return std::nullopt;
  return canonical(negative, std::move(*digits), exponent + *power);
}

bool begins_number(const Scanner& text) {
  const bool attached = is_word_character(text.before());
  if (is_digit(text.peek())) return !attached;
  if (attached) return false;
  const std::size_t sign = is_sign(text.peek()) ? 1 : 0;
  return is_digit(text.peek(sign)) || (text.peek(sign) == U'.' && is_digit(text.peek(sign + 1)));
}

}  // namespace

std::optional<Decimal> parse_number(std::string_view text) {
  const std::u32string points = code_points(trim(text));
  Scanner scanner(points);
  if (!begins_number(scanner)) return std::nullopt;
  std::optional<Decimal> number = take_number(scanner);
  // "12." is how a sentence ends, but also a way to write a number.
  if (number && scanner.peek() == U'.') scanner.next();
  return scanner.done() ? number : std::nullopt;
}

std::vector<Decimal> numbers_in(std::string_view text) {
  const std::u32string points = code_points(text);
  Scanner scanner(points);
  std::vector<Decimal> numbers;
  while (!scanner.done()) {
    if (!begins_number(scanner)) {
      scanner.next();
      continue;
    }
    if (std::optional<Decimal> number = take_number(scanner)) {
      numbers.push_back(std::move(*number));
      continue;
    }
    // No number: pass over all that hangs together with it.
    while (!scanner.done() && continues(scanner)) scanner.next();
  }
  return numbers;
}

}  // namespace yardstick::tasks
