#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tasks/perplexity/summary.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/make.hpp"

namespace yardstick::tasks {
namespace {

using test::kFakeBos;
using test::kFakeEnd;
using test::PieceCodec;
using test::task_from;
using testing::HasSubstr;

double metric(const std::vector<MetricValue>& metrics, std::string_view name) {
  for (const MetricValue& value : metrics)
    if (value.name == name) return value.value;
  ADD_FAILURE() << "no metric " << name;
  return 0;
}

Response uniform_response(const Request& request, double nll) {
  Response response;
  response.nll.assign(request.tokens.size() - static_cast<std::size_t>(request.score_from), nll);
  return response;
}

// A score of a window whose tokens have a mean loss.
SampleScore window_score(std::string id, double tokens, double mean) {
  SampleScore score;
  score.sample_id = id;
  score.document_id = std::move(id);
  score.values = {{"sum_nll", tokens * mean}, {"tokens", tokens}};
  return score;
}

// transformers issues 34138 and 34387: a mean of window means would say exp(4) = 54.6.
TEST(PerplexitySummary, B01ATokenIsAToken) {
  const std::vector<SampleScore> scores = {window_score("a", 1024, 2.0),
                                           window_score("b", 10, 6.0)};
  EXPECT_NEAR(metric(summarize_losses(scores, {}, 1), "perplexity"), 7.6805, 5e-5);
  EXPECT_DOUBLE_EQ(metric(summarize_losses(scores, {}, 1), "tokens_scored"), 1034);
}

TEST(PerplexitySummary, IntervalsAreOverDocumentsOrOverTheWindowsOfOne) {
  std::vector<SampleScore> scores;
  for (int i = 0; i < 6; ++i) {
    scores.push_back(window_score(std::to_string(i), 10, 1.0 + i));
    scores.back().document_id = i < 3 ? "first" : "second";
  }
  EXPECT_EQ(summarize_losses(scores, {}, 1).front().n, 2);
  for (SampleScore& score : scores) score.document_id = "only";
  const std::vector<MetricValue> metrics = summarize_losses(scores, {}, 1);
  EXPECT_EQ(metrics.front().n, 6);
  EXPECT_LT(metrics.front().ci_low.value(), metrics.front().value);
  EXPECT_GT(metrics.front().ci_high.value(), metrics.front().value);
}

TEST(PerplexitySummary, B19ALossBeyondExpDoesNotStopTheRun) {
  const std::vector<MetricValue> metrics =
      summarize_losses(std::vector<SampleScore>{window_score("a", 5, 800)}, {}, 1);
  EXPECT_TRUE(std::isinf(metric(metrics, "perplexity")));
  EXPECT_DOUBLE_EQ(metric(metrics, "nll_per_token"), 800);
}

TEST(PerplexitySummary, NonFiniteAndSkippedSamplesStayOutOfTheMean) {
  std::vector<SampleScore> scores = {window_score("a", 10, 2.0), window_score("b", 10, 9.0)};
  scores[1].status = SampleStatus::kNonFinite;
  scores.push_back({.sample_id = "c", .document_id = "c", .status = SampleStatus::kSkipped});
  scores.back().values["tokens_skipped"] = 7;
  const std::vector<MetricValue> metrics = summarize_losses(scores, {}, 1);
  EXPECT_DOUBLE_EQ(metric(metrics, "nll_per_token"), 2.0);
  EXPECT_DOUBLE_EQ(metric(metrics, "tokens_skipped"), 7);
}

TEST(PositionLosses, BucketsAreThePowersOfTwo) {
  const std::vector<double> nll = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<PositionLoss> expected = {
      {1, 1, 1, 1}, {2, 3, 5, 2}, {4, 7, 22, 4}, {8, 15, 8, 1}};
  PositionSums buckets(Positions::kBuckets);
  buckets.add(nll, 1);
  EXPECT_EQ(buckets.take(), expected);
  const std::vector<PositionLoss> late = {{4, 7, 1, 1}, {8, 15, 35, 7}};
  PositionSums from_seven(Positions::kBuckets);
  from_seven.add(nll, 7);
  EXPECT_EQ(from_seven.take(), late);
}

TEST(PositionLosses, EveryIndexIsKeptAndSummedOverWindows) {
  PositionSums sums(Positions::kEvery);
  sums.add(std::vector<double>{1, 2}, 1);
  sums.add(std::vector<double>{4, 8}, 2);
  EXPECT_EQ(sums.take(), (std::vector<PositionLoss>{{1, 1, 1, 1}, {2, 2, 6, 2}, {3, 3, 8, 1}}));
}

class PerplexityTask : public testing::Test {
 protected:
  std::unique_ptr<const Task> task(const std::string& keys, const std::string& text,
                                   const std::string& file = "a.txt") {
    write_file_atomically(folder_ / file, text);
    return task_from("kind: perplexity\ndata: " + file + "\n" + keys, folder_.path());
  }

  std::vector<SampleScore> run(const Task& task, const CellAxes& cell, const TextCodec& codec,
                               double nll) {
    const Task::Built built = task.build(cell, {.codec = codec, .seed = 1, .subset = {}});
    std::vector<SampleScore> scores = built.skipped;
    for (const Sample& sample : built.samples) {
      const std::vector<Response> responses = {uniform_response(sample.requests.front(), nll)};
      scores.push_back(task.score(sample, responses, codec));
    }
    return scores;
  }

  test::TemporaryFolder folder_;
};

// A model that gives each of V tokens the same probability has perplexity V (lm-evaluation-harness
// issue 340 mixed up bases 2 and e), and log2(V) bits a token.
TEST_F(PerplexityTask, B12AUniformModelHasThePerplexityOfItsVocabulary) {
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = kFakeEnd});
  const std::string text(400, 'x');
  for (const char* const keys : {"protocol: disjoint\n", "protocol: last-k\nk: 4\n"}) {
    const auto perplexity = task(keys, text);
    const std::vector<std::int64_t> lengths = {8, 64};
    for (const CellAxes& cell : perplexity->cells(lengths)) {
      const auto scores =
          run(*perplexity, cell, codec, std::log(static_cast<double>(codec.vocabulary_size())));
      const auto metrics = perplexity->aggregate(scores, 3);
      EXPECT_NEAR(metric(metrics, "perplexity"), 258.0, 1e-9);
      EXPECT_NEAR(metric(metrics, "bits_per_byte"), std::log2(258.0), 1e-12);
    }
  }
}

// transformers issue 40524: BOS in the first window alone spoils all later ones.
TEST_F(PerplexityTask, B09B14EveryWindowOpensWithBosWhichIsNeverScored) {
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = kFakeEnd});
  const auto perplexity = task("protocol: disjoint\n", "abcdefghijklmnop");
  const std::vector<std::int64_t> lengths = {6};
  const Task::Built built = perplexity->build(perplexity->cells(lengths).front(),
                                              {.codec = codec, .seed = 1, .subset = {}});
  ASSERT_EQ(built.samples.size(), 3U);
  for (const Sample& sample : built.samples) {
    EXPECT_EQ(sample.requests[0].tokens.size(), 6U);
    EXPECT_EQ(sample.requests[0].tokens[0], kFakeBos);
    EXPECT_EQ(sample.requests[0].score_from, 1);
  }
  EXPECT_EQ(built.samples.back().facts.at("tokens_skipped"), 1);
}

// The text of nanochat issue 693: a byte of a character is one byte, never three.
TEST_F(PerplexityTask, B16BytesAreThoseOfTheScoredText) {
  const std::string text = "i love borzois! \U0001F415";
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = kFakeEnd}, {"love", " borzois"});
  const auto perplexity = task("protocol: disjoint\ntail: score\n", text);
  const std::vector<std::int64_t> lengths = {7};
  double bytes = 0;
  for (const SampleScore& score :
       run(*perplexity, perplexity->cells(lengths).front(), codec, 1.0)) {
    bytes += score.values.at("bytes");
  }
  EXPECT_DOUBLE_EQ(bytes, static_cast<double>(text.size()));
}

// datasets issue 4108: empty and one-token documents crash, or give 0/0.
TEST_F(PerplexityTask, B20DocumentsWithoutATargetAreSkippedAndCounted) {
  const std::string lines = "{\"text\":\"\"}\n{\"text\":\"\\n\"}\n{\"text\":\"abc\"}\n";
  const auto perplexity =
      task("protocol: disjoint\ndocuments: separate\ntail: score\n", lines, "a.jsonl");
  const std::vector<std::int64_t> lengths = {8};
  const CellAxes cell = perplexity->cells(lengths).front();
  const auto plain = run(*perplexity, cell, PieceCodec(), 1.0);
  ASSERT_EQ(plain.size(), 3U);
  EXPECT_EQ(plain[0].status, SampleStatus::kSkipped);
  EXPECT_EQ(plain[1].status, SampleStatus::kSkipped);
  EXPECT_DOUBLE_EQ(metric(perplexity->aggregate(plain, 1), "tokens_skipped"), 1);
  EXPECT_DOUBLE_EQ(metric(perplexity->aggregate(plain, 1), "perplexity"), std::numbers::e);
  const PieceCodec with_bos({.bos = kFakeBos, .end_of_text = {}});
  const auto opened = run(*perplexity, cell, with_bos, 1.0);
  EXPECT_DOUBLE_EQ(metric(perplexity->aggregate(opened, 1), "tokens_scored"), 1 + 3);
}

TEST_F(PerplexityTask, AStreamTooShortForALengthSaysWhatItNeeds) {
  const auto perplexity = task("protocol: disjoint\n", "abcdefgh");
  const std::vector<std::int64_t> lengths = {16};
  const Task::Built built = perplexity->build(perplexity->cells(lengths).front(),
                                              {.codec = PieceCodec(), .seed = 1, .subset = {}});
  EXPECT_TRUE(built.samples.empty());
  ASSERT_EQ(built.skipped.size(), 1U);
  EXPECT_THAT(built.skipped[0].reason, HasSubstr("has 8 tokens, the protocol needs 16"));
}

TEST_F(PerplexityTask, LastKScoresTheSameTextAtEveryLength) {
  std::string text;
  for (int i = 0; i < 90; ++i) text += static_cast<char>('!' + i);
  const auto perplexity = task("protocol: last-k\n", text);
  const std::vector<std::int64_t> lengths = {8, 16, 32};
  std::vector<std::string> targets;
  for (const CellAxes& cell : perplexity->cells(lengths)) {
    const Task::Built built =
        perplexity->build(cell, {.codec = PieceCodec(), .seed = 1, .subset = {}});
    std::string scored;
    for (const Sample& sample : built.samples) {
      const Request& request = sample.requests.front();
      EXPECT_EQ(static_cast<std::int64_t>(request.tokens.size()), cell.length_tokens);
      scored += PieceCodec().decode(
          std::span(request.tokens).subspan(static_cast<std::size_t>(request.score_from)));
    }
    targets.push_back(scored);
  }
  EXPECT_EQ(targets[0], text.substr(28, 4) + text.substr(60, 4));  // k = 8 / 2, ends at 32 and 64
  EXPECT_EQ(targets[1], targets[0]);
  EXPECT_EQ(targets[2], targets[0]);
}

// Losses that depend on the token and all before it, as a causal model's do.
Response causal_response(const Request& request) {
  Response response;
  double state = 0;
  for (std::size_t i = 0; i < request.tokens.size(); ++i) {
    if (static_cast<std::int64_t>(i) >= request.score_from) {
      response.nll.push_back(1 + std::sin(state + request.tokens[i]));
    }
    state = 0.9 * state + request.tokens[i];
  }
  return response;
}

TEST_F(PerplexityTask, NestedIsDisjointAtTheLongestLengthAndItsFirstPositionsAtOthers) {
  std::string text;
  for (int i = 0; i < 700; ++i) text += static_cast<char>('a' + i * i % 26);
  const auto nested = task("protocol: nested\n", text);
  const auto disjoint = task("protocol: disjoint\n", text, "b.txt");
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = kFakeEnd});
  const std::vector<std::int64_t> lengths = {8, 64, 128};
  std::vector<std::vector<SampleScore>> scores;
  const auto score = [&](const Task& task, const CellAxes& cell) {
    std::vector<SampleScore> out;
    for (const Sample& sample : task.build(cell, {.codec = codec, .seed = 1, .subset = {}}).samples)
      out.push_back(task.score(sample, std::vector{causal_response(sample.requests[0])}, codec));
    return out;
  };
  for (const CellAxes& cell : nested->cells(lengths)) {
    EXPECT_EQ(cell.variant, "nested,longest=128");
    scores.push_back(score(*nested, cell));
    EXPECT_EQ(scores.back().size(), 700U / 127U);
  }
  const std::vector<SampleScore> same = score(*disjoint, disjoint->cells(lengths).back());
  ASSERT_EQ(same.size(), scores[2].size());
  for (std::size_t i = 0; i < same.size(); ++i) {
    EXPECT_EQ(scores[2][i].values, same[i].values);
    EXPECT_EQ(scores[2][i].position_losses, same[i].position_losses);
    // Buckets [1,1] .. [4,7] of a window of 8, [1,1] .. [32,63] of 64.
    EXPECT_EQ(scores[0][i].position_losses.size(), 3U);
    EXPECT_EQ(scores[1][i].position_losses.size(), 6U);
    for (const std::size_t shorter : {0, 1}) {
      for (std::size_t k = 0; k < scores[shorter][i].position_losses.size(); ++k)
        EXPECT_EQ(scores[shorter][i].position_losses[k], same[i].position_losses[k]);
    }
  }
}

TEST_F(PerplexityTask, NestedNeedsAWindowOfTheLongestLength) {
  const auto perplexity = task("protocol: nested\n", "abcdefgh");
  const std::vector<std::int64_t> lengths = {4, 16};
  const Task::Built built = perplexity->build(perplexity->cells(lengths).front(),
                                              {.codec = PieceCodec(), .seed = 1, .subset = {}});
  EXPECT_TRUE(built.samples.empty());
  EXPECT_THAT(built.skipped.at(0).reason, HasSubstr("has 8 tokens, the protocol needs 16"));
}

TEST_F(PerplexityTask, ALimitTakesANestedSubsetOfTheWindows) {
  const auto perplexity = task("protocol: disjoint\n", std::string(400, 'x'));
  const std::vector<std::int64_t> lengths = {8};
  const CellAxes cell = perplexity->cells(lengths).front();
  const auto ids = [&](std::int64_t limit) {
    std::set<std::string> out;
    const PieceCodec codec;
    for (const Sample& sample :
         perplexity->build(cell, {.codec = codec, .seed = 9, .subset = {.limit = limit}}).samples) {
      out.insert(sample.id);
    }
    return out;
  };
  const auto five = ids(5);
  const auto ten = ids(10);
  EXPECT_EQ(five.size(), 5U);
  EXPECT_TRUE(std::includes(ten.begin(), ten.end(), five.begin(), five.end()));
}

TEST_F(PerplexityTask, ATextWhoseEveryLineIsQuotedIsNoted) {
  write_file_atomically(folder_ / "q.txt", "\"One, two.\"\n\"She said \"\"no\"\".\"\n");
  EXPECT_THAT(task_from("kind: perplexity\ndata: q.txt\n", folder_.path())->notes(),
              testing::ElementsAre(HasSubstr("q.txt: every 'line' begins and ends with a quote")));
  write_file_atomically(folder_ / "p.txt", "\"One, two.\"\nShe said no.\n");
  EXPECT_THAT(task_from("kind: perplexity\ndata: p.txt\n", folder_.path())->notes(),
              testing::IsEmpty());
}

TEST_F(PerplexityTask, ANonFiniteLossMakesTheSampleNonFinite) {
  const auto perplexity = task("protocol: disjoint\n", "abcdefgh");
  const std::vector<std::int64_t> lengths = {8};
  const auto scores =
      run(*perplexity, perplexity->cells(lengths).front(), PieceCodec(), std::nan(""));
  EXPECT_EQ(scores.front().status, SampleStatus::kNonFinite);
  EXPECT_FALSE(scores.front().values.contains("sum_nll"));
}

TEST_F(PerplexityTask, KeysOfTheOtherProtocolAreRefused) {
  EXPECT_THAT(test::error_message([&] { task("protocol: disjoint\nk: 4\n", "abc"); }),
              HasSubstr("suite.yaml:4:4: k: is of no use to `protocol: disjoint`"));
  EXPECT_THROW(task("protocol: last-k\ntail: score\n", "abc"), Error);
  EXPECT_THAT(test::error_message([&] { task("protocol: nested\nstride: 4\n", "abc"); }),
              HasSubstr("`protocol: nested`; remove it or set one of the protocols that read it: "
                        "last-k, sliding, hf-strided, llama.cpp-strided, yarn"));
  EXPECT_THROW(task("protocol: nested\ntail: drop\n", "abc"), Error);
}

}  // namespace
}  // namespace yardstick::tasks
