#include "tasks/perplexity/window_sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "tasks/sample_score.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::size_t kFirstIdsShown = 8;

std::string bos_fact(const Window& first, const WindowContext& context) {
  if (first.prefix == 0) return "none added";
  const bool is_bos = std::ranges::equal(context.opening, context.bos);
  return is_bos ? "added" : "end of text in its place";
}

std::int64_t sum_over(const std::vector<std::int32_t>& counts, std::span<const Window> windows) {
  std::int64_t sum = 0;
  for (const Window& window : windows) {
    sum += std::accumulate(counts.begin() + window.score_from, counts.begin() + window.end,
                           std::int64_t{0});
  }
  return sum;
}

bool is_finite(const Response& response) {
  return response.status == ResponseStatus::kOk &&
         std::all_of(response.nll.begin(), response.nll.end(),
                     [](double x) { return std::isfinite(x); });
}

}  // namespace

Request window_request(const Document& document, const Window& window,
                       std::span<const TokenId> opening) {
  Request request;
  const auto prefix = static_cast<std::ptrdiff_t>(window.prefix);
  request.tokens.assign(opening.begin(), opening.begin() + prefix);
  request.tokens.insert(request.tokens.end(), document.tokens.begin() + window.begin,
                        document.tokens.begin() + window.end);
  request.score_from = window.prefix + window.score_from - window.begin;
  return request;
}

Sample sample_of(std::span<const Window> windows, const WindowContext& context) {
  Sample sample;
  std::size_t longest = 0;
  std::int64_t scored = 0;
  for (const Window& window : windows) {
    sample.requests.push_back(window_request(context.document, window, context.opening));
    longest = std::max(longest, sample.requests.back().tokens.size());
    scored += window.end - window.score_from;
  }
  const std::vector<TokenId>& first = sample.requests.front().tokens;
  const auto shown = static_cast<std::ptrdiff_t>(std::min(first.size(), kFirstIdsShown));
  sample.facts = {{"first_token", windows.front().begin},
                  {"windows", windows.size()},
                  {"window_tokens", longest},
                  {"scored", scored},
                  {"bos", bos_fact(windows.front(), context)},
                  {"first_ids", std::vector<TokenId>(first.begin(), first.begin() + shown)}};
  if (!context.document.bytes.empty()) {
    sample.facts["bytes"] = sum_over(context.document.bytes, windows);
    sample.facts["words"] = sum_over(context.document.words, windows);
  }
  return sample;
}

SampleScore score_windows(const Sample& sample, std::span<const Response> responses,
                          Positions positions) {
  check(responses.size() == sample.requests.size(), "each window is one request");
  SampleScore score = score_of(sample);
  score.values["tokens_skipped"] = sample.facts.at("tokens_skipped").get<double>();
  if (!std::all_of(responses.begin(), responses.end(), is_finite)) {
    return non_finite(std::move(score));
  }
  PositionSums sums(positions);
  double nll = 0;
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < responses.size(); ++i) {
    const Request& request = sample.requests[i];
    const std::vector<double>& losses = responses[i].nll;
    check(static_cast<std::int64_t>(losses.size()) ==
              static_cast<std::int64_t>(request.tokens.size()) - request.score_from,
          "a response has one loss for each scored token");
    nll += std::accumulate(losses.begin(), losses.end(), 0.0);
    tokens += losses.size();
    sums.add(losses, request.score_from);
  }
  score.values["sum_nll"] = nll;
  score.values["tokens"] = static_cast<double>(tokens);
  for (const char* const name : {"bytes", "words"})
    if (sample.facts.contains(name)) score.values[name] = sample.facts.at(name).get<double>();
  score.position_losses = sums.take();
  return score;
}

}  // namespace yardstick::tasks
