// output_type multiple_choice: each choice is scored by its log-likelihood behind the context.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/fields.hpp"
#include "tasks/data/continuation.hpp"
#include "tasks/downstream/metric_list.hpp"
#include "tasks/downstream/question_plan.hpp"
#include "tasks/task.hpp"
#include "tasks/template/template.hpp"

namespace yardstick::tasks {

struct MultipleChoiceParameters {
  QuestionPlan plan;
  Boundary boundary = Boundary::kJoint;
  ChosenMetrics metrics;
  /// Context of the unconditional log-likelihood that PMI compares with; none: not asked for.
  std::optional<Template> unconditional;
};

[[nodiscard]] std::unique_ptr<const Task> multiple_choice_task(MultipleChoiceParameters parameters);

}  // namespace yardstick::tasks
