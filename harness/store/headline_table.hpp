// The table that a run ends with: the headline metric of each task, models by lengths.
#pragma once

#include <string>
#include <vector>

#include "harness/store/records.hpp"

namespace yardstick::harness {

/// One block a task (and variant), with the n that ran: a line a model, a column a length; a cell
/// with several depths shows their mean over all samples, with "*" if a depth has no number; "fail"
/// and "n/a" stand for what has no number, "-" for what is still to do. Below, each failed or
/// skipped cell with its reason (equal reasons of one model and task once).
[[nodiscard]] std::string format_headlines(const std::vector<HeadlineRow>& rows);

}  // namespace yardstick::harness
