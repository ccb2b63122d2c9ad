#include "core/yaml_mistakes.hpp"

#include <algorithm>

namespace yardstick {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::size_t line_of(std::string_view text, std::size_t offset) {
  return static_cast<std::size_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

/// Offset of a line (from 0), the text's end if there are fewer.
std::size_t line_begin(std::string_view text, std::size_t line) {
  std::size_t at = 0;
  for (; line > 0 && at < text.size(); --line) {
    const std::size_t end = text.find('\n', at);
    at = end == kNone ? text.size() : end + 1;
  }
  return at;
}

/// Walks over a text as far as it takes to know where quoted texts begin: past comments, block
/// texts and plain ones.
class QuoteScanner {
 public:
  QuoteScanner(std::string_view text, std::size_t fault_line)
      : text_(text), fault_line_(fault_line) {}

  /// The quote that runs into the line at fault: to the end, or to the quote that begins another
  /// text, so that what is in that one stands behind it.
  std::optional<std::size_t> find() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        begin_line(at_ + 1);
      } else if (is_blank(c)) {
        ++at_;
      } else if (c == '#' && (at_ == 0 || is_blank(text_[at_ - 1]) || text_[at_ - 1] == '\n')) {
        at_ = end_of_line(at_);
      } else if (!may_begin_) {
        inside_plain(c);
      } else if (c == '"' || c == '\'') {
        const std::size_t end = end_of_quoted(text_, at_);
        if (is_open(end)) return at_;
        at_ = std::min(end, text_.size());
        may_begin_ = false;
      } else {
        begin_value(c);
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::size_t end_of_line(std::size_t from) const {
    return std::min(text_.find('\n', from), text_.size());
  }

  [[nodiscard]] bool blank_follows() const {
    return at_ + 1 >= text_.size() || is_blank(text_[at_ + 1]) || text_[at_ + 1] == '\n';
  }

  void begin_line(std::size_t offset) {
    at_ = offset;
    line_ = offset;
    may_begin_ = true;
  }

  void inside_plain(char c) {
    if (c == ':' && blank_follows()) may_begin_ = true;
    if (depth_ > 0 && c == ',') may_begin_ = true;
    if (depth_ > 0 && (c == ']' || c == '}')) --depth_;
    ++at_;
  }

  void begin_value(char c) {
    if (c == '[' || c == '{') {
      ++depth_;
      ++at_;
    } else if (depth_ == 0 && (c == '|' || c == '>')) {
      skip_block();
    } else if (c == '&' || c == '!') {
      while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '\n') ++at_;
    } else {
      column_ = at_ - line_;
      may_begin_ = (c == '-' || c == '?') && blank_follows();
      inside_plain(c);
    }
  }

  /// The lines that are indented more than the key or dash that they belong to.
  void skip_block() {
    begin_line(std::min(end_of_line(at_) + 1, text_.size()));
    while (at_ < text_.size()) {
      const std::size_t first = text_.find_first_not_of(" \r", at_);
      const bool is_inside = first == kNone || text_[first] == '\n' || first - at_ > column_;
      if (!is_inside) return;
      begin_line(std::min(end_of_line(at_) + 1, text_.size()));
    }
  }

  [[nodiscard]] bool is_open(std::size_t end) const {
    if (line_of(text_, at_) > fault_line_) return false;
    if (end == kNone) return true;
    if (line_of(text_, at_) == line_of(text_, end) || line_of(text_, end) < fault_line_) {
      return false;
    }
    std::size_t next = end;
    while (next < text_.size() && is_blank(text_[next])) ++next;
    return next < text_.size() && std::string_view("\n#,]}:").find(text_[next]) == kNone;
  }

  std::string_view text_;
  std::size_t fault_line_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;    // offset of the line
  std::size_t column_ = 0;  // of the last key or dash
  int depth_ = 0;           // of brackets
  bool may_begin_ = true;   // a value may begin here
};

}  // namespace

std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      const bool is_doubled = quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
      if (!is_doubled) return i + 1;
      ++i;
    }
  }
  return kNone;
}

std::optional<YamlMistake> find_yaml_mistake(std::string_view text, std::size_t fault_line) {
  const std::size_t begin = line_begin(text, fault_line);
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  if (const std::size_t tab = line.substr(0, indent).find('\t'); tab != kNone) {
    return YamlMistake{.offset = begin + tab, .what = "a tab; indent with blanks"};
  }
  if (const std::optional<std::size_t> quote = QuoteScanner(text, fault_line).find()) {
    return YamlMistake{.offset = *quote, .what = kOpenQuote};
  }
  for (const std::string_view bare : {": {{", "- {{"}) {
    if (const std::size_t found = line.find(bare); found != kNone) {
      return YamlMistake{.offset = begin + found + 2, .what = kBareTemplate};
    }
  }
  const std::size_t colon = line.find(": ");
  const std::size_t value = colon == kNone ? kNone : line.find_first_not_of(' ', colon + 1);
  const bool is_plain = value != kNone && std::string_view("\"'[{|>#").find(line[value]) == kNone;
  if (is_plain && line.find(": ", value) != kNone) {
    return YamlMistake{.offset = begin + value, .what = "put text with ': ' in quotes"};
  }
  return std::nullopt;
}

}  // namespace yardstick
