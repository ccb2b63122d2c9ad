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
struct FreeMatchData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
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

// The groups of a match, or all of it if the pattern has none.
std::vector<std::string> groups_of(std::string_view text, pcre2_match_data* data, int result) {
  const PCRE2_SIZE* const offsets = pcre2_get_ovector_pointer(data);
  const auto groups = static_cast<std::size_t>(pcre2_get_ovector_count(data)) - 1;
  std::vector<std::string> out;
  for (std::size_t i = groups == 0 ? 0 : 1; i <= groups; ++i) {
    const bool takes_part = static_cast<int>(i) < result && offsets[2 * i] != PCRE2_UNSET;
    out.emplace_back(takes_part ? text.substr(offsets[2 * i], offsets[2 * i + 1] - offsets[2 * i])
                                : "");
  }
  return out;
}

std::size_t next_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  return at;
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

std::vector<std::vector<std::string>> Pattern::find_all(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, FreeMatchData> data(
      pcre2_match_data_create_from_pattern(compiled_->code.get(), nullptr));
  if (data == nullptr) throw Error(ErrorKind::kMemory, "no memory for a regular expression");
  // Where an empty match stood, only a longer one may stand as well.
  constexpr std::uint32_t kLonger = PCRE2_NOTEMPTY_ATSTART | PCRE2_ANCHORED;
  std::vector<std::vector<std::string>> out;
  std::uint32_t options = 0;
  for (std::size_t from = 0; from <= text.size();) {
    const int result = pcre2_match(compiled_->code.get(), units(text), text.size(), from, options,
                                   data.get(), compiled_->limits.get());
    if (result == PCRE2_ERROR_NOMATCH && options == 0) break;
    if (result == PCRE2_ERROR_NOMATCH) {
      options = 0;
      from = next_character(text, from);
      continue;
    }
    if (result < 0) {
      throw Error(ErrorKind::kData, fmt::format("{}: the pattern fails on this text: {}",
                                                compiled_->place, message_of(result)));
    }
    out.push_back(groups_of(text, data.get(), result));
    const PCRE2_SIZE* const offsets = pcre2_get_ovector_pointer(data.get());
    options = offsets[0] == offsets[1] ? kLonger : 0;
    from = offsets[1];
  }
  return out;
}

}  // namespace yardstick::tasks
