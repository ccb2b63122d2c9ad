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
    if (!cell) return "none";
    return std::to_string(cell->cell->model) + "/" + std::to_string(cell->cell->task) + ":" +
           std::to_string(*cell->cell->axes.length_tokens);
  }
  static std::string take(JobQueue& queue, std::size_t slot) {
    return name(queue.take(slot, JobQueue::Wait::kNo));
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
  for (int i = 0; i < 5; ++i) order.push_back(take(queue, 0));
  EXPECT_THAT(order, ElementsAre("1/0:512", "0/0:64", "0/0:16", "0/1:32", "none"));
}

TEST_F(JobQueueTest, SlotsSpreadOverModelsAndThenShareOne) {
  add(0, 0, 64);
  add(0, 0, 32);
  add(0, 0, 16);
  add(0, 1, 8);
  add(1, 0, 16);
  JobQueue queue(jobs(), 2);
  EXPECT_EQ(take(queue, 0), "0/0:64");
  EXPECT_EQ(take(queue, 1), "1/0:16") << "a model that no slot has";
  EXPECT_EQ(take(queue, 1), "0/1:8") << "then a whole job";
  EXPECT_EQ(take(queue, 1), "0/0:16") << "then half of another's cells";
  EXPECT_EQ(take(queue, 0), "0/0:32");
  EXPECT_EQ(take(queue, 0), "none");
  EXPECT_EQ(take(queue, 1), "none");
}

TEST_F(JobQueueTest, RefusedCellsGoToTheOtherSlotAndThenComeBackAsLost) {
  add(0, 0, 64);
  add(0, 0, 32);
  JobQueue queue(jobs(), 2);
  const CellPtr first = queue.take(0, JobQueue::Wait::kNo);
  EXPECT_TRUE(queue.refuse(0, first).empty());
  EXPECT_EQ(take(queue, 0), "none") << "it cannot load this model";
  const CellPtr again = queue.take(1, JobQueue::Wait::kNo);
  EXPECT_EQ(name(again), "0/0:64");
  EXPECT_EQ(queue.refuse(1, again).size(), 2U) << "nobody is left for them";
  EXPECT_TRUE(queue.left_over().empty());
}

TEST(SplitChunks, BoundsSamplesAndTokensAndLeavesOutWhatIsStored) {
  BuiltCell built;
  for (int i = 0; i < 7; ++i) {
    tasks::Sample sample;
    sample.id = std::to_string(i);
    sample.requests.resize(1);
    sample.requests[0].tokens.resize(i == 4 ? 100 : 10);
    built.samples.push_back(std::move(sample));
  }
  EXPECT_THAT(split_chunks(built, {}, {3, 1000}),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5), ElementsAre(6)));
  EXPECT_THAT(split_chunks(built, {"1", "3"}, {3, 30}),
              ElementsAre(ElementsAre(0, 2, 4), ElementsAre(5, 6)));
  EXPECT_THAT(split_chunks(built, {"0", "1", "2", "3", "4", "5", "6"}, {3, 30}),
              ElementsAre(testing::IsEmpty()))
      << "a cell whose samples are all there still has to end";
}

}  // namespace
}  // namespace yardstick::harness
