#define PCRE2_CODE_UNIT_WIDTH 8

#include "tasks/template/python_regex.hpp"

#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>
#include <pcre2.h>

#include "core/error.hpp"
#include "tasks/template/python_regex_syntax.hpp"

namespace yardstick::tasks {
namespace {

// Bounds on backtracking: steps of one match, and memory for it in KiB.
constexpr std::uint32_t kMatchLimit = 1'000'000;
constexpr std::uint32_t kHeapLimitKib = 64 * 1024;

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
struct FreeMatchContext {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
struct FreeCompileContext {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

// A replacement as text and numbers of groups.
struct Part {
  std::string text;
  std::optional<std::size_t> group;
};

}  // namespace

struct PythonRegex::Compiled {
  std::string pattern;
  std::unique_ptr<pcre2_code, FreeCode> code;
  std::unique_ptr<pcre2_match_context, FreeMatchContext> context;
  std::size_t groups = 0;

  [[nodiscard]] Error unreadable(std::string_view replacement, std::string_view what) const {
    return {ErrorKind::kConfig,
            fmt::format("the replacement '{}' of the regular expression '{}': {}", replacement,
                        pattern, what)};
  }

  // The group that "\g<written>" names.
  [[nodiscard]] std::size_t group_named(std::string_view replacement,
                                        std::string_view written) const {
    std::size_t number = 0;
    const char* const end = written.data() + written.size();
    const auto [next, error] = std::from_chars(written.data(), end, number);
    if (error == std::errc() && next == end) {
      if (number > groups)
        throw unreadable(replacement, fmt::format("there is no group {}", number));
      return number;
    }
    const std::string name(written);
    const int found =
        pcre2_substring_number_from_name(code.get(), reinterpret_cast<PCRE2_SPTR>(name.c_str()));
    if (found <= 0) throw unreadable(replacement, fmt::format("there is no group '{}'", name));
    return static_cast<std::size_t>(found);
  }

  [[nodiscard]] std::vector<Part> read_replacement(std::string_view replacement) const {
    constexpr std::string_view kLetters = "abfnrtv\\";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\";
    std::vector<Part> out(1);
    std::string_view rest = replacement;
    const auto add_group = [&](std::size_t group) {
      out.back().group = group;
      out.emplace_back();
    };
    while (!rest.empty()) {
      const std::size_t backslash = std::min(rest.find('\\'), rest.size());
      out.back().text += rest.substr(0, backslash);
      rest.remove_prefix(backslash);
      if (rest.empty()) break;
      if (rest.size() == 1) throw unreadable(replacement, "it ends in a '\\'");
      const char letter = rest[1];
      rest.remove_prefix(2);
      if (const std::size_t known = kLetters.find(letter); known != std::string_view::npos) {
        out.back().text += kMeanings[known];
      } else if (letter >= '1' && letter <= '9') {
        std::size_t digits = 1;
        if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') ++digits;
        if (digits == 2 && rest.size() > 1 && rest[1] >= '0' && rest[1] <= '7') {
          throw unreadable(replacement, "octal escapes are not supported");
        }
        const std::string_view written(rest.data() - 1, digits);
        add_group(group_named(replacement, written));
        rest.remove_prefix(digits - 1);
      } else if (letter == 'g' && rest.starts_with('<') &&
                 rest.find('>') != std::string_view::npos) {
        const std::size_t close = rest.find('>');
        add_group(group_named(replacement, rest.substr(1, close - 1)));
        rest.remove_prefix(close + 1);
      } else if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
        throw unreadable(replacement, fmt::format("'\\{}' is not supported", letter));
      } else {
        out.back().text += '\\';
        out.back().text += letter;
      }
    }
    return out;
  }
};

PythonRegex::PythonRegex(std::string_view pattern) {
  const std::string translated = to_pcre2(pattern);
  auto compiled = std::make_shared<Compiled>();
  compiled->pattern = std::string(pattern);
  const std::unique_ptr<pcre2_compile_context, FreeCompileContext> context(
      pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  PCRE2_SIZE at = 0;
  compiled->code.reset(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_ALT_CIRCUMFLEX, &error, &at, context.get()));
  if (!compiled->code) {
    throw Error(ErrorKind::kConfig,
                fmt::format("'{}' is no regular expression: it does not compile near byte {}: {}",
                            pattern, at, message_of(error)));
  }
  compiled->context.reset(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(compiled->context.get(), kMatchLimit);
  pcre2_set_heap_limit(compiled->context.get(), kHeapLimitKib);
  std::uint32_t groups = 0;
  pcre2_pattern_info(compiled->code.get(), PCRE2_INFO_CAPTURECOUNT, &groups);
  compiled->groups = groups;
  compiled_ = std::move(compiled);
}

// The matches of a text, left to right.
class PythonRegex::Matches {
 public:
  Matches(const Compiled& compiled, std::string_view text)
      : compiled_(compiled),
        text_(text),
        data_(pcre2_match_data_create_from_pattern(compiled.code.get(), nullptr)) {}

  std::optional<Match> next() {
    const int found =
        pcre2_match(compiled_.code.get(), reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(),
                    from_, options_, data_.get(), compiled_.context.get());
    if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (found < 0) {
      throw Error(ErrorKind::kData,
                  fmt::format("the regular expression '{}' gave up on a text of {} bytes: {}; "
                              "simplify it (a repeat inside a repeat takes exponential time)",
                              compiled_.pattern, text_.size(), message_of(found)));
    }
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data_.get());
    Match out(compiled_.groups + 1);
    for (std::size_t group = 0; group < out.size(); ++group) {
      if (ends[2 * group] == PCRE2_UNSET) continue;
      out[group] = Span{.begin = ends[2 * group], .end = ends[2 * group + 1]};
    }
    from_ = out.front()->end;
    // The text's UTF-8 was checked with the first match. Behind an empty match the next one at the
    // same place must not be empty.
    options_ = PCRE2_NO_UTF_CHECK;
    if (out.front()->begin == from_) options_ |= PCRE2_NOTEMPTY_ATSTART;
    return out;
  }

 private:
  const Compiled& compiled_;
  std::string_view text_;
  std::unique_ptr<pcre2_match_data, FreeData> data_;
  std::size_t from_ = 0;
  std::uint32_t options_ = 0;
};

const std::string& PythonRegex::pattern() const { return compiled_->pattern; }

std::optional<PythonRegex::Match> PythonRegex::search(std::string_view text) const {
  return Matches(*compiled_, text).next();
}

std::vector<PythonRegex::Match> PythonRegex::find_all(std::string_view text) const {
  std::vector<Match> out;
  Matches matches(*compiled_, text);
  while (std::optional<Match> match = matches.next()) out.push_back(std::move(*match));
  return out;
}

std::string PythonRegex::substitute(std::string_view text, std::string_view replacement,
                                    std::int64_t count, std::size_t max_bytes) const {
  const std::vector<Part> parts = compiled_->read_replacement(replacement);
  std::string out;
  const auto append = [&](std::string_view piece) {
    if (piece.size() > max_bytes - out.size()) {
      throw Error(ErrorKind::kData, fmt::format("replacing '{}' gives more than {} bytes",
                                                compiled_->pattern, max_bytes));
    }
    out += piece;
  };
  Matches matches(*compiled_, text);
  std::size_t copied = 0;
  for (std::int64_t i = 0; count == 0 || i < count; ++i) {
    const std::optional<Match> match = matches.next();
    if (!match) break;
    const Span whole = *match->front();
    append(text.substr(copied, whole.begin - copied));
    for (const Part& part : parts) {
      append(part.text);
      if (!part.group || !match->at(*part.group)) continue;
      const Span group = *match->at(*part.group);
      append(text.substr(group.begin, group.end - group.begin));
    }
    copied = whole.end;
  }
  append(text.substr(copied));
  return out;
}

}  // namespace yardstick::tasks
