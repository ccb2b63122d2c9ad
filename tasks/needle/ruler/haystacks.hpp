// The noise and the essays that RULER's needles and variables are hidden in.
#pragma once

#include <vector>

#include "core/fields.hpp"
#include "tasks/needle/fit.hpp"
#include "tasks/needle/ruler/family.hpp"
#include "tasks/needle/text_haystack.hpp"

namespace yardstick::tasks {

/// kNoiseLine again and again: published, a line is one unit; strict, a sentence is, so that short
/// lengths are filled as well.
[[nodiscard]] std::vector<Unit> noise_units(RulerPreset preset);

/// The text that `haystack` names; published, with each run of white space as one blank.
/// @throws Error(kConfig) if none is named.
[[nodiscard]] TextHaystack read_essay(Fields& fields, const RulerSettings& settings);

}  // namespace yardstick::tasks
