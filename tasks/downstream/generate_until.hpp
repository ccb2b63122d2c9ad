// output_type generate_until: text generated behind the context, up to a stop text, filtered and
// compared with the right answers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/fields.hpp"
#include "tasks/downstream/filters.hpp"
#include "tasks/downstream/generation_settings.hpp"
#include "tasks/downstream/question_plan.hpp"
#include "tasks/metrics/generation_metrics.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// A pipeline of filters and the metrics behind it.
struct FilteredMetrics {
  FilterPipeline filters;
  std::vector<std::unique_ptr<const GenerationMetric>> metrics;
};

struct GenerateUntilParameters {
  QuestionPlan plan;
  GenerationSettings generation;
  std::int64_t repeats = 1;  ///< answers to a question, each drawn with a seed of its own
  std::vector<FilteredMetrics> pipelines;
  Task::Headline headline;
};

[[nodiscard]] std::unique_ptr<const Task> generate_until_task(GenerateUntilParameters parameters);

}  // namespace yardstick::tasks
