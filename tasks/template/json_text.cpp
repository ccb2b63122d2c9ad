#include "tasks/template/json_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tasks/template/code_points.hpp"
#include "tasks/template/limits.hpp"
#include "tasks/template/python_text.hpp"

namespace yardstick::tasks::jinja {
namespace {

class Writer {
 public:
  explicit Writer(std::optional<std::int64_t> indent) : indent_(indent) {}

  void write(const Value& value) {
    require_defined(value);
    if (value.is<None>()) return out_.append("null");
    if (const bool* flag = value.as<bool>()) return out_.append(*flag ? "true" : "false");
    if (const Integer* number = value.as<Integer>()) return out_.append(to_string(*number));
    if (const double* number = value.as<double>()) return write(*number);
    if (const std::string* text = value.as_text()) return write(*text);
    if (const List* list = value.as<List>()) return write(list->elements->items);
    if (const Tuple* tuple = value.as<Tuple>()) return write(tuple->elements->items);
    if (const Dict* dict = value.as<Dict>()) return write(*dict->pairs);
    throw Fault(fmt::format("a value of type {} is no JSON", value.type_name()));
  }

  std::string take() { return out_.take(); }

 private:
  void write(double number) {
    if (std::isfinite(number)) return out_.append(repr(number));
    out_.append(std::isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity");
  }

  void write_unit(std::int32_t unit) { out_.append(fmt::format("\\u{:04x}", unit)); }

  void write(const std::string& text) {
    constexpr std::string_view kUnsafe = "<>&'";
    constexpr std::string_view kControls = "\b\f\n\r\t\"\\";
    constexpr std::string_view kLetters = "bfnrt\"\\";
    out_.append("\"");
    std::string_view rest = text;
    while (!rest.empty()) {
      const CodePoint c = first_code_point(rest);
      const char byte = rest.front();
      rest.remove_prefix(c.size);
      const std::size_t control = kControls.find(byte);
      if (control != std::string_view::npos) {
        out_.append("\\");
        out_.append(1, kLetters[control]);
      } else if (c.value >= 0x10000) {
        write_unit(0xD800 + ((c.value - 0x10000) >> 10));
        write_unit(0xDC00 + ((c.value - 0x10000) & 0x3FF));
      } else if (c.value < 0x20 || c.value >= 0x7F ||
                 kUnsafe.find(byte) != std::string_view::npos) {
        c.value == 0x7F ? out_.append(1, byte) : write_unit(c.value);
      } else {
        out_.append(1, byte);
      }
    }
    out_.append("\"");
  }

  void break_line() {
    if (!indent_) return;
    const std::int64_t spaces = std::clamp<std::int64_t>(*indent_, 0, 1000) * level_;
    out_.append("\n");
    out_.append(static_cast<std::size_t>(spaces), ' ');
  }

  // Calls `element(i)` for each of `count` elements.
  template <typename Element>
  void write_all(char open, char close, std::size_t count, const Element& element) {
    out_.append(1, open);
    ++level_;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out_.append(indent_ ? "," : ", ");
      break_line();
      element(i);
    }
    --level_;
    if (count > 0) break_line();
    out_.append(1, close);
  }

  void write(const std::vector<Value>& items) {
    write_all('[', ']', items.size(), [&](std::size_t i) { write(items[i]); });
  }

  void write(const Pairs& pairs) {
    std::vector<std::pair<const std::string*, const Value*>> sorted;
    for (const auto& [key, value] : pairs.items) {
      if (key.as_text() == nullptr) throw Fault("tojson expects text as keys");
      sorted.emplace_back(key.as_text(), &value);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return *a.first < *b.first; });
    write_all('{', '}', sorted.size(), [&](std::size_t i) {
      write(*sorted[i].first);
      out_.append(": ");
      write(*sorted[i].second);
    });
  }

  std::optional<std::int64_t> indent_;
  std::int64_t level_ = 0;
  TextBuilder out_;
};

}  // namespace

std::string json_text(const Value& value, std::optional<std::int64_t> indent) {
  Writer writer(indent);
  writer.write(value);
  return writer.take();
}

}  // namespace yardstick::tasks::jinja
