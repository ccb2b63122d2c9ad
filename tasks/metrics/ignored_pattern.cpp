#define PCRE2_CODE_UNIT_WIDTH 8
#include "tasks/metrics/ignored_pattern.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <pcre2.h>

#include "core/error.hpp"
#include "tasks/metrics/characters.hpp"

namespace yardstick::tasks {
namespace {

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

// Python's \Z is the very end, which PCRE2 spells \z.
std::string respelled(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    out += pattern[i];
    if (pattern[i] != '\\' || i + 1 == pattern.size()) continue;
    ++i;
    out += pattern[i] == 'Z' ? 'z' : pattern[i];
  }
  return out;
}

}  // namespace

struct IgnoredPattern::Compiled {
  std::unique_ptr<pcre2_code, FreeCode> code;
};

IgnoredPattern::IgnoredPattern(std::string_view pattern, std::string place)
    : text_(pattern), place_(std::move(place)) {
  const std::string spelled = respelled(pattern);
  int error = 0;
  PCRE2_SIZE at = 0;
  constexpr std::uint32_t kOptions = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
  auto compiled = std::make_shared<Compiled>();
  compiled->code.reset(
      pcre2_compile(units(spelled), spelled.size(), kOptions, &error, &at, nullptr));
  if (compiled->code == nullptr) {
    throw Error(ErrorKind::kConfig, fmt::format("the pattern '{}' does not compile at byte {}: {}",
                                                pattern, at, message_of(error)));
  }
  compiled_ = std::move(compiled);
}

std::string IgnoredPattern::without_matches(std::string_view text) const {
  const std::string valid = to_utf8(code_points(text));
  std::string kept(valid.size() + 1, '\0');  // PCRE2 writes a zero behind the text
  PCRE2_SIZE size = kept.size();
  const int result = pcre2_substitute(compiled_->code.get(), units(valid), valid.size(), 0,
                                      PCRE2_SUBSTITUTE_GLOBAL, nullptr, nullptr, units(""), 0,
                                      reinterpret_cast<PCRE2_UCHAR*>(kept.data()), &size);
  if (result < 0) {
    throw Error(
        ErrorKind::kData,
        fmt::format("{}: the pattern '{}' cannot be matched against a text of {} bytes: {}; "
                    "simplify it (a repeat inside a repeat takes exponential time)",
                    place_, text_, valid.size(), message_of(result)));
  }
  kept.resize(size);
  return kept;
}

}  // namespace yardstick::tasks
