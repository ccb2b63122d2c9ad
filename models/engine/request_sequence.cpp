#include "models/engine/request_sequence.hpp"

#include <iterator>
#include <span>

namespace yardstick::models {

TreeSequence request_sequence(const Request& request, position::LengthUse length_use) {
  const std::span<const TokenId> tokens(request.tokens);
  const std::int64_t size = std::ssize(tokens);
  const bool generates = request.max_new_tokens > 0;
  const bool scores = request.score_from < size;
  TreeSequence sequence;
  if (generates) {
    sequence.tokens = tokens;
  } else if (scores) {
    sequence.tokens = tokens.first(tokens.size() - 1);
  }
  sequence.read_from = scores ? request.score_from - 1 : size - 1;
  sequence.group = length_use == position::LengthUse::kTotal ? size : 0;
  sequence.end = generates ? TreeSequence::End::kNode : TreeSequence::End::kFree;
  return sequence;
}

std::int64_t positions_needed(const Request& request) {
  const std::int64_t size = std::ssize(request.tokens);
  if (request.max_new_tokens > 0) return size + request.max_new_tokens;
  return request.score_from < size ? size - 1 : size;
}

}  // namespace yardstick::models
