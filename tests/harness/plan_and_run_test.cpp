// What a plan says is computed is what the engine says it computed: a shipped model, real tasks
// that generate nothing (a plan cannot know how many tokens a model will make).
#include <atomic>
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/random.hpp"
#include "harness/plan/count_plan.hpp"
#include "harness/scheduler/run_suite.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::harness {
namespace {

class PlanAndRun : public testing::Test {
 protected:
  PlanAndRun() {
    ::setenv("YARDSTICK_BACKEND", YARDSTICK_TEST_BACKEND, 1);
    Random random(2, "ids");
    std::string ids = "[10";
    for (int i = 1; i < 1500; ++i) ids += "," + std::to_string(10 + random.below(200));
    write_file_atomically(folder_ / "ids.json", ids + "]");
    const std::string configs = std::filesystem::absolute("configs").string();
    write_file_atomically(
        folder_ / "suite.yaml",
        fmt::format("name: counted\n"
                    "models: [{{name: rope, path: {0}/models/tiny-rope}}]\n"
                    "lengths: [64, 128, 256, 512]\n"
                    "devices: ['cpu:1']\n"
                    "batch_tokens: 256\n"
                    "limit: 20\n"
                    "tasks:\n"
                    "  - {{name: windows, kind: perplexity, protocol: disjoint, data: ids.json}}\n"
                    "  - {{name: choice, include: {0}/tasks/smallworld_choice.yaml}}\n",
                    configs));
    opened_ = open_suite(read_suite(folder_ / "suite.yaml", {}), FolderModels(), tasks::make_task);
    plan_ = make_plan(opened_);
    settings_.database = folder_ / "r.db";
    settings_.run = {"counted", "yardstick run", "0", "cpu", "{}"};
    settings_.chunk = chunk_limits(opened_.suite);
    settings_.stop = &stop_;
    settings_.warn = [](const std::string&) {};
  }

  /// With sharing, of what the store does not have.
  std::int64_t planned_tokens() {
    StoredSamples stored;
    std::vector<PlannedCell> to_do = plan_;
    if (std::filesystem::exists(settings_.database)) {
      Store store(settings_.database, Access::kReadOnly, settings_.warn);
      std::vector<std::string> keys;
      for (const PlannedCell& cell : plan_) keys.push_back(cell.key);
      const std::map<std::string, CellState> states = store.find_cells(keys);
      std::erase_if(to_do, [&](const PlannedCell& cell) {
        return states.at(cell.key).status != CellStatus::kPending;
      });
      for (const PlannedCell& cell : to_do)
        stored[cell.key] = store.sample_ids(states.at(cell.key).id);
    }
    std::int64_t tokens = 0;
    for (const JobCount& job : count_plan(opened_, to_do, stored, settings_.chunk).jobs)
      tokens += job.tokens.shared;
    return tokens;
  }

  yardstick::test::TemporaryFolder folder_;
  OpenedSuite opened_;
  std::vector<PlannedCell> plan_;
  std::atomic<bool> stop_{false};
  RunSettings settings_;
};

TEST_F(PlanAndRun, OneSlotComputesThePlannedTokens) {
  const std::int64_t planned = planned_tokens();
  EXPECT_GT(planned, 0);
  const RunResult result = run_suite(opened_, plan_, settings_);
  EXPECT_EQ(result.left, 0);
  EXPECT_EQ(result.progress.tokens, planned);
  EXPECT_EQ(planned_tokens(), 0);
}

TEST_F(PlanAndRun, AfterAStopThePlanIsTheRest) {
  const std::int64_t all = planned_tokens();
  settings_.on_progress = [&](const ProgressState& state) { stop_ = state.tokens > 0; };
  const RunResult stopped = run_suite(opened_, plan_, settings_);
  EXPECT_GT(stopped.left, 0);
  const std::int64_t rest = planned_tokens();
  EXPECT_GT(rest, 0);
  EXPECT_LT(rest, all);
  stop_ = false;
  settings_.on_progress = nullptr;
  const RunResult result = run_suite(opened_, plan_, settings_);
  EXPECT_EQ(result.left, 0);
  EXPECT_EQ(result.progress.tokens, rest);
}

}  // namespace
}  // namespace yardstick::harness
