// What the output types that score given texts have in common: where a context ends, what a
// response says about the text, and which values a cell's samples have.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "models/engine/request.hpp"
#include "tasks/data/continuation.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Reads `boundary`: joint (the default) or separate.
[[nodiscard]] Boundary read_boundary(Fields& fields);
[[nodiscard]] std::string_view to_string(Boundary boundary);

/// Why a text behind an empty context cannot be scored.
[[nodiscard]] std::string nothing_to_score(std::string_view text);

inline constexpr std::string_view kNonFiniteReason =
    "a NaN or infinity in the model's output; try dtype f32 or bf16";

/// Likelihood of the scored tokens of a request.
struct Likelihood {
  double sum = 0;  ///< nats, ln p
  std::int64_t tokens = 0;
  double greedy = 0;  ///< 1 if greedy decoding would write them, else 0
};

/// Nothing if a number of the response is not finite.
[[nodiscard]] std::optional<Likelihood> likelihood_of(const Response& response);

/// A score with the sample's ids and its facts as details.
[[nodiscard]] SampleScore score_of(const Sample& sample);

/// `score`, marked as not finite.
[[nodiscard]] SampleScore non_finite(SampleScore score);

/// The values of this name, of the samples that are kOk and have one.
[[nodiscard]] std::vector<double> values_of(std::span<const SampleScore> scores,
                                            const std::string& name);

/// Mean of credits in [0, 1] with sample SD / sqrt(n) and Wilson's interval; not empty.
[[nodiscard]] MetricValue accuracy_metric(std::string name, std::span<const double> credits);

}  // namespace yardstick::tasks
