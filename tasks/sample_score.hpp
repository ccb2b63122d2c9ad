// How a sample's score begins, and how it ends early: shared by all kinds of tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/engine/request.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// A score with the sample's ids and its facts as details.
[[nodiscard]] SampleScore score_of(const Sample& sample);

/// A sample that is not asked, of a document of its own.
[[nodiscard]] SampleScore skipped_sample(const std::string& id, std::string reason);

/// `score`, marked as not finite.
[[nodiscard]] SampleScore non_finite(SampleScore score);

/// Likelihood of the scored tokens of a request.
struct Likelihood {
  double sum = 0;  ///< nats, ln p
  std::int64_t tokens = 0;
  double greedy = 0;  ///< 1 if greedy decoding would write them, else 0
};

/// Nothing if a number of the response is not finite.
[[nodiscard]] std::optional<Likelihood> likelihood_of(const Response& response);

}  // namespace yardstick::tasks
