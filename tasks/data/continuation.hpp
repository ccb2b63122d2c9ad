// Where a context ends and its continuation begins, in tokens. Encoding the two together may merge
// characters across the border, so the border is found, not assumed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "models/engine/request.hpp"

namespace yardstick::tasks {

enum class Boundary {
  kJoint,     ///< encode context + continuation as one text; score from where it leaves the
              ///< context's own tokens (their longest common prefix), at least one token
  kSeparate,  ///< encode both alone and lay them end to end (OLMo's way)
};

/// A text with its own ids, so that several continuations do not encode it again. A view.
struct EncodedContext {
  std::string_view text;
  std::span<const TokenId> tokens;  ///< encode(text)
};

struct ScoredContinuation {
  Request request;
  /// UTF-8 bytes behind the scored tokens: those of the continuation, and with Boundary::kJoint the
  /// end of a context that merged with it.
  std::int64_t bytes = 0;
};

/// The request that scores `continuation` after `context`, behind the model's window prefix. With
/// an empty context and no prefix the end-of-text id stands first, so that the first token has
/// something to be predicted from.
/// Nothing if there is no token to score, or none to score it from.
[[nodiscard]] std::optional<Request> continuation_request(std::string_view context,
                                                          std::string_view continuation,
                                                          Boundary boundary,
                                                          const TextCodec& codec);
[[nodiscard]] std::optional<Request> continuation_request(const EncodedContext& context,
                                                          std::string_view continuation,
                                                          Boundary boundary,
                                                          const TextCodec& codec);

/// The same with the bytes that the loss is of.
[[nodiscard]] std::optional<ScoredContinuation> scored_continuation(const EncodedContext& context,
                                                                    std::string_view continuation,
                                                                    Boundary boundary,
                                                                    const TextCodec& codec);

}  // namespace yardstick::tasks
