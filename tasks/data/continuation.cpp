#include "tasks/data/continuation.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace yardstick::tasks {
namespace {

struct Pieces {
  std::vector<TokenId> tokens;
  std::size_t context = 0;  ///< tokens[0 .. context) are not scored
  std::int64_t bytes = 0;   ///< of the text behind the others
};

Pieces encode_jointly(const EncodedContext& context, std::string_view continuation,
                      const TextCodec& codec) {
  const std::string text = std::string(context.text) + std::string(continuation);
  const std::vector<TokenSpan> spans = codec.encode_spans(text);
  Pieces pieces;
  if (spans.empty()) return pieces;
  pieces.tokens.reserve(spans.size());
  for (const TokenSpan& span : spans) pieces.tokens.push_back(span.id);
  const auto parting = std::mismatch(context.tokens.begin(), context.tokens.end(),
                                     pieces.tokens.begin(), pieces.tokens.end());
  const auto common = static_cast<std::size_t>(parting.first - context.tokens.begin());
  pieces.context = std::min(common, pieces.tokens.size() - 1);
  pieces.bytes = std::ssize(text) - (pieces.context == 0 ? 0 : spans[pieces.context - 1].end);
  return pieces;
}

Pieces encode_separately(const EncodedContext& context, std::string_view continuation,
                         const TextCodec& codec) {
  Pieces pieces{.tokens = {context.tokens.begin(), context.tokens.end()},
                .context = context.tokens.size(),
                .bytes = std::ssize(continuation)};
  const std::vector<TokenId> rest = codec.encode(continuation);
  pieces.tokens.insert(pieces.tokens.end(), rest.begin(), rest.end());
  return pieces;
}

}  // namespace

std::optional<Request> continuation_request(std::string_view context, std::string_view continuation,
                                            Boundary boundary, const TextCodec& codec) {
  const std::vector<TokenId> tokens = codec.encode(context);
  return continuation_request(EncodedContext{.text = context, .tokens = tokens}, continuation,
                              boundary, codec);
}

std::optional<Request> continuation_request(const EncodedContext& context,
                                            std::string_view continuation, Boundary boundary,
                                            const TextCodec& codec) {
  std::optional<ScoredContinuation> scored =
      scored_continuation(context, continuation, boundary, codec);
  if (!scored) return std::nullopt;
  return std::move(scored->request);
}

std::optional<ScoredContinuation> scored_continuation(const EncodedContext& context,
                                                      std::string_view continuation,
                                                      Boundary boundary, const TextCodec& codec) {
  const Pieces pieces = boundary == Boundary::kJoint
                            ? encode_jointly(context, continuation, codec)
                            : encode_separately(context, continuation, codec);
  if (pieces.context == pieces.tokens.size()) return std::nullopt;
  Request request{.tokens = codec.window_prefix()};
  if (!request.tokens.empty() && pieces.tokens.front() == request.tokens.back() &&
      pieces.context > 0) {
    request.tokens.pop_back();  // the text brings its own BOS
  }
  if (request.tokens.empty() && pieces.context == 0) {
    const std::optional<TokenId> end = codec.end_of_text();
    if (!end) return std::nullopt;
    request.tokens.push_back(*end);
  }
  request.score_from = static_cast<std::int64_t>(request.tokens.size() + pieces.context);
  request.tokens.insert(request.tokens.end(), pieces.tokens.begin(), pieces.tokens.end());
  return ScoredContinuation{.request = std::move(request), .bytes = pieces.bytes};
}

}  // namespace yardstick::tasks
