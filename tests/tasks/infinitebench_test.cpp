// InfiniteBench's published scores, of all its models, from the predictions that it published.
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "core/yaml.hpp"
#include "tasks/data/jsonl.hpp"
#include "tasks/metrics/generation_metrics.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kMetricOfTask = {
    {{"passkey", "infinitebench_first_number"},
     {"number_string", "infinitebench_first_number"},
     {"kv_retrieval", "infinitebench_key_value"},
     {"longbook_qa_eng", "f1"}}};

MetricValue score_file(const std::filesystem::path& file, std::string_view name) {
  const Located entry({{"metric", name}}, "metric_list");
  Fields fields(entry, "", "a metric");
  const auto metric = make_generation_metric(fields, "");
  std::vector<SampleScore> scores;
  for_each_json_line(file, [&](std::int64_t, nlohmann::ordered_json&& row) {
    const auto golds = row.at("ground_truth").get<std::vector<std::string>>();
    EXPECT_EQ(metric->problem(golds), std::nullopt) << row.dump();
    scores.push_back({.values = metric->values(row.at("prediction").get<std::string>(), golds)});
    return Proceed::kNext;
  });
  return metric->aggregate(scores, 0).value();
}

TEST(InfiniteBench, AllPublishedScoresComeOutOfTheStoredPredictions) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::filesystem::path folder = test::shared_path("golden/infinitebench_stored");
  const nlohmann::json expected = read_json(folder / "expected.json");
  int cells = 0;
  for (const auto& [model, tasks] : expected.items()) {
    for (const auto& [task, metric] : kMetricOfTask) {
      const auto& cell = tasks.at(std::string(task));
      const std::string file = model + "." + std::string(task) + ".jsonl.gz";
      const MetricValue value = score_file(folder / file, metric);
      EXPECT_EQ(value.n, cell.at("n").get<std::int64_t>()) << file;
      EXPECT_DOUBLE_EQ(std::round(value.value * 1e4) / 100, cell.at("score").get<double>()) << file;
      ++cells;
    }
  }
  EXPECT_EQ(cells, 28);
}

}  // namespace
}  // namespace yardstick::tasks
