#define PCRE2_CODE_UNIT_WIDTH 8
#include "models/tokenizer/regex.hpp"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <pcre2.h>

#include "core/error.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatchData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
struct FreeMatchContext {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
struct FreeJitStack {
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};
struct FreeCompileContext {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

struct Regex::Compiled {
  std::unique_ptr<pcre2_code, FreeCode> code;
};

Regex::Regex(const std::string& pattern) : compiled_(std::make_unique<Compiled>()) {
  const std::unique_ptr<pcre2_compile_context, FreeCompileContext> context(
      pcre2_compile_context_create(nullptr));
  if (context == nullptr) throw Error(ErrorKind::kMemory, "no memory for a regular expression");
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  PCRE2_SIZE at = 0;
  constexpr std::uint32_t kOptions =
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  compiled_->code.reset(
      pcre2_compile(units(pattern), pattern.size(), kOptions, &error, &at, context.get()));
  if (compiled_->code == nullptr) {
    throw Error(ErrorKind::kData, fmt::format("the pattern '{}' does not compile at byte {}: {}",
                                              pattern, at, message_of(error)));
  }
  // Without a just-in-time compiler (some platforms) matching interprets the pattern: same results.
  pcre2_jit_compile(compiled_->code.get(), PCRE2_JIT_COMPLETE);
}

Regex::Regex(Regex&& other) noexcept = default;
Regex& Regex::operator=(Regex&& other) noexcept = default;
Regex::~Regex() = default;

class RegexSearch::Matcher {
 public:
  explicit Matcher(const pcre2_code* code)
      : code_(code), data_(pcre2_match_data_create_from_pattern(code, nullptr)) {
    if (data_ == nullptr) throw Error(ErrorKind::kMemory, "no memory for a regular expression");
  }

  std::optional<Stretch> find(std::string_view text, std::size_t from) {
    int result = match(text, from);
    if (result == PCRE2_ERROR_JIT_STACKLIMIT && context_ == nullptr) {
      use_large_stack();
      result = match(text, from);
    }
    if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (result < 0) {
      throw Error(ErrorKind::kData,
                  fmt::format("a pattern of the tokenizer fails on this text at byte {}: {}; "
                              "split the text into shorter ones",
                              from, message_of(result)));
    }
    const PCRE2_SIZE* const offsets = pcre2_get_ovector_pointer(data_.get());
    return Stretch{offsets[0], offsets[1], Stretch::Kind::kMatch};
  }

 private:
  int match(std::string_view text, std::size_t from) {
    return pcre2_match(code_, units(text), text.size(), from, PCRE2_NO_UTF_CHECK, data_.get(),
                       context_.get());
  }

  void use_large_stack() {
    context_.reset(pcre2_match_context_create(nullptr));
    stack_.reset(pcre2_jit_stack_create(32U << 10U, 64U << 20U, nullptr));
    if (context_ == nullptr || stack_ == nullptr)
      throw Error(ErrorKind::kMemory, "no memory for a regular expression's stack");
    pcre2_jit_stack_assign(context_.get(), nullptr, stack_.get());
  }

  const pcre2_code* code_;
  std::unique_ptr<pcre2_match_data, FreeMatchData> data_;
  std::unique_ptr<pcre2_jit_stack, FreeJitStack> stack_;
  std::unique_ptr<pcre2_match_context, FreeMatchContext> context_;
};

RegexSearch::RegexSearch(const Regex& regex)
    : matcher_(std::make_unique<Matcher>(regex.compiled().code.get())) {}

RegexSearch::~RegexSearch() = default;

void RegexSearch::partition(std::string_view text, std::vector<Stretch>& out) {
  std::size_t done = 0;
  std::size_t from = 0;
  std::optional<std::size_t> last_end;
  while (from <= text.size()) {
    const std::optional<Stretch> match = matcher_->find(text, from);
    if (!match) break;
    if (match->begin == match->end && last_end == match->end) {
      from += from < text.size() ? code_point_at(text, from).length_bytes : 1;
      continue;
    }
    if (done < match->begin) out.push_back({done, match->begin, Stretch::Kind::kGap});
    out.push_back(*match);
    done = from = match->end;
    last_end = match->end;
  }
  if (done < text.size()) out.push_back({done, text.size(), Stretch::Kind::kGap});
}

std::string quote_pattern(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x80) {
      out += fmt::format("\\x{{{:x}}}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace yardstick::tokenizer
