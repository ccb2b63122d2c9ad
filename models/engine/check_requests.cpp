// The conditions of Request, with messages.
#include "models/engine/check_requests.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/engine/request_sequence.hpp"

namespace yardstick::models {
namespace {

void check_sampling(const Sampling& sampling) {
  const auto refuse = [](std::string_view name, auto found, std::string_view expected) {
    throw Error(ErrorKind::kModel,
                fmt::format("sampling: {} is {}; expected {}", name, found, expected));
  };
  if (!std::isfinite(sampling.temperature) || sampling.temperature < 0) {
    refuse("temperature", sampling.temperature, "0 (greedy) or a finite number above it");
  }
  if (sampling.top_k < 0) refuse("top_k", sampling.top_k, "0 (all tokens) or more");
  if (!(sampling.top_p > 0 && sampling.top_p <= 1)) {
    refuse("top_p", sampling.top_p, "a share above 0 and up to 1 (all tokens)");
  }
}

void check_request(const Request& request, const RequestLimits& limits) {
  const std::int64_t size = std::ssize(request.tokens);
  if (size == 0) {
    throw Error(ErrorKind::kModel,
                "it has no tokens; expected at least one (a BOS token, if nothing else)");
  }
  for (std::int64_t i = 0; i < size; ++i) {
    const TokenId id = request.tokens[static_cast<std::size_t>(i)];
    if (id < 0 || id >= limits.vocabulary) {
      throw Error(ErrorKind::kModel,
                  fmt::format("token {} is {}, but the model's vocabulary has ids 0 to {}", i, id,
                              limits.vocabulary - 1));
    }
  }
  if (request.score_from < 1 || request.score_from > size) {
    throw Error(ErrorKind::kModel, fmt::format("score_from is {}; expected 1 to {} (its tokens)",
                                               request.score_from, size));
  }
  if (request.max_new_tokens < 0) {
    throw Error(ErrorKind::kModel,
                fmt::format("max_new_tokens is {}; expected 0 or more", request.max_new_tokens));
  }
  check_sampling(request.sampling);
  const std::int64_t longest = positions_needed(request);
  if (limits.longest_sequence && longest > *limits.longest_sequence) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("its sequence takes {} positions, but the model's learned position table "
                    "ends at {}",
                    longest, *limits.longest_sequence));
  }
}

}  // namespace

void check_requests(std::span<const Request> requests, const RequestLimits& limits) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    try {
      check_request(requests[i], limits);
    } catch (const Error& error) {
      throw error.within(fmt::format("request {} of {}", i + 1, requests.size()));
    }
  }
}

}  // namespace yardstick::models
