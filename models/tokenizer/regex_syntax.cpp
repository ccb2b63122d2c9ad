// From the regular expressions of tokenizer.json (Oniguruma, Ruby syntax) to PCRE2's: a walk that
// lets through what means the same, respells what differs, and refuses the rest.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/tokenizer/regex.hpp"

namespace yardstick::tokenizer {
namespace {

class Translator {
 public:
  explicit Translator(std::string_view pattern) : in_(pattern) {}

  std::string translate() {
    if (in_.starts_with("(?i)")) take(4);  // elsewhere its reach differs between the two
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '\\') {
        escape();
      } else if (in_class_) {
        class_character(c);
      } else {
        plain(c);
      }
    }
    return out_;
  }

 private:
  [[noreturn]] void refuse(std::string_view construct) const {
    throw Error(ErrorKind::kData,
                fmt::format("the pattern '{}' uses {} at byte {}, which is not supported (it could "
                            "match differently here); rewrite it with \\s, \\p{{..}}, character "
                            "lists, groups, lookarounds and quantifiers",
                            in_, construct, at_));
  }

  void take(std::size_t bytes) {
    out_ += in_.substr(at_, bytes);
    at_ += bytes;
  }

  void emit(std::string_view text, std::size_t consumed) {
    out_ += text;
    at_ += consumed;
  }

  void plain(char c) {
    if (c == '(') return open_group();
    if (c == '{') return repeat();
    if (c == '[') {
      in_class_ = true;
      take(1);
      if (in_.substr(at_).starts_with('^')) take(1);
      if (in_.substr(at_).starts_with(']')) refuse("a ']' that opens a list");
      return;
    }
    take(1);
  }

  void class_character(char c) {
    if (c == '[') refuse("'[' inside a list");
    if (in_.substr(at_).starts_with("&&")) refuse("'&&' inside a list");
    if (c == ']') in_class_ = false;
    take(1);
  }

  void open_group() {
    static constexpr std::array<std::string_view, 7> kOpeners = {"(?:",  "(?i:", "(?=", "(?!",
                                                                 "(?<=", "(?<!", "(?>"};
    const std::string_view rest = in_.substr(at_);
    if (!rest.starts_with("(?") && !rest.starts_with("(*")) return take(1);
    for (const std::string_view opener : kOpeners) {
      if (rest.starts_with(opener)) return take(opener.size());
    }
    refuse(fmt::format("the group '{}'", rest.substr(0, 4)));
  }

  void repeat() {
    const std::size_t end = in_.find('}', at_);
    const std::string_view inside =
        end == std::string_view::npos ? "" : in_.substr(at_ + 1, end - at_ - 1);
    const bool counts = !inside.empty() && inside.front() != ',' &&
                        std::all_of(inside.begin(), inside.end(),
                                    [](char c) { return (c >= '0' && c <= '9') || c == ','; });
    if (!counts) refuse("'{' without counts");
    take(end + 1 - at_);
    const std::string_view rest = in_.substr(at_);
    if (rest.starts_with('+') || rest.starts_with('?')) refuse("'+' or '?' behind '}'");
  }

  void property() {
    const std::size_t end = in_.find('}', at_);
    if (end == std::string_view::npos || in_.substr(at_ + 2, 1) != "{")
      refuse("a property without braces");
    const std::string_view name = in_.substr(at_ + 3, end - at_ - 3);
    const bool letters = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
    });
    if (!letters) refuse(fmt::format("the property '{}'", name));
    // One or two letters are a general category; longer names are scripts ("sc:", for PCRE2 would
    // otherwise take script extensions too).
    const std::string_view prefix = name.size() <= 2 ? "" : "sc:";
    emit(fmt::format("\\{}{{{}{}}}", in_[at_ + 1], prefix, name), end + 1 - at_);
  }

  void code_point() {
    const std::string_view digits = in_.substr(at_ + 2, 4);
    const bool hexadecimal =
        digits.size() == 4 && std::all_of(digits.begin(), digits.end(), [](char c) {
          return std::isxdigit(static_cast<unsigned char>(c)) != 0;
        });
    if (!hexadecimal) refuse("\\u without four digits");
    emit(fmt::format("\\x{{{}}}", digits), 6);
  }

  void escape() {
    if (at_ + 1 >= in_.size()) refuse("a lone '\\'");
    const char c = in_[at_ + 1];
    switch (c) {
      case 's': return emit(kWhiteSpace, 2);
      case 'S': return emit("\\P{White_Space}", 2);
      case 'd': return emit("\\p{Nd}", 2);
      case 'D': return emit("\\P{Nd}", 2);
      case 'p':
      case 'P': return property();
      case 'u': return code_point();
      case 'v': return emit("\\x{0b}", 2);
      case 'r':
      case 'n':
      case 't':
      case 'f': return take(2);
      case 'A':
      case 'z':
        if (!in_class_) return take(2);
        break;
      default: break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0) refuse(fmt::format("'\\{}'", c));
    take(2);
  }

  std::string_view in_;
  std::string out_;
  std::size_t at_ = 0;
  bool in_class_ = false;
};

}  // namespace

std::string translate_pattern(std::string_view pattern) { return Translator(pattern).translate(); }

}  // namespace yardstick::tokenizer
