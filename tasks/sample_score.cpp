#include "tasks/sample_score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace yardstick::tasks {

SampleScore score_of(const Sample& sample) {
  SampleScore score;
  score.sample_id = sample.id;
  score.document_id = sample.document_id;
  score.details = sample.facts;
  return score;
}

SampleScore skipped_sample(const std::string& id, std::string reason) {
  SampleScore score;
  score.sample_id = id;
  score.document_id = id;
  score.status = SampleStatus::kSkipped;
  score.reason = std::move(reason);
  return score;
}

SampleScore non_finite(SampleScore score) {
  score.status = SampleStatus::kNonFinite;
  score.reason = "a NaN or infinity in the model's output; try dtype f32 or bf16";
  return score;
}

std::optional<Likelihood> likelihood_of(const Response& response) {
  const double nll = std::accumulate(response.nll.begin(), response.nll.end(), 0.0);
  if (response.status != ResponseStatus::kOk || !std::isfinite(nll)) return std::nullopt;
  const bool is_greedy = std::all_of(response.is_greedy.begin(), response.is_greedy.end(),
                                     [](std::uint8_t flag) { return flag != 0; });
  return Likelihood{
      .sum = -nll, .tokens = std::ssize(response.nll), .greedy = is_greedy ? 1.0 : 0.0};
}

}  // namespace yardstick::tasks
