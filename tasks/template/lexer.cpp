#include "tasks/template/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "tasks/template/code_points.hpp"
#include "tasks/template/escapes.hpp"
#include "tasks/template/fault.hpp"
#include "tasks/template/real_text.hpp"

namespace yardstick::tasks::jinja {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Longer operators first.
constexpr std::array<std::string_view, 25> kOperators = {
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
    "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ","};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) {
      const std::size_t begin = find_tag();
      data(begin);
      if (at_ == source_.size()) break;
      tag();
    }
    add(TokenKind::kEnd, source_.size());
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] std::string_view rest() const { return source_.substr(at_); }
  [[nodiscard]] bool at(std::string_view text) const { return rest().starts_with(text); }

  Token& add(TokenKind kind, std::size_t offset, std::string text = {}) {
    tokens_.push_back({.kind = kind, .text = std::move(text), .number = {}, .offset = offset});
    return tokens_.back();
  }

  [[nodiscard]] std::size_t find_tag() const {
    for (std::size_t i = at_; i + 1 < source_.size(); ++i) {
      const char second = source_[i + 1];
      if (source_[i] == '{' && (second == '{' || second == '%' || second == '#')) return i;
    }
    return source_.size();
  }

  // Text up to the tag at `end`, less what its '-' takes away.
  void data(std::size_t end) {
    std::string_view text = source_.substr(at_, end - at_);
    const bool strips = end + 2 < source_.size() && source_[end + 2] == '-';
    if (strips) text = strip_right(text);
    if (!text.empty()) add(TokenKind::kData, at_, std::string(text));
    at_ = end;
  }

  void tag() {
    const std::size_t begin = at_;
    const char kind = source_[at_ + 1];
    at_ += 2;
    if (!rest().empty() && (source_[at_] == '-' || source_[at_] == '+')) ++at_;
    if (kind == '#') return comment(begin);
    if (kind == '%' && raw(begin)) return;
    const bool prints = kind == '{';
    tag_ = begin;
    add(prints ? TokenKind::kPrintBegin : TokenKind::kBlockBegin, begin);
    const std::size_t brackets = brackets_.size();
    while (!end_of_tag(prints)) {
      if (at_ == source_.size()) not_closed();
      token();
    }
    brackets_.resize(brackets);
  }

  // '-' before the end of a tag takes the white space behind it.
  void close(std::string_view end, bool strips) {
    at_ += end.size();
    if (strips) at_ = source_.size() - strip_left(rest()).size();
  }

  bool end_of_tag(bool prints) {
    at_ = source_.size() - strip_left(rest()).size();
    if (!brackets_.empty()) return false;
    const std::string_view end = prints ? "}}" : "%}";
    const std::size_t begin = at_;
    const bool strips = at("-") && source_.substr(at_ + 1).starts_with(end);
    const bool keeps = !prints && at("+") && source_.substr(at_ + 1).starts_with(end);
    if (strips || keeps) ++at_;
    if (!at(end)) {
      at_ = begin;
      return false;
    }
    close(end, strips);
    add(prints ? TokenKind::kPrintEnd : TokenKind::kBlockEnd, begin);
    return true;
  }

  void comment(std::size_t begin) {
    const std::size_t end = source_.find("#}", at_);
    if (end == std::string_view::npos) throw Fault("'{#' is not closed by '#}'", begin);
    const bool strips = end > at_ && source_[end - 1] == '-';
    at_ = end;
    close("#}", strips);
  }

  // Reads "{% word %}" with its '-' and '+' from `from` on; the offset behind it, or 0.
  std::size_t one_word_block(std::size_t from, std::string_view word, bool& strips) const {
    std::string_view text = strip_left(source_.substr(from));
    if (!text.starts_with(word)) return 0;
    text = strip_left(text.substr(word.size()));
    strips = text.starts_with("-");
    if (strips || text.starts_with("+")) text.remove_prefix(1);
    return text.starts_with("%}") ? source_.size() - text.size() + 2 : 0;
  }

  bool raw(std::size_t begin) {
    bool strips = false;
    const std::size_t behind = one_word_block(at_, "raw", strips);
    if (behind == 0) return false;
    at_ = behind;
    if (strips) close("", true);
    for (std::size_t end = source_.find("{%", at_); end != std::string_view::npos;
         end = source_.find("{%", end + 1)) {
      const bool is_marked =
          end + 2 < source_.size() && (source_[end + 2] == '-' || source_[end + 2] == '+');
      const std::size_t next = one_word_block(end + (is_marked ? 3 : 2), "endraw", strips);
      if (next == 0) continue;
      data(end);
      at_ = next;
      if (strips) close("", true);
      return true;
    }
    throw Fault("'{% raw %}' is not closed by '{% endraw %}'", begin);
  }

  [[noreturn]] void not_closed() const {
    const std::string_view begin = source_.substr(tag_, 2);
    throw Fault(fmt::format("'{}' is not closed by '{}'", begin, begin == "{{" ? "}}" : "%}"),
                tag_);
  }

  // What cannot stand in a tag, at `at_`; a tag that ends nowhere before the next one has run into
  // the text behind it.
  [[noreturn]] void unexpected(const std::string& what) const {
    const std::string_view inside = source_.substr(at_);
    const std::size_t next = std::min(inside.find("{{"), inside.find("{%"));
    const bool prints = source_.substr(tag_, 2) == "{{";
    if (inside.substr(0, next).find(prints ? "}}" : "%}") == std::string_view::npos) not_closed();
    throw Fault(what, at_);
  }

  void token() {
    const char c = source_[at_];
    if (is_digit(c)) return number();
    if (c == '\'' || c == '"') return literal();
    const CodePoint point = first_code_point(rest());
    if (is_name_part(point.value)) return name();
    for (const std::string_view text : kOperators) {
      if (at(text)) return operator_token(text);
    }
    unexpected(fmt::format("unexpected character '{}'", rest().substr(0, point.size)));
  }

  void operator_token(std::string_view text) {
    if (text == "(") brackets_ += ')';
    if (text == "[") brackets_ += ']';
    if (text == "{") brackets_ += '}';
    if (text == ")" || text == "]" || text == "}") {
      if (brackets_.empty() || brackets_.back() != text.front()) {
        unexpected(brackets_.empty()
                       ? fmt::format("unexpected '{}'", text)
                       : fmt::format("unexpected '{}', expected '{}'", text, brackets_.back()));
      }
      brackets_.pop_back();
    }
    add(TokenKind::kOperator, at_, std::string(text));
    at_ += text.size();
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < source_.size()) {
      const CodePoint point = first_code_point(rest());
      if (!is_name_part(point.value)) break;
      at_ += point.size;
    }
    add(TokenKind::kName, begin, std::string(source_.substr(begin, at_ - begin)));
  }

  void literal() {
    const std::size_t begin = at_;
    const char quote = source_[at_];
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size())
      throw Fault(fmt::format("the text is not closed by {}", quote), begin);
    std::optional<std::string> decoded = decode_escapes(source_.substr(begin + 1, end - begin - 1));
    if (!decoded) throw Fault("the text has a backslash escape that cannot be read", begin);
    at_ = end + 1;
    add(TokenKind::kText, begin, std::move(*decoded));
  }

  // The digits from `from` on, among which single underscores may stand.
  [[nodiscard]] std::size_t digits_end(std::size_t from, std::string_view allowed) const {
    const auto is_allowed = [&](std::size_t i) {
      return i < source_.size() && allowed.find(source_[i]) != std::string_view::npos;
    };
    std::size_t end = from;
    while (is_allowed(end) ||
           (end > from && end < source_.size() && source_[end] == '_' && is_allowed(end + 1))) {
      ++end;
    }
    return end;
  }

  void number() {
    constexpr std::string_view kDecimal = "0123456789";
    const std::size_t begin = at_;
    const char letter = at_ + 1 < source_.size() && source_[at_] == '0'
                            ? static_cast<char>(source_[at_ + 1] | 0x20)
                            : '0';
    const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
    if (base != 10) {
      const std::string_view allowed =
          std::string_view("0123456789abcdefABCDEF")
              .substr(0, base == 16 ? 22 : static_cast<std::size_t>(base));
      // An underscore may follow the letter at once.
      const std::size_t first =
          at_ + 2 < source_.size() && source_[at_ + 2] == '_' ? at_ + 3 : at_ + 2;
      const std::size_t end = digits_end(first, allowed);
      if (end == first) throw Fault("a number has no digits", begin);
      return integer(begin, first, end, base);
    }
    std::size_t end = digits_end(at_, kDecimal);
    const std::size_t whole_end = end;
    const bool follows_dot = begin > 0 && source_[begin - 1] == '.';
    if (!follows_dot) {
      if (end < source_.size() && source_[end] == '.' && digits_end(end + 1, kDecimal) > end + 1) {
        end = digits_end(end + 1, kDecimal);
      }
      if (end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
        std::size_t exponent = end + 1;
        if (exponent < source_.size() && (source_[exponent] == '+' || source_[exponent] == '-')) {
          ++exponent;
        }
        if (digits_end(exponent, kDecimal) > exponent) end = digits_end(exponent, kDecimal);
      }
    }
    if (end == whole_end) return integer(begin, begin, end, 10);
    const std::string digits = without_underscores(source_.substr(begin, end - begin));
    at_ = end;
    add(TokenKind::kFloat, begin).number = Value(parse_real(digits).value());
  }

  static std::string without_underscores(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c != '_') out += c;
    }
    return out;
  }

  void integer(std::size_t begin, std::size_t first, std::size_t end, int base) {
    const std::string digits = without_underscores(source_.substr(first, end - first));
    const bool has_leading_zero = base == 10 && digits.size() > 1 && digits.front() == '0' &&
                                  digits.find_first_not_of('0') != std::string::npos;
    if (has_leading_zero) throw Fault("a number starts with 0", begin);
    std::uint64_t value = 0;
    const auto [next, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc()) throw Fault("an integer lies beyond 64 bits", begin);
    at_ = end;
    add(TokenKind::kInteger, begin).number = Value(Integer{value});
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t tag_ = 0;   // offset of the tag that is read
  std::string brackets_;  // closing ones that are due
  std::vector<Token> tokens_;
};

}  // namespace

std::string with_plain_line_ends(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else {
      out += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    }
  }
  return out;
}

std::vector<Token> tokenize(std::string_view source) { return Lexer(source).run(); }

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kData: return "text";
    case TokenKind::kPrintBegin: return "'{{'";
    case TokenKind::kPrintEnd: return "'}}'";
    case TokenKind::kBlockBegin: return "'{%'";
    case TokenKind::kBlockEnd: return "'%}'";
    case TokenKind::kText: return "a text";
    case TokenKind::kInteger:
    case TokenKind::kFloat: return "a number";
    case TokenKind::kEnd: return "the end of the template";
    case TokenKind::kName:
    case TokenKind::kOperator: break;
  }
  return "'" + token.text + "'";
}

}  // namespace yardstick::tasks::jinja
