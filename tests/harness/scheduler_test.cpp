#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/scheduler/job_queue.hpp"
#include "harness/scheduler/slot.hpp"
#include "tests/harness/fakes.hpp"

namespace yardstick::harness {
namespace {

using testing::ElementsAre;

class JobQueueTest : public testing::Test {
 protected:
  void add(std::size_t model, std::size_t task, std::int64_t length) {
    cells_.push_back({model, task, {length, std::nullopt, ""}, "", ""});
  }
  std::vector<Job> jobs() {
    std::vector<CellPtr> work;
    for (const PlannedCell& cell : cells_) {
      auto item = std::make_shared<CellWork>();
      item->cell = &cell;
      item->weight = static_cast<double>(*cell.axes.length_tokens);
      work.push_back(std::move(item));
    }
    return make_jobs(work);
  }
  static std::string name(const CellPtr& cell) {
    return std::to_string(cell->cell->model) + "/" + std::to_string(cell->cell->task) + ":" +
           std::to_string(*cell->cell->axes.length_tokens);
  }
  /// The first cell of a bundle that the slot begins, with as many more as it may take.
  static std::string begin(JobQueue& queue, std::size_t slot, std::size_t more) {
    const BundlePtr bundle = queue.begin(slot);
    if (!bundle) return "none";
    std::string text = name(bundle->cells().front());
    for (const CellPtr& cell : queue.extend(slot, more)) text += " " + name(cell);
    return text;
  }

  static std::vector<std::string> names(const std::vector<CellPtr>& cells) {
    std::vector<std::string> names;
    for (const CellPtr& cell : cells) names.push_back(name(cell));
    return names;
  }
  /// Builds a bundle of its first cell and `more`: two samples a cell, a chunk each.
  static void build(Bundle& bundle, const std::vector<CellPtr>& more) {
    static test::EngineEvents events;
    test::FakeSuite suite;
    suite.tasks = {{"t", "samples: 2"}};
    const OpenedSuite opened =
        open_suite(suite.make(), test::FakeModels(events), test::make_fake_task);
    bundle.build(
        opened, [&](std::size_t) { return more; }, [](const CellPtr&) {}, {.samples = 1},
        models::Sharing::kOff);
  }

  std::vector<PlannedCell> cells_;
};

TEST_F(JobQueueTest, ASlotStaysWithItsModelLongestFirst) {
  add(0, 0, 16);
  add(0, 0, 64);
  add(1, 0, 512);
  add(0, 1, 32);
  JobQueue queue(jobs(), 1);
  std::vector<std::string> order;
  for (int i = 0; i < 5; ++i) order.push_back(begin(queue, 0, 0));
  EXPECT_THAT(order, ElementsAre("1/0:512", "0/0:64", "0/0:16", "0/1:32", "none"));
}

TEST_F(JobQueueTest, ABundleHoldsCellsOfOneJob) {
  for (const std::int64_t length : {16, 32, 64, 128}) add(0, 0, length);
  add(0, 1, 8);
  JobQueue queue(jobs(), 1);
  EXPECT_EQ(begin(queue, 0, 2), "0/0:128 0/0:64 0/0:32") << "as many as fit";
  EXPECT_EQ(begin(queue, 0, 9), "0/0:16");
  EXPECT_EQ(begin(queue, 0, 9), "0/1:8");
}

TEST_F(JobQueueTest, SlotsSpreadOverModelsAndThenShareOne) {
  for (const std::int64_t length : {64, 32, 16}) add(0, 0, length);
  add(0, 1, 8);
  add(1, 0, 16);
  JobQueue queue(jobs(), 2);
  EXPECT_EQ(begin(queue, 0, 0), "0/0:64");
  EXPECT_EQ(begin(queue, 1, 0), "1/0:16") << "a model that no slot has";
  EXPECT_EQ(begin(queue, 1, 0), "0/1:8") << "then a whole job";
  EXPECT_EQ(begin(queue, 1, 0), "0/0:16") << "then half of another's cells";
  EXPECT_EQ(begin(queue, 0, 0), "0/0:32");
  EXPECT_EQ(begin(queue, 0, 0), "none");
  EXPECT_EQ(begin(queue, 1, 0), "none");
}

TEST_F(JobQueueTest, CellsOfABundleAreNotTakenOverWhileItGathersThem) {
  for (const std::int64_t length : {64, 32, 16}) add(0, 0, length);
  JobQueue queue(jobs(), 2);
  const BundlePtr bundle = queue.begin(0);
  const JobQueue::Offer offer = queue.take(1);
  EXPECT_EQ(offer.bundle, bundle) << "it is offered for help";
  EXPECT_EQ(offer.role, JobQueue::Offer::Role::kHelp);
  EXPECT_EQ(queue.extend(0, 1).size(), 1U);
  EXPECT_EQ(begin(queue, 1, 0), "0/0:16") << "what did not fit is anybody's";
}

TEST_F(JobQueueTest, RefusedCellsGoToTheOtherSlotAndThenComeBackAsLost) {
  for (const std::int64_t length : {64, 32, 16}) add(0, 0, length);
  JobQueue queue(jobs(), 2);
  const BundlePtr bundle = queue.begin(0);
  build(*bundle, queue.extend(0, 1));
  EXPECT_TRUE(queue.refuse(0, 0).empty());
  EXPECT_EQ(queue.take(0).bundle, nullptr) << "it cannot load this model";
  const BundlePtr other = queue.begin(1);
  build(*other, queue.extend(1, 0));
  EXPECT_EQ(queue.take(1).bundle, bundle) << "and what the first slot has begun";
  EXPECT_THAT(names(queue.refuse(1, 0)), ElementsAre("0/0:64", "0/0:32", "0/0:16"))
      << "of nobody now";
  EXPECT_EQ(queue.take(1).bundle, nullptr);
}

TEST_F(JobQueueTest, CellsWithoutSamplesLeftAreNotLost) {
  for (const std::int64_t length : {64, 32, 16}) add(0, 0, length);
  std::vector<Job> jobs = this->jobs();
  jobs[0].cells[1]->stored = {"s1", "s2"};  // all that there are
  JobQueue queue(std::move(jobs), 1);
  const BundlePtr bundle = queue.begin(0);
  build(*bundle, queue.extend(0, 2));
  const std::vector<std::size_t> idle = bundle->take_idle_cells();
  ASSERT_EQ(idle.size(), 1U);
  EXPECT_EQ(name(bundle->cells()[idle[0]]), "0/0:32") << "on its way to its end";
  for (int sample = 0; sample < 2; ++sample) EXPECT_NE(bundle->take_chunk(), nullptr);
  EXPECT_THAT(names(queue.refuse(0, 0)), ElementsAre("0/0:16"));
  EXPECT_EQ(bundle->take_chunk(), nullptr) << "those samples are taken";
}

}  // namespace
}  // namespace yardstick::harness
