// What a plan says that a run computes, on the real tasks, against closed forms and a plain count.
#include "harness/plan/count_plan.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/random.hpp"
#include "tests/harness/fakes.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::harness {
namespace {

using test::FakeSuite;
using testing::HasSubstr;

OpenedSuite open_fakes(const FakeSuite& fake) {
  static test::EngineEvents events;
  return open_suite(fake.make(), test::FakeModels(events), test::make_fake_task);
}

TEST(CountPlan, CountsAreThoseOfTheRequests) {
  FakeSuite fake;
  fake.models = {"a", "learned"};
  fake.lengths = {16, 128};
  fake.tasks = {{"t", "{samples: 5, skipped: 2}"}, {"u", "{kind: v, fault: build}"}};
  const OpenedSuite opened = open_fakes(fake);
  const std::vector<PlannedCell> plan = make_plan(opened);
  const PlanCount count = count_plan(opened, plan, {}, {});
  EXPECT_EQ(count.cells[0].samples, 5);
  EXPECT_EQ(count.cells[0].skipped, 2);
  EXPECT_EQ(count.cells[0].tokens, 5 * 2 * 16);
  EXPECT_EQ(plan[3].not_applicable, "n/a: no position beyond 100");
  EXPECT_EQ(count.cells[3].samples, 0) << "128 tokens do not fit a table of 100";
  EXPECT_EQ(count.cells[3].skipped, 7);
  EXPECT_THAT(count.cells[4].error, HasSubstr("questions.jsonl:7"));
  ASSERT_EQ(count.jobs.size(), 4U);
  // Each sample asks the same twice; its 16 tokens begin its 128; last tokens are not computed.
  EXPECT_EQ(count.jobs[0].tokens,
            (TokenCount{5 * 2 * (16 + 128), 5 * 2 * (15 + 127), 5 * 127 + 5 * 2 * 15}))
      << "15 tokens are too few to be shared";
}

TEST(CountPlan, WhatTheStoreHasIsNotCounted) {
  FakeSuite fake;
  fake.models = {"a"};
  fake.lengths = {16, 128};
  fake.tasks = {{"t", "samples: 5"}};
  const OpenedSuite opened = open_fakes(fake);
  const std::vector<PlannedCell> plan = make_plan(opened);
  const PlanCount count = count_plan(
      opened, plan, {{plan[0].key, {"s1", "s4"}}, {plan[1].key, {"s5", "of another plan"}}}, {});
  EXPECT_EQ(count.cells[0].samples, 3);
  EXPECT_EQ(count.cells[0].stored, 2);
  EXPECT_EQ(count.cells[0].tokens, 3 * 2 * 16);
  EXPECT_EQ(count.cells[1].samples, 5) << "a run drops the samples of another plan";
  EXPECT_EQ(count.cells[1].stored, 0);
  EXPECT_EQ(count.jobs[0].tokens.asked, 2 * (3 * 16 + 5 * 128));
}

/// A suite of one model and one real task over the tokens of ids.json.
class RealTask : public testing::Test {
 protected:
  void write_ids(std::int64_t count) {
    Random random(1, "ids");
    std::string text = "[";
    for (std::int64_t i = 0; i < count; ++i)
      text += (i > 0 ? "," : "") + std::to_string(random.below(256));
    write_file_atomically(folder_ / "ids.json", text + "]");
  }

  PlanCount count(const std::string& task, const std::vector<std::int64_t>& lengths) {
    FakeSuite fake;
    fake.models = {"a"};
    fake.tasks = {{"t", task}};
    fake.lengths = lengths;
    Suite suite = fake.make();
    suite.tasks[0].definition.base = folder_.path();
    static test::EngineEvents events;
    opened_ = open_suite(std::move(suite), test::FakeModels(events), tasks::make_task);
    plan_ = make_plan(opened_);
    return count_plan(opened_, plan_, {}, chunk_limits(opened_.suite));
  }

  yardstick::test::TemporaryFolder folder_;
  OpenedSuite opened_;
  std::vector<PlannedCell> plan_;
};

const std::vector<std::int64_t> kLengths = {512, 1024, 2048, 4096, 8192};

// Windows without BOS begin at the multiples of their length. At 0 and 8192 the longest window that
// begins there has 8192 tokens; at the 2 odd multiples of 4096 it has 4096, at the 4 of 2048 it has
// 2048, and so on: 2 x 8192 + 4 x 8192 = 49,152, less the last token of each of these 32 windows.
TEST_F(RealTask, DisjointWindowsShareThoseThatBeginTogether) {
  write_ids(16384);
  const PlanCount count =
      this->count("{kind: perplexity, protocol: disjoint, data: ids.json}", kLengths);
  for (const CellCount& cell : count.cells) EXPECT_EQ(cell.tokens, 16384);
  EXPECT_EQ(count.jobs.at(0).tokens, (TokenCount{5 * 16384, 5 * 16384 - 62, 49152 - 32}));
}

TEST_F(RealTask, NestedWindowsAreOnePassOverTheLongest) {
  write_ids(16384 + 5000);
  const PlanCount count =
      this->count("{kind: perplexity, protocol: nested, data: ids.json}", kLengths);
  for (std::size_t i = 0; i < kLengths.size(); ++i)
    EXPECT_EQ(count.cells[i].tokens, 2 * kLengths[i]);
  const std::int64_t asked = 2 * (512 + 1024 + 2048 + 4096 + 8192);
  EXPECT_EQ(count.jobs.at(0).tokens, (TokenCount{asked, asked - 10, 2 * 8191}));
}

/// Tokens of the trie of all requests: the least that any sharing computes.
std::int64_t trie_tokens(const OpenedSuite& opened, const std::vector<PlannedCell>& plan) {
  std::vector<std::vector<TokenId>> all;
  for (const PlannedCell& cell : plan) {
    for (const tasks::Sample& sample : build_cell(opened, cell).samples) {
      for (Request request : sample.requests) {
        if (request.max_new_tokens == 0) request.tokens.pop_back();
        all.push_back(std::move(request.tokens));
      }
    }
  }
  std::ranges::sort(all);
  std::int64_t tokens = std::ssize(all.front());
  for (std::size_t i = 1; i < all.size(); ++i)
    tokens += all[i].end() - std::ranges::mismatch(all[i], all[i - 1]).in1;
  return tokens;
}

// Depths 0, 0.1, .. 0.9 at lengths 2^9 .. 2^14: needles at equal tokens share all before them and,
// with equal keys, all behind them as well. In units of the longest length, without the fixed parts
// of the prompts: asked 10 x 1.97 a sample (of two requests, which share their prompt); computed
// 7.92 a sample, and once the 0.9 of the haystack; 2.2 to 2.5 with the number of samples.
TEST_F(RealTask, NeedleGridsShareTheirHaystack) {
  const PlanCount count = this->count(
      "{kind: passkey, samples: 3, depths: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]}",
      {512, 1024, 2048, 4096, 8192, 16384});
  const TokenCount tokens = count.jobs.at(0).tokens;
  const std::int64_t least = trie_tokens(opened_, plan_);
  EXPECT_GE(tokens.shared, least);
  EXPECT_LE(static_cast<double>(tokens.shared), 1.1 * static_cast<double>(least))
      << "chunks compute little of the haystack again";
  const double prompts = static_cast<double>(tokens.asked) / 2;
  EXPECT_GT(prompts / static_cast<double>(least), 2.2);
  EXPECT_LT(prompts / static_cast<double>(least), 2.6);
}

}  // namespace
}  // namespace yardstick::harness
