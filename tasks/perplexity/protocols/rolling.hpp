// Windows of L inputs that predict the next tokens: `lm-eval` (lm-evaluation-harness's rolling
// log-likelihood) and `alibi-nonoverlap` (ALiBi's evaluation with context window 0).
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/perplexity/protocols/window.hpp"

namespace yardstick::tasks {

/// What a last window does that has fewer targets than the others.
enum class LastWindow {
  kSlide,  ///< begins earlier, so that it has all its inputs and more context
  kShort,
};

/// The BOS that a tokenizer puts in front of a text, beside the prefix token.
enum class TextBos {
  kOnce,    ///< the prefix token is it: not scored, and not doubled
  kScored,  ///< it is the text's first token, scored behind a prefix token of its own
};

struct RollingPlan {
  std::int64_t length = 0;   ///< inputs of a window; with the last target it has a token more
  std::int64_t context = 1;  ///< tokens before the first target, 1 <= context <= length
  LastWindow last = LastWindow::kSlide;
  TextBos text_bos = TextBos::kOnce;
};

/// Every token is a target once. The first window's targets stand behind the opening, which is
/// there once; each further window begins `context` tokens before its length - context + 1 targets.
/// Without an opening the stream's first token is not scored.
[[nodiscard]] Windows cut_rolling(std::span<const TokenId> stream, std::span<const TokenId> opening,
                                  const RollingPlan& plan);

/// Reads `context_len` and `text_bos`.
[[nodiscard]] std::unique_ptr<const WindowProtocol> make_lm_eval(Fields& fields);
[[nodiscard]] std::unique_ptr<const WindowProtocol> make_alibi_nonoverlap(Fields& fields);

}  // namespace yardstick::tasks
