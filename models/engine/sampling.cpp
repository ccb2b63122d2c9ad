#include "models/engine/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"

namespace yardstick::models {
namespace {

struct Candidate {
  double logit = 0;
  TokenId id = 0;
  double weight = 0;  ///< its probability, up to a factor that all candidates share
};
using Candidates = std::vector<Candidate>;  // by id, between two steps

bool ranks_before(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

void sort_by_id(Candidates& candidates) { std::ranges::sort(candidates, {}, &Candidate::id); }

double total_weight(const Candidates& candidates) {
  double total = 0;
  for (const Candidate& candidate : candidates) total += candidate.weight;
  return total;
}

Candidates candidates_of(std::span<const float> logits) {
  Candidates candidates(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i)
    candidates[i] = {.logit = logits[i], .id = static_cast<TokenId>(i)};
  return candidates;
}

// A temperature changes no rank, so cutting first gives the same and spares exponentials.
void keep_top_k(Candidates& candidates, std::int64_t k) {
  if (k == 0 || k >= std::ssize(candidates)) return;
  std::nth_element(candidates.begin(), candidates.begin() + k, candidates.end(), ranks_before);
  candidates.resize(static_cast<std::size_t>(k));
  sort_by_id(candidates);
}

// Relative to the largest logit: no temperature overflows, and the likeliest weighs 1.
void weigh(Candidates& candidates, double temperature) {
  const double largest = std::ranges::max_element(candidates, {}, &Candidate::logit)->logit;
  for (Candidate& candidate : candidates)
    candidate.weight = std::exp((candidate.logit - largest) / temperature);
}

// A heap, since the run that is kept is short as a rule, and sorting a vocabulary is not free.
void keep_top_p(Candidates& candidates, double p) {
  if (p >= 1) return;
  const double wanted = p * total_weight(candidates);
  const auto ranks_behind = [](const Candidate& a, const Candidate& b) {
    return ranks_before(b, a);
  };
  std::ranges::make_heap(candidates, ranks_behind);
  Candidates kept;
  for (double reached = 0; reached < wanted && !candidates.empty();) {
    std::ranges::pop_heap(candidates, ranks_behind);
    kept.push_back(candidates.back());
    candidates.pop_back();
    reached += kept.back().weight;
  }
  candidates = std::move(kept);
  sort_by_id(candidates);
}

}  // namespace

std::optional<Draw> draw_of(const Sampling& sampling, std::int64_t step) {
  if (sampling.temperature == 0) return std::nullopt;
  return Draw{.sampling = sampling, .step = step};
}

TokenId draw_token(std::span<const float> logits, const Draw& draw) {
  check(!logits.empty() && draw.sampling.temperature > 0,
        "a draw has candidates and is not greedy");
  Candidates candidates = candidates_of(logits);
  keep_top_k(candidates, draw.sampling.top_k);
  weigh(candidates, draw.sampling.temperature);
  keep_top_p(candidates, draw.sampling.top_p);
  Random random(draw.sampling.seed, "generate", static_cast<std::uint64_t>(draw.step));
  const double point = random.uniform() * total_weight(candidates);
  double reached = 0;
  for (const Candidate& candidate : candidates) {
    reached += candidate.weight;
    if (point < reached) return candidate.id;
  }
  check(false, "a uniform number below 1 of the total lies below the total");
  return candidates.back().id;
}

}  // namespace yardstick::models
