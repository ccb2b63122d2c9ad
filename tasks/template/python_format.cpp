#include "tasks/template/python_format.hpp"

#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "tasks/template/code_points.hpp"
#include "tasks/template/limits.hpp"
#include "tasks/template/operators.hpp"
#include "tasks/template/python_text.hpp"

namespace yardstick::tasks::jinja {
namespace {

constexpr std::size_t kMaxWidth = 10000;
constexpr int kMaxPrecision = 300;

struct Conversion {
  std::string flags;
  std::size_t width = 0;
  std::optional<int> precision;
  char type = 0;

  [[nodiscard]] bool has(char flag) const { return flags.find(flag) != std::string::npos; }
};

class Formatter {
 public:
  Formatter(std::string_view format, const Value& arguments) : rest_(format), all_(arguments) {
    const Tuple* tuple = arguments.as<Tuple>();
    queue_ = tuple != nullptr ? tuple->elements->items : std::vector<Value>{arguments};
  }

  std::string run() {
    while (!rest_.empty()) {
      const std::size_t percent = std::min(rest_.find('%'), rest_.size());
      out_.append(rest_.substr(0, percent));
      rest_.remove_prefix(percent);
      if (!rest_.empty()) convert();
    }
    // Python minds values that are left only if they are a tuple, a text or a number.
    const bool is_mapping = all_.is<Dict>() || all_.is<List>() || all_.is<Range>();
    if (used_ < queue_.size() && !is_mapping) {
      throw Fault(fmt::format("'%' formats {} values, but got {}", used_, queue_.size()));
    }
    return out_.take();
  }

 private:
  char next() {
    if (rest_.empty()) throw Fault("the text ends within a '%' conversion; write %% for a percent");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::size_t number(std::size_t limit) {
    std::size_t out = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      out = out * 10 + static_cast<std::size_t>(next() - '0');
      if (out > limit) throw Fault(fmt::format("a width beyond {} in a '%' conversion", limit));
    }
    return out;
  }

  const Value& argument() {
    if (used_ >= queue_.size()) throw Fault("'%' has too few values for its conversions");
    return queue_[used_++];
  }

  std::optional<Value> named() {
    if (rest_.empty() || rest_.front() != '(') return std::nullopt;
    const std::size_t close = rest_.find(')');
    if (close == std::string_view::npos) throw Fault("'%(' is not closed by ')'");
    const std::string key(rest_.substr(1, close - 1));
    rest_.remove_prefix(close + 1);
    if (!all_.is<Dict>()) throw Fault("'%(name)s' expects a dict");
    Value found = item(all_, Value::text(key));
    require_defined(found);
    return found;
  }

  void convert() {
    next();
    std::optional<Value> value = named();
    Conversion c;
    while (!rest_.empty() &&
           std::string_view("-+ 0#").find(rest_.front()) != std::string_view::npos) {
      c.flags += next();
    }
    c.width = number(kMaxWidth);
    if (!rest_.empty() && rest_.front() == '.') {
      next();
      c.precision = static_cast<int>(number(kMaxPrecision));
    }
    c.type = next();
    if (c.type == '%') {
      out_.append("%");
      return;
    }
    if (std::string_view("srdiuxXoeEfFgGc").find(c.type) == std::string_view::npos || c.has('#')) {
      throw Fault(
          fmt::format("the '%' conversion '{}{}' is not supported; those are s r d i u x X o "
                      "e E f F g G c and %%",
                      c.has('#') ? "#" : "", c.type));
    }
    write(c, value ? *value : argument());
  }

  void write(const Conversion& c, const Value& value) {
    switch (c.type) {
      case 's': return pad_text(c, str(value));
      case 'r': return pad_text(c, repr(value));
      case 'c': return pad_text(c, character(value));
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o': return pad_number(c, integer(c, value));
      default: return pad_number(c, floating(c, value));
    }
  }

  static std::string character(const Value& value) {
    const std::string* text = value.as_text();
    if (text != nullptr && length_of(*text) == 1) return *text;
    const std::optional<Integer> code = as_integer(value);
    const bool is_code =
        code && *code >= 0 && *code <= 0x10FFFF && (*code < 0xD800 || *code > 0xDFFF);
    if (!is_code) throw Fault("'%c' expects one character");
    std::string out;
    append_code_point(out, static_cast<std::int32_t>(*code));
    return out;
  }

  static std::string integer(const Conversion& c, const Value& value) {
    require_defined(value);
    std::optional<Integer> number = as_integer(value);
    const bool is_decimal = c.type == 'd' || c.type == 'i' || c.type == 'u';
    const double* real = value.as<double>();
    if (real != nullptr && is_decimal && std::fabs(*real) < 9e18) {
      number = static_cast<Integer>(*real);
    }
    if (!number) {
      throw Fault(fmt::format("'%{}' expects an integer, found {}", c.type, value.type_name()));
    }
    const Integer magnitude = *number < 0 ? -*number : *number;
    const auto size = static_cast<std::uint64_t>(magnitude);
    std::string digits = c.type == 'x'   ? fmt::format("{:x}", size)
                         : c.type == 'X' ? fmt::format("{:X}", size)
                         : c.type == 'o' ? fmt::format("{:o}", size)
                                         : fmt::format("{}", size);
    const auto least = static_cast<std::size_t>(c.precision.value_or(0));
    if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
    return (*number < 0 ? "-" : "") + digits;
  }

  static std::string floating(const Conversion& c, const Value& value) {
    require_defined(value);
    const std::optional<double> number = as_number(value);
    if (!number) {
      throw Fault(fmt::format("'%{}' expects a number, found {}", c.type, value.type_name()));
    }
    const int precision = c.precision.value_or(6);
    switch (c.type) {
      case 'e': return fmt::format("{:.{}e}", *number, precision);
      case 'E': return fmt::format("{:.{}E}", *number, precision);
      case 'f': return fmt::format("{:.{}f}", *number, precision);
      case 'F': return fmt::format("{:.{}F}", *number, precision);
      case 'g': return fmt::format("{:.{}g}", *number, precision);
      default: return fmt::format("{:.{}G}", *number, precision);
    }
  }

  void pad_text(const Conversion& c, std::string text) {
    if (c.precision) text.resize(offset_of(text, *c.precision));
    const auto size = static_cast<std::size_t>(length_of(text));
    const std::size_t padding = size < c.width ? c.width - size : 0;
    if (!c.has('-')) out_.append(padding, ' ');
    out_.append(text);
    if (c.has('-')) out_.append(padding, ' ');
  }

  void pad_number(const Conversion& c, std::string digits) {
    std::string sign;
    if (digits.front() == '-') {
      sign = "-";
      digits.erase(0, 1);
    } else if (c.has('+')) {
      sign = "+";
    } else if (c.has(' ')) {
      sign = " ";
    }
    const std::size_t size = sign.size() + digits.size();
    const std::size_t padding = size < c.width ? c.width - size : 0;
    if (c.has('-')) {
      out_.append(sign + digits);
      out_.append(padding, ' ');
      return;
    }
    if (!c.has('0')) out_.append(padding, ' ');
    out_.append(sign);
    if (c.has('0')) out_.append(padding, '0');
    out_.append(digits);
  }

  std::string_view rest_;
  const Value& all_;
  std::vector<Value> queue_;
  std::size_t used_ = 0;
  TextBuilder out_;
};

}  // namespace

std::string percent_format(std::string_view format, const Value& arguments) {
  return Formatter(format, arguments).run();
}

}  // namespace yardstick::tasks::jinja
