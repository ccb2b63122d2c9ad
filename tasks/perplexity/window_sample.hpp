// A window as a request, and the sample of one or several windows of a document.
#pragma once

#include <optional>
#include <span>

#include "tasks/data/documents.hpp"
#include "tasks/perplexity/protocols/window.hpp"
#include "tasks/perplexity/summary.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// The window's tokens behind its part of `opening`.
[[nodiscard]] Request window_request(const Document& document, const Window& window,
                                     std::span<const TokenId> opening);

/// What a document's windows have in common.
struct WindowContext {
  const Document& document;
  std::span<const TokenId> opening;
  std::span<const TokenId> bos;  ///< what the model's BOS policy gives: an opening may be another
};

/// A sample that asks the windows in order. Its facts: first_token, windows, window_tokens (of the
/// longest), scored, bos, first_ids, and bytes and words of the scored tokens where the text is
/// known. The ids are the caller's.
[[nodiscard]] Sample sample_of(std::span<const Window> windows, const WindowContext& context);

/// Scores such a sample: sum_nll, tokens, and of its facts tokens_skipped, bytes and words.
[[nodiscard]] SampleScore score_windows(const Sample& sample, std::span<const Response> responses,
                                        Positions positions);

}  // namespace yardstick::tasks
