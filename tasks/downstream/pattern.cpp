#define PCRE2_CODE_UNIT_WIDTH 8
#include "tasks/downstream/pattern.hpp"

#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <pcre2.h>

#include "core/error.hpp"

namespace yardstick::tasks {
namespace {

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeContext {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

constexpr std::uint32_t kMostSteps = 5'000'000;  // of backtracking in one search

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

bool is_about_replacement(int code) {
  return code == PCRE2_ERROR_BADREPLACEMENT || code == PCRE2_ERROR_BADREPESCAPE ||
         code == PCRE2_ERROR_REPMISSINGBRACE || code == PCRE2_ERROR_BADSUBSTITUTION ||
         code == PCRE2_ERROR_NOSUBSTRING || code == PCRE2_ERROR_UNSET;
}

}  // namespace

struct Pattern::Compiled {
  std::unique_ptr<pcre2_code, FreeCode> code;
  std::unique_ptr<pcre2_match_context, FreeContext> limits;
  std::string place;
};

Pattern::Pattern(const std::string& pattern, std::string_view place)
    : compiled_(std::make_unique<Compiled>()) {
  compiled_->place = place;
  int error = 0;
  PCRE2_SIZE at = 0;
  compiled_->code.reset(pcre2_compile(units(pattern), pattern.size(),
                                      PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &at,
                                      nullptr));
  if (compiled_->code == nullptr) {
    throw Error(ErrorKind::kConfig, fmt::format("{}: the pattern '{}' does not compile at byte {}: "
                                                "{}",
                                                place, pattern, at, message_of(error)));
  }
  pcre2_jit_compile(compiled_->code.get(), PCRE2_JIT_COMPLETE);
  compiled_->limits.reset(pcre2_match_context_create(nullptr));
  if (compiled_->limits == nullptr) {
    throw Error(ErrorKind::kMemory, "no memory for a regular expression");
  }
  pcre2_set_match_limit(compiled_->limits.get(), kMostSteps);
}

Pattern::Pattern(Pattern&& other) noexcept = default;
Pattern& Pattern::operator=(Pattern&& other) noexcept = default;
Pattern::~Pattern() = default;

std::string Pattern::replace_all(std::string_view text, std::string_view replacement) const {
  std::string out(text.size() + replacement.size() + 64, '\0');
  for (;;) {
    PCRE2_SIZE size = out.size();
    const int result = pcre2_substitute(
        compiled_->code.get(), units(text), text.size(), 0,
        PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH | PCRE2_SUBSTITUTE_UNSET_EMPTY,
        nullptr, compiled_->limits.get(), units(replacement), replacement.size(),
        reinterpret_cast<PCRE2_UCHAR*>(out.data()), &size);
    if (result == PCRE2_ERROR_NOMEMORY) {
      out.resize(size);
      continue;
    }
    if (result < 0) {
      const bool is_config = is_about_replacement(result);
      throw Error(
          is_config ? ErrorKind::kConfig : ErrorKind::kData,
          fmt::format("{}: {}: {}", compiled_->place,
                      is_config ? fmt::format("the replacement '{}' is not sound", replacement)
                                : "the pattern fails on this text",
                      message_of(result)));
    }
    out.resize(size);
    return out;
  }
}

}  // namespace yardstick::tasks
