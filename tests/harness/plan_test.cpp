#include "harness/plan/plan.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/fakes.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::harness {
namespace {

using test::FakeSuite;
using testing::HasSubstr;

OpenedSuite open(const Suite& suite) {
  static test::EngineEvents events;
  return open_suite(suite, test::FakeModels(events), test::make_fake_task);
}

std::vector<std::string> keys(const Suite& suite) {
  std::vector<std::string> keys;
  for (const PlannedCell& cell : make_plan(open(suite))) keys.push_back(cell.key);
  return keys;
}

TEST(Plan, CellsStandInTheSuitesOrder) {
  FakeSuite fake;
  fake.tasks = {{"t", "samples: 1"}, {"u", "samples: 2"}};
  fake.lengths = {32, 16};
  std::string text;
  for (const PlannedCell& cell : make_plan(open(fake.make())))
    text += fmt::format("{}{}:{} ", cell.task, cell.model, *cell.axes.length_tokens);
  EXPECT_EQ(text, "00:32 00:16 01:32 01:16 10:32 10:16 11:32 11:16 ");
}

TEST(Plan, AKeyChangesWithEachOfItsInputsAndWithNothingElse) {
  const KeyInputs base{"m", "t", {128, 0.5, "v"}, 1, {.limit = 10}, models::ComputeType::kFloat32};
  std::vector<KeyInputs> others(10, base);
  others[0].model_fingerprint = "m2";
  others[1].task_fingerprint = "t2";
  others[2].axes.length_tokens = 256;
  others[3].axes.length_tokens.reset();
  others[4].axes.depth = 0.25;
  others[5].axes.variant = "w";
  others[6].seed = 2;
  others[7].subset.limit.reset();
  others[8].dtype = models::ComputeType::kBFloat16;
  others[9].subset.choice = tasks::Subset::Choice::kFirst;
  std::set<std::string> seen = {cell_key(base)};
  for (const KeyInputs& other : others) EXPECT_TRUE(seen.insert(cell_key(other)).second);
  EXPECT_EQ(cell_key(base), cell_key(KeyInputs(base)));
  EXPECT_EQ(cell_key(base).size(), 64U);
}

TEST(Plan, NamesDevicesAndBatchesAreNoPartOfAKey) {
  const Suite suite = FakeSuite{}.make();
  Suite other = suite;
  other.name = "another";
  other.devices.assign(3, DeviceSlot{"cuda:1", 7});
  other.batch_tokens = 1;
  other.tasks[0].definition.name = "renamed";
  other.file = "elsewhere.yaml";
  EXPECT_EQ(keys(suite), keys(other));
  other.seed = 6;
  const std::vector<std::string> before = keys(suite);
  const std::vector<std::string> after = keys(other);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NE(before[i], after[i]);
}

TEST(Plan, AModelRunsOnlyTheLengthsThatItLists) {
  Suite suite = FakeSuite{}.make();
  suite.models[1].lengths = {32, 9999};
  EXPECT_EQ(make_plan(open(suite)).size(), 4U);
  suite.models[1].lengths = {9999};
  EXPECT_THAT(yardstick::test::error_message([&] { static_cast<void>(make_plan(open(suite))); }),
              HasSubstr("suite.yaml:2:5: model 'b' lists no length of task 't'"));
}

TEST(Plan, ATaskWithoutCellsIsAnError) {
  Suite suite = FakeSuite{}.make();
  suite.tasks[0].lengths.clear();
  EXPECT_THAT(yardstick::test::error_message([&] { static_cast<void>(make_plan(open(suite))); }),
              HasSubstr("suite.yaml:9:5: task 't' has nothing to run"));
}

TEST(Plan, EveryErrorOfOpeningIsNamed) {
  FakeSuite fake;
  fake.models = {"broken", "b"};
  fake.tasks = {{"t", "sampels: 3"}, {"u", "samples: 3"}};
  static test::EngineEvents events;
  const OpenedParts parts = open_parts(fake.make(), test::FakeModels(events), test::make_fake_task);
  ASSERT_EQ(parts.errors.size(), 2U);
  EXPECT_THAT(parts.errors[0],
              HasSubstr("suite.yaml:2:5: model 'broken': config.json: cannot be read"));
  EXPECT_THAT(parts.errors[1], HasSubstr("did you mean 'samples'?"));
  EXPECT_TRUE(parts.opened.models[1] && parts.opened.tasks[1]);
  EXPECT_THROW(open(fake.make()), Error);
}

}  // namespace
}  // namespace yardstick::harness
