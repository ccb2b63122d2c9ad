// output_type loglikelihood: one target behind a context, and whether greedy decoding would write
// it (LAMBADA).
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/data/continuation.hpp"
#include "tasks/downstream/metric_list.hpp"
#include "tasks/downstream/question_plan.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

struct LoglikelihoodParameters {
  QuestionPlan plan;
  Boundary boundary = Boundary::kJoint;
  ChosenMetrics metrics;
};

[[nodiscard]] std::unique_ptr<const Task> loglikelihood_task(LoglikelihoodParameters parameters);

}  // namespace yardstick::tasks
