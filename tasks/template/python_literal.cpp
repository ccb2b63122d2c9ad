#include "tasks/template/python_literal.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/template/escapes.hpp"
#include "tasks/template/limits.hpp"
#include "tasks/template/python_text.hpp"
#include "tasks/template/real_text.hpp"
#include "tasks/template/value.hpp"

namespace yardstick::tasks {
namespace {

using Json = nlohmann::ordered_json;
using Result = std::optional<Json>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Recursive descent; every method gives nothing where the text is no literal.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : rest_(text) {}

  Result read() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    if (next_is('\n') || next_is('\r')) {
      skip_lines();
      // Behind blank lines an indented one is a block of Python's.
      const char* const begin = rest_.data();
      if (begin[-1] != '\n' && begin[-1] != '\r') return std::nullopt;
    }
    Result out = tuple_without_parentheses();
    // Another line with more than a comment would be a further statement.
    const bool ends_in_indentation =
        rest_.find('\n') != std::string_view::npos && rest_.back() != '\n';
    skip_lines();
    return rest_.empty() && !ends_in_indentation ? out : std::nullopt;
  }

 private:
  void skip(std::string_view space) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(space), rest_.size()));
    while (rest_.starts_with('#')) {
      rest_.remove_prefix(std::min(rest_.find_first_of("\r\n"), rest_.size()));
      rest_.remove_prefix(std::min(rest_.find_first_not_of(space), rest_.size()));
    }
  }

  void skip_lines() { skip(" \t\f\r\n"); }

  // Within brackets a line's end is white space.
  void skip_space() { depth_ > 0 ? skip_lines() : skip(" \t\f"); }

  bool take(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool next_is(char c) {
    skip_space();
    return !rest_.empty() && rest_.front() == c;
  }

  Result tuple_without_parentheses() {
    Result first = value();
    if (!first || !take(',')) return first;
    Json items = Json::array({*first});
    while (skip_space(), !rest_.empty() && rest_.front() != '\n' && rest_.front() != '\r') {
      Result next = value();
      if (!next) return std::nullopt;
      items.push_back(std::move(*next));
      if (!take(',')) break;
    }
    return items;
  }

  Result value() {
    skip_space();
    if (rest_.empty() || depth_ >= jinja::kMaxNesting) return std::nullopt;
    const char c = rest_.front();
    if (c == '[') return list();
    if (c == '(') return parenthesized();
    if (c == '{') return dict();
    if (is_digit(c) || c == '.' || c == '-' || c == '+') return number();
    return word();
  }

  // The elements up to `close`, of which a comma may follow the last.
  std::optional<std::vector<Json>> elements(char close, bool& has_comma) {
    std::vector<Json> out;
    has_comma = false;
    while (!take(close)) {
      if (!out.empty() && !has_comma) return std::nullopt;
      Result next = value();
      if (!next) return std::nullopt;
      out.push_back(std::move(*next));
      has_comma = take(',');
    }
    return out;
  }

  Result list() {
    rest_.remove_prefix(1);
    ++depth_;
    bool has_comma = false;
    const auto items = elements(']', has_comma);
    --depth_;
    return items ? Result(Json(*items)) : std::nullopt;
  }

  Result parenthesized() {
    rest_.remove_prefix(1);
    ++depth_;
    bool has_comma = false;
    const auto items = elements(')', has_comma);
    --depth_;
    if (!items) return std::nullopt;
    if (items->size() == 1 && !has_comma) return items->front();
    return Json(*items);
  }

  Result dict() {
    rest_.remove_prefix(1);
    ++depth_;
    Json out = Json::object();
    bool may_go_on = true;
    while (!take('}')) {
      if (!may_go_on) return std::nullopt;
      const Result key = value();
      if (!key || !key->is_string() || !take(':')) return std::nullopt;
      Result mapped = value();
      if (!mapped) return std::nullopt;
      out[key->get_ref<const std::string&>()] = std::move(*mapped);
      may_go_on = take(',');
    }
    --depth_;
    return out;
  }

  Result word() {
    std::size_t size = 0;
    while (size < rest_.size() && is_name(rest_[size])) ++size;
    const std::string_view name = rest_.substr(0, size);
    if (size < rest_.size() && (rest_[size] == '\'' || rest_[size] == '"')) return text();
    rest_.remove_prefix(size);
    if (name == "None") return Json(nullptr);
    if (name == "True") return Json(true);
    if (name == "False") return Json(false);
    return std::nullopt;
  }

  // One string, or several side by side.
  Result text() {
    std::string out;
    do {
      const std::optional<std::string> part = one_text();
      if (!part) return std::nullopt;
      out += *part;
      skip_space();
    } while (starts_text());
    return Json(std::move(out));
  }

  bool starts_text() const {
    std::size_t at = 0;
    while (at < rest_.size() && at < 2 && is_name(rest_[at])) ++at;
    return at < rest_.size() && (rest_[at] == '\'' || rest_[at] == '"');
  }

  std::optional<std::string> one_text() {
    bool is_raw = false;
    if (rest_.front() != '\'' && rest_.front() != '"') {
      const char prefix = rest_.front();
      is_raw = prefix == 'r' || prefix == 'R';
      if (!is_raw && prefix != 'u' && prefix != 'U') return std::nullopt;
      rest_.remove_prefix(1);
      if (rest_.front() != '\'' && rest_.front() != '"') return std::nullopt;
    }
    const std::string one(1, rest_.front());
    const std::string three(3, rest_.front());
    const std::string quote = rest_.starts_with(three) ? three : one;
    rest_.remove_prefix(quote.size());
    std::size_t end = 0;
    while (end < rest_.size() && !rest_.substr(end).starts_with(quote)) {
      if (rest_[end] == '\n' && quote.size() == 1) return std::nullopt;
      end += rest_[end] == '\\' ? 2 : 1;
    }
    if (end >= rest_.size()) return std::nullopt;
    const std::string_view body = rest_.substr(0, end);
    rest_.remove_prefix(end + quote.size());
    if (is_raw) return std::string(body);
    return jinja::decode_escapes(body);
  }

  Result number() {
    bool is_negative = false;
    // Python's literal_eval takes one sign.
    if (rest_.front() == '-' || rest_.front() == '+') {
      is_negative = rest_.front() == '-';
      rest_.remove_prefix(1);
      skip_space();
    }
    std::size_t size = 0;
    const bool is_hex = rest_.starts_with("0x") || rest_.starts_with("0X");
    while (size < rest_.size() &&
           (is_name(rest_[size]) || rest_[size] == '.' ||
            (!is_hex && (rest_[size] == '+' || rest_[size] == '-') && size > 0 &&
             (rest_[size - 1] == 'e' || rest_[size - 1] == 'E')))) {
      ++size;
    }
    const std::optional<std::string> digits = without_underscores(rest_.substr(0, size));
    rest_.remove_prefix(size);
    if (!digits || digits->empty()) return std::nullopt;
    const bool is_float = !is_hex && digits->find_first_of(".eE") != std::string::npos;
    return is_float ? real(*digits, is_negative) : integer(*digits, is_negative);
  }

  // An underscore may stand between two digits, or behind a base's letter.
  static std::optional<std::string> without_underscores(std::string_view written) {
    std::string out;
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (written[i] != '_') {
        out += written[i];
        continue;
      }
      const bool is_between = i > 0 && i + 1 < written.size() &&
                              std::isxdigit(static_cast<unsigned char>(written[i + 1])) != 0 &&
                              (std::isxdigit(static_cast<unsigned char>(written[i - 1])) != 0 ||
                               (i == 2 && written[0] == '0'));
      if (!is_between) return std::nullopt;
    }
    return out;
  }

  static Result real(const std::string& digits, bool is_negative) {
    const std::optional<double> value = jinja::parse_real(digits);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    return Json(is_negative ? -*value : *value);
  }

  static Result integer(std::string_view digits, bool is_negative) {
    int base = 10;
    if (digits.size() > 2 && digits[0] == '0' && !is_digit(digits[1])) {
      const char letter = static_cast<char>(digits[1] | 0x20);
      base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
      if (base == 0) return std::nullopt;
      digits.remove_prefix(2);
    } else if (digits.size() > 1 && digits[0] == '0' &&
               digits.find_first_not_of('0') != std::string_view::npos) {
      return std::nullopt;  // Python knows no leading zeros
    }
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [next, error] = std::from_chars(digits.data(), end, value, base);
    if (error != std::errc() || next != end) return std::nullopt;
    constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;
    if (!is_negative) return value < kLowest ? Json(static_cast<std::int64_t>(value)) : Json(value);
    if (value > kLowest) return std::nullopt;
    return Json(static_cast<std::int64_t>(~value + 1));
  }

  std::string_view rest_;
  int depth_ = 0;
};

template <typename Print>
std::string printed(const nlohmann::ordered_json& value, const Print& print) {
  try {
    return print(jinja::Value::from_json(value));
  } catch (const jinja::Fault& fault) {
    throw Error(ErrorKind::kData, fault.what());
  }
}

}  // namespace

std::optional<nlohmann::ordered_json> parse_python_literal(std::string_view text) {
  if (find_invalid_utf8(text) || text.find('\0') != std::string_view::npos) return std::nullopt;
  return LiteralReader(text).read();
}

std::string python_repr(const nlohmann::ordered_json& value) {
  return printed(value, [](const jinja::Value& v) { return jinja::repr(v); });
}

std::string python_str(const nlohmann::ordered_json& value) {
  return printed(value, [](const jinja::Value& v) { return jinja::str(v); });
}

}  // namespace yardstick::tasks
