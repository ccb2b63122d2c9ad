// What the output types that score given texts have in common: where a context ends, and which
// values a cell's samples have.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "tasks/data/continuation.hpp"
#include "tasks/sample_score.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Reads `boundary`: joint (the default) or separate.
[[nodiscard]] Boundary read_boundary(Fields& fields);
[[nodiscard]] std::string_view to_string(Boundary boundary);

/// Why a text behind an empty context cannot be scored.
[[nodiscard]] std::string nothing_to_score(std::string_view text);

/// The values of this name, of the samples that are kOk and have one.
[[nodiscard]] std::vector<double> values_of(std::span<const SampleScore> scores,
                                            const std::string& name);

}  // namespace yardstick::tasks
