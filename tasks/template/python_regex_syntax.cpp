#include "tasks/template/python_regex_syntax.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::size_t kMaxPatternBytes = 10000;

// str.isspace and Python's \w, for the inside of a class.
constexpr std::string_view kSpaces =
    R"(\t-\r\x{1c}-\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr std::string_view kWords = R"(\p{L}\p{N}_)";

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::string run() {
    if (pattern_.size() > kMaxPatternBytes) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("a regular expression of {} bytes; at most {} are allowed",
                              pattern_.size(), kMaxPatternBytes));
    }
    while (at_ < pattern_.size()) {
      if (looks_at("\\")) {
        escape();
      } else if (looks_at("[")) {
        open_class();
      } else if (!in_class_ && looks_at("(")) {
        group();
      } else if (!in_class_ && looks_at("{,")) {
        refuse("'{,n}'; write {0,n}");
      } else {
        in_class_ = in_class_ && !looks_at("]");
        out_ += pattern_[at_++];
      }
    }
    return out_;
  }

 private:
  [[nodiscard]] bool looks_at(std::string_view text) const {
    return pattern_.substr(at_).starts_with(text);
  }

  [[noreturn]] void refuse(std::string_view what) const {
    throw Error(
        ErrorKind::kConfig,
        fmt::format("the regular expression '{}' has, at byte {}, what is not supported: {}",
                    pattern_, at_, what));
  }

  void take(std::size_t bytes) {
    out_ += pattern_.substr(at_, bytes);
    at_ += bytes;
  }

  void put(std::string_view text, std::size_t bytes) {
    out_ += text;
    at_ += bytes;
  }

  void open_class() {
    if (in_class_) {
      if (looks_at("[:") || looks_at("[.") || looks_at("[=")) refuse(pattern_.substr(at_, 2));
      put("\\[", 1);
      return;
    }
    in_class_ = true;
    take(looks_at("[^") ? 2 : 1);
    if (looks_at("]")) put("\\]", 1);
  }

  void group() {
    if (looks_at("(*")) refuse("'(*'");
    if (!looks_at("(?")) return take(1);
    constexpr auto kKnown = std::to_array<std::string_view>(
        {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?P<", "(?P="});
    for (const std::string_view opening : kKnown) {
      if (looks_at(opening)) return take(opening.size());
    }
    flags();
  }

  // (?ims) at the start, (?ims:...) anywhere.
  void flags() {
    std::size_t end = at_ + 2;
    while (end < pattern_.size() &&
           std::string_view("ims").find(pattern_[end]) != std::string_view::npos)
      ++end;
    const bool is_group = end < pattern_.size() && pattern_[end] == ':';
    const bool is_global = end < pattern_.size() && pattern_[end] == ')' && at_ == 0;
    if (end == at_ + 2 || (!is_group && !is_global)) {
      refuse(fmt::format("'{}'", pattern_.substr(at_, std::min<std::size_t>(end + 1 - at_, 4))));
    }
    take(end + 1 - at_);
  }

  void hex(std::size_t digits) {
    const std::string_view code = pattern_.substr(at_ + 2, digits);
    const bool is_hex = code.size() == digits &&
                        code.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    if (!is_hex) refuse(fmt::format("'{}'", pattern_.substr(at_, 2)));
    put(fmt::format("\\x{{{}}}", code), digits + 2);
  }

  void escape() {
    if (at_ + 1 == pattern_.size()) refuse("a '\\' at the end");
    const char letter = pattern_[at_ + 1];
    switch (letter) {
      case 's': return put(in_class_ ? std::string(kSpaces) : fmt::format("[{}]", kSpaces), 2);
      case 'w': return put(in_class_ ? std::string(kWords) : fmt::format("[{}]", kWords), 2);
      case 'S':
      case 'W':
        if (in_class_) refuse(fmt::format("'\\{}' within brackets", letter));
        return put(fmt::format("[^{}]", letter == 'S' ? kSpaces : kWords), 2);
      case 'v': return put("\\x{0b}", 2);
      case 'Z': return in_class_ ? refuse("'\\Z' within brackets") : put("\\z", 2);
      case 'x': return hex(2);
      case 'u': return hex(4);
      case 'U': return hex(8);
      case 'A':
      case 'B':
        if (in_class_) refuse(fmt::format("'\\{}' within brackets", letter));
        return take(2);
      case 'b':
      case 'd':
      case 'D':
      case 'a':
      case 'f':
      case 'n':
      case 'r':
      case 't': return take(2);
      default: break;
    }
    if (letter >= '1' && letter <= '9' && !in_class_) return take(2);
    const bool is_plain = static_cast<unsigned char>(letter) < 0x80 &&
                          std::isalnum(static_cast<unsigned char>(letter)) == 0;
    if (!is_plain) refuse(fmt::format("'\\{}'", letter));
    take(2);
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  bool in_class_ = false;
  std::string out_;
};

}  // namespace

std::string to_pcre2(std::string_view pattern) { return Translator(pattern).run(); }

}  // namespace yardstick::tasks
