#include "tasks/template/python_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "tasks/template/code_points.hpp"
#include "tasks/template/limits.hpp"

namespace yardstick::tasks::jinja {
namespace {

void write(TextBuilder& out, const Value& value);

void write_all(TextBuilder& out, const std::vector<Value>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out.append(", ");
    write(out, items[i]);
  }
}

void write_pairs(TextBuilder& out, const Pairs& pairs) {
  out.append("{");
  for (std::size_t i = 0; i < pairs.items.size(); ++i) {
    if (i > 0) out.append(", ");
    write(out, pairs.items[i].first);
    out.append(": ");
    write(out, pairs.items[i].second);
  }
  out.append("}");
}

struct Writer {
  TextBuilder& out;

  void operator()(const Undefined& undefined) const {
    throw Fault(undefined.use == Undefined::Use::kStrict ? *undefined.why
                                                         : "an undefined value stands in a list");
  }
  void operator()(const None&) const { out.append("None"); }
  void operator()(bool value) const { out.append(value ? "True" : "False"); }
  void operator()(Integer value) const { out.append(to_string(value)); }
  void operator()(double value) const { out.append(repr(value)); }
  void operator()(const Text& text) const { out.append(repr(std::string_view(*text.bytes))); }
  void operator()(const List& list) const {
    out.append("[");
    write_all(out, list.elements->items);
    out.append("]");
  }
  void operator()(const Tuple& tuple) const {
    out.append("(");
    write_all(out, tuple.elements->items);
    out.append(tuple.elements->items.size() == 1 ? ",)" : ")");
  }
  void operator()(const View& view) const {
    out.append(view.name);
    out.append("([");
    write_all(out, view.elements->items);
    out.append("])");
  }
  void operator()(const Dict& dict) const { write_pairs(out, *dict.pairs); }
  void operator()(const Range& range) const {
    out.append(fmt::format("range({}, {}", range.start, range.stop));
    if (range.step != 1) out.append(fmt::format(", {}", range.step));
    out.append(")");
  }
  void operator()(const Iterator&) const {
    throw Fault("what map, select and the like give has no text; put |list or |join behind it");
  }
  template <typename Other>
  void operator()(const Other& other) const {
    throw Fault(fmt::format("a {} has no text", Value(other).type_name()));
  }
};

void write(TextBuilder& out, const Value& value) { std::visit(Writer{out}, value.variant()); }

}  // namespace

std::string str(const Value& value) {
  if (const std::string* text = value.as_text()) return *text;
  if (const Undefined* undefined = value.as<Undefined>()) {
    require_defined(value);
    static_cast<void>(undefined);
    return "";
  }
  return repr(value);
}

std::string repr(const Value& value) {
  TextBuilder out;
  write(out, value);
  return out.take();
}

// The shortest digits that give the same number, with an exponent below 1e-4 and from 1e16 on.
std::string repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                          std::fabs(value), std::chars_format::scientific);
  const std::string_view written(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = written.find('e');
  int exponent = 0;
  const std::size_t sign = written[e + 1] == '+' ? 2 : 1;
  std::from_chars(written.data() + e + sign, end, exponent);
  std::string digits(1, written[0]);
  if (e > 2) digits += written.substr(2, e - 2);
  std::string out = std::signbit(value) ? "-" : "";
  const auto count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits.substr(0, 1);
    if (count > 1) out.append(1, '.').append(digits, 1);
    return out + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0)
    return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (count <= exponent + 1) {
    return out + digits + std::string(static_cast<std::size_t>(exponent + 1 - count), '0') + ".0";
  }
  const auto whole = static_cast<std::size_t>(exponent + 1);
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string repr(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  TextBuilder out;
  out.append(1, quote);
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    const std::string_view bytes = text.substr(0, c.size);
    text.remove_prefix(c.size);
    if (c.value == quote || c.value == '\\') {
      out.append("\\");
      out.append(bytes);
    } else if (c.value == '\n') {
      out.append("\\n");
    } else if (c.value == '\r') {
      out.append("\\r");
    } else if (c.value == '\t') {
      out.append("\\t");
    } else if (c.value < 0 || is_printable(c.value)) {
      out.append(bytes);
    } else if (c.value < 0x100) {
      out.append(fmt::format("\\x{:02x}", c.value));
    } else if (c.value < 0x10000) {
      out.append(fmt::format("\\u{:04x}", c.value));
    } else {
      out.append(fmt::format("\\U{:08x}", c.value));
    }
  }
  out.append(1, quote);
  return out.take();
}

std::string to_string(Integer value) {
  return value < 0 ? fmt::format("{}", static_cast<std::int64_t>(value))
                   : fmt::format("{}", static_cast<std::uint64_t>(value));
}

}  // namespace yardstick::tasks::jinja
