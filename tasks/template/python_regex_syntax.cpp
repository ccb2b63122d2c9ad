#include "tasks/template/python_regex_syntax.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

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
      } else if (!in_class_ && looks_at(")")) {
        close_group();
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
    if (looks_at("(?P=")) return named_reference();
    const bool captures = !looks_at("(?") || looks_at("(?P<");
    open_.push_back(captures ? ++groups_ : 0);
    if (looks_at("(?P<")) {
      const std::string_view rest = pattern_.substr(at_ + 4);
      names_.emplace_back(rest.substr(0, rest.find('>')), groups_);
    }
    if (!looks_at("(?")) return take(1);
    constexpr auto kKnown =
        std::to_array<std::string_view>({"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?P<"});
    for (const std::string_view opening : kKnown) {
      if (looks_at(opening)) return take(opening.size());
    }
    flags();
  }

  // (?ims) at the start, (?ims:...) anywhere.
  void flags() {
    std::size_t end = at_ + 2;
    while (end < pattern_.size() &&
           std::string_view("ims").find(pattern_[end]) != std::string_view::npos) {
      ++end;
    }
    const bool is_group = end < pattern_.size() && pattern_[end] == ':';
    const bool is_global = end < pattern_.size() && pattern_[end] == ')' && at_ == 0;
    if (end == at_ + 2 || (!is_group && !is_global)) {
      refuse(fmt::format("'{}'", pattern_.substr(at_, std::min<std::size_t>(end + 1 - at_, 4))));
    }
    if (is_global) open_.pop_back();
    take(end + 1 - at_);
  }

  void close_group() {
    if (!open_.empty()) {
      if (open_.back() != 0) closed_.push_back(open_.back());
      open_.pop_back();
    }
    take(1);
  }

  // Python refers back to groups that are complete, PCRE2 to any.
  void require_closed(std::size_t group) const {
    if (std::find(closed_.begin(), closed_.end(), group) == closed_.end()) {
      refuse("a reference to a group that is not complete before it");
    }
  }

  void named_reference() {
    const std::string_view rest = pattern_.substr(at_ + 4);
    const std::string_view name = rest.substr(0, rest.find(')'));
    const auto found = std::find_if(names_.begin(), names_.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    require_closed(found == names_.end() ? 0 : found->second);
    take(std::min(5 + name.size(), pattern_.size() - at_));
  }

  void numbered_reference() {
    std::size_t digits = 1;
    std::size_t group = static_cast<std::size_t>(pattern_[at_ + 1] - '0');
    if (at_ + 2 < pattern_.size() && pattern_[at_ + 2] >= '0' && pattern_[at_ + 2] <= '9') {
      group = group * 10 + static_cast<std::size_t>(pattern_[at_ + 2] - '0');
      ++digits;
    }
    require_closed(group);
    put(fmt::format("\\g{{{}}}", group), digits + 1);
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
    if (letter >= '1' && letter <= '9' && !in_class_) return numbered_reference();
    const bool is_plain = static_cast<unsigned char>(letter) < 0x80 &&
                          std::isalnum(static_cast<unsigned char>(letter)) == 0;
    if (!is_plain) refuse(fmt::format("'\\{}'", letter));
    take(2);
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  bool in_class_ = false;
  std::size_t groups_ = 0;         // capturing ones so far
  std::vector<std::size_t> open_;  // numbers of open groups, 0 for those that do not capture
  std::vector<std::size_t> closed_;
  std::vector<std::pair<std::string_view, std::size_t>> names_;
  std::string out_;
};

}  // namespace

std::string to_pcre2(std::string_view pattern) { return Translator(pattern).run(); }

}  // namespace yardstick::tasks
