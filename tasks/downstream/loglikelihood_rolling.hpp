// output_type loglikelihood_rolling: a whole text by rolling windows of the cell's length, so that
// every token is scored once; perplexities by word, byte and token.
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/downstream/metric_list.hpp"
#include "tasks/downstream/question_plan.hpp"
#include "tasks/perplexity/protocols/window.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

struct LoglikelihoodRollingParameters {
  QuestionPlan plan;
  std::unique_ptr<const WindowProtocol> windows;
  ChosenMetrics metrics;
};

[[nodiscard]] std::unique_ptr<const Task> loglikelihood_rolling_task(
    LoglikelihoodRollingParameters parameters);

}  // namespace yardstick::tasks
