#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/scheduler/job_queue.hpp"
#include "harness/scheduler/slot.hpp"

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
  static_cast<void>(queue.extend(0, 1));
  EXPECT_TRUE(queue.refuse(0, 0).empty());
  EXPECT_EQ(queue.take(0).bundle, nullptr) << "it cannot load this model";
  EXPECT_EQ(begin(queue, 1, 0), "0/0:16");
  EXPECT_EQ(queue.take(1).bundle, bundle) << "and what the first slot has begun";
  EXPECT_EQ(queue.refuse(1, 0).size(), 2U) << "the first cells of both bundles, of nobody now";
  EXPECT_EQ(queue.take(1).bundle, nullptr);
}

}  // namespace
}  // namespace yardstick::harness
