#include "tasks/perplexity/protocols/rolling.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::int64_t kLongestContext = std::int64_t{1} << 40;

class Rolling final : public WindowProtocol {
 public:
  Rolling(std::int64_t context, LastWindow last, TextBos text_bos)
      : context_(context), last_(last), text_bos_(text_bos) {}

  [[nodiscard]] std::string_view name() const override {
    return last_ == LastWindow::kSlide ? "lm-eval" : "alibi-nonoverlap";
  }
  [[nodiscard]] std::string text() const override {
    if (last_ == LastWindow::kShort) {
      return "alibi-nonoverlap windows, every token scored, the one before as first context";
    }
    return fmt::format(
        "lm-eval rolling windows, every token scored, {} token{} of context at least, last window "
        "slid back, {}",
        context_, context_ == 1 ? "" : "s",
        text_bos_ == TextBos::kOnce ? "BOS once and not scored"
                                    : "the tokenizer's BOS scored behind a second one");
  }
  void describe(Fingerprint& fingerprint) const override {
    fingerprint.add("context_len", context_);
    if (text_bos_ == TextBos::kScored) fingerprint.add("text_bos", "scored");
  }
  [[nodiscard]] std::string variant(std::span<const std::int64_t> lengths) const override {
    const std::int64_t shortest = *std::min_element(lengths.begin(), lengths.end());
    if (context_ <= shortest) return "";
    throw Error(ErrorKind::kConfig, fmt::format("perplexity: context_len is {}; expected at most "
                                                "the shortest length, {}",
                                                context_, shortest));
  }
  [[nodiscard]] std::vector<TokenId> opening(const TextCodec& codec) const override {
    std::vector<TokenId> ids = codec.window_prefix();
    if (!ids.empty()) return ids;
    if (const std::optional<TokenId> end = codec.end_of_text()) ids.push_back(*end);
    return ids;
  }
  [[nodiscard]] std::vector<TokenId> text_prefix(const TextCodec& codec) const override {
    return text_bos_ == TextBos::kScored ? codec.window_prefix() : std::vector<TokenId>{};
  }
  [[nodiscard]] Windows cut(std::span<const TokenId> stream, std::span<const TokenId> opening,
                            const CellAxes& cell) const override {
    return cut_rolling(stream, opening,
                       {.length = cell.length_tokens.value(),
                        .context = context_,
                        .last = last_,
                        .text_bos = text_bos_});
  }
  [[nodiscard]] std::int64_t tokens_needed(std::int64_t opening,
                                           const CellAxes& /*cell*/) const override {
    return 2 - opening;
  }

 private:
  std::int64_t context_;
  LastWindow last_;
  TextBos text_bos_;
};

}  // namespace

Windows cut_rolling(std::span<const TokenId> stream, std::span<const TokenId> opening,
                    const RollingPlan& plan) {
  check(plan.context >= 1 && plan.context <= plan.length, "a window has context and a target");
  const auto size = static_cast<std::int64_t>(stream.size());
  const std::int64_t prefix =
      plan.text_bos == TextBos::kScored ? std::ssize(opening) : opening_at(stream, opening, 0);
  std::vector<Window> windows;
  // The opening, or the token in its place, is the first of `length` inputs.
  std::int64_t reached = std::min(prefix > 0 ? plan.length : plan.length + 1, size);
  const std::int64_t first_target = prefix > 0 ? 0 : 1;
  if (first_target < reached) {
    windows.push_back({.begin = 0, .end = reached, .score_from = first_target, .prefix = prefix});
  }
  while (reached < size) {
    const std::int64_t end = std::min(reached + plan.length - plan.context + 1, size);
    const std::int64_t begin =
        plan.last == LastWindow::kSlide ? end - plan.length - 1 : reached - plan.context;
    windows.push_back({.begin = begin, .end = end, .score_from = reached, .prefix = 0});
    reached = end;
  }
  return with_skipped(std::move(windows), size);
}

std::unique_ptr<const WindowProtocol> make_lm_eval(Fields& fields) {
  constexpr std::array<std::pair<std::string_view, TextBos>, 2> kWords = {
      {{"once", TextBos::kOnce}, {"scored", TextBos::kScored}}};
  return std::make_unique<Rolling>(
      fields.optional_integer("context_len", 1, kLongestContext).value_or(1), LastWindow::kSlide,
      fields.choice("text_bos", TextBos::kOnce,
                    std::span<const std::pair<std::string_view, TextBos>>(kWords)));
}

std::unique_ptr<const WindowProtocol> make_alibi_nonoverlap(Fields& /*fields*/) {
  return std::make_unique<Rolling>(1, LastWindow::kShort, TextBos::kOnce);
}

}  // namespace yardstick::tasks
