#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/make.hpp"

namespace yardstick::tasks {
namespace {

using test::kFakeBos;
using test::PieceCodec;
using test::task_from;
using testing::ElementsAre;
using testing::HasSubstr;

class LongPpl : public testing::Test {
 protected:
  std::unique_ptr<const Task> task(const std::string& keys, const std::string& text) {
    write_file_atomically(folder_ / "a.txt", text);
    return task_from("kind: perplexity\nprotocol: longppl\ndata: a.txt\n" + keys, folder_.path());
  }

  static Sample only_sample(const Task& task, std::int64_t length, const TextCodec& codec) {
    const std::vector<std::int64_t> lengths = {length};
    const Task::Built built =
        task.build(task.cells(lengths).at(0), {.codec = codec, .seed = 1, .subset = {}});
    EXPECT_EQ(built.samples.size(), 1U);
    return built.samples.at(0);
  }

  static std::vector<Response> flat(const Sample& sample, double loss) {
    std::vector<Response> responses;
    for (const Request& request : sample.requests) {
      responses.emplace_back().nll.assign(
          request.tokens.size() - static_cast<std::size_t>(request.score_from), loss);
    }
    return responses;
  }

  test::TemporaryFolder folder_;
};

std::string text_of(const Request& request) { return PieceCodec().decode(request.tokens); }

// 20 letters, 4 tokens of short context, blocks of 3: short windows begin at 3, 6, ... and score 3
// tokens behind 4, the last one what is left.
TEST_F(LongPpl, ATokenIsAskedWithTheWholeWindowAndWithAShortOne) {
  const auto longppl = task("short: 4\nblock: 3\n", "abcdefghijklmnopqrst");
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}});
  const Sample sample = only_sample(*longppl, 19, codec);
  ASSERT_EQ(sample.requests.size(), 1U + 4U);
  EXPECT_EQ(text_of(sample.requests[0]), "abcdefghijklmnopqr") << "behind the BOS, 19 positions";
  EXPECT_EQ(sample.requests[0].score_from, 1);
  std::vector<std::string> targets;
  for (std::size_t i = 1; i < sample.requests.size(); ++i) {
    const Request& request = sample.requests[i];
    EXPECT_EQ(request.tokens[0], kFakeBos);
    EXPECT_EQ(request.score_from, 1 + 4);
    targets.push_back(text_of(request).substr(4));
  }
  EXPECT_THAT(targets, ElementsAre("hij", "klm", "nop", "qr"));
  EXPECT_EQ(sample.facts.at("tokens_skipped"), 2);
}

TEST_F(LongPpl, KeyTokensAreThoseThatTheLongContextHelpsToPredictWell) {
  const auto longppl = task("short: 4\nblock: 3\n", "abcdefghijklmnopqrst");
  const PieceCodec codec;
  const Sample sample = only_sample(*longppl, 20, codec);
  std::vector<Response> responses = flat(sample, 1.0);
  const auto set = [&](std::size_t token, double whole, double with_short) {
    responses[0].nll.at(token - 1) = whole;
    responses.at(1 + (token - 7) / 3).nll.at((token - 7) % 3) = with_short;
  };
  set(8, 0.5, 3.0);    // gain 2.5, loss 0.5: key
  set(9, 0.5, 2.5);    // gain 2.0 is not above 2
  set(11, 1.75, 4.0);  // gain 2.25, loss 1.75: key
  set(13, 2.0, 9.0);   // loss 2 is not below 2
  set(19, 0.25, 8.0);  // in the last, shorter window: key
  const SampleScore score = longppl->score(sample, responses, codec);
  EXPECT_DOUBLE_EQ(score.values.at("key_tokens"), 3);
  EXPECT_DOUBLE_EQ(score.values.at("key_nll"), 2.5);
  const std::vector<MetricValue> metrics = longppl->aggregate({&score, 1}, 1);
  EXPECT_EQ(metrics.at(0).name, "longppl");
  EXPECT_NEAR(metrics.at(0).value, std::exp(2.5 / 3), 1e-12);
  EXPECT_EQ(longppl->headline().metric, "longppl");
  EXPECT_EQ(metrics.at(0).meaning, kPerplexityMeaning) << "lower is better, logarithmic";
  EXPECT_EQ(metrics.at(1).meaning, kTokensMeaning);
}

TEST_F(LongPpl, WithoutKeyTokensThereIsNoFigureAndTheirCountSaysSo) {
  const auto longppl = task("short: 4\nblock: 3\n", "abcdefghijklmnopqrst");
  const PieceCodec codec;
  const Sample sample = only_sample(*longppl, 20, codec);
  const SampleScore score = longppl->score(sample, flat(sample, 1.0), codec);
  const std::vector<MetricValue> metrics = longppl->aggregate({&score, 1}, 1);
  EXPECT_EQ(metrics.at(0).name, "key_tokens");
  EXPECT_EQ(metrics.at(0).value, 0);
  EXPECT_EQ(metrics.at(1).name, "perplexity");
}

TEST_F(LongPpl, AnotherModelsKeyTextIsMappedByItsBytes) {
  write_file_atomically(folder_ / "keys.jsonl",
                        "{\"id\": \"text\", \"ranges\": [[2, 7], [9, 11]]}\n");
  const auto longppl = task("keys: keys.jsonl\n", "ab cd efgh ij");
  // "ab" " cd" " ef" "g" "h" " ij": bytes [0,2) [2,5) [5,8) [8,9) [9,10) [10,13).
  const PieceCodec codec({}, {"ab", " cd", " ef", " ij"});
  const Sample sample = only_sample(*longppl, 64, codec);
  EXPECT_EQ(sample.requests.size(), 1U);
  EXPECT_THAT(sample.facts.at("keys").get<std::vector<int>>(), ElementsAre(1, 4));
  std::vector<Response> responses = flat(sample, 1.0);
  responses[0].nll[0] = 3.0;  // token 1
  const SampleScore score = longppl->score(sample, responses, codec);
  EXPECT_DOUBLE_EQ(score.values.at("key_nll"), 4.0);
  EXPECT_DOUBLE_EQ(score.values.at("key_tokens"), 2);
}

TEST_F(LongPpl, WhatDoesNotFitIsRefused) {
  const auto longppl = task("", "abc");
  const std::vector<std::int64_t> lengths = {4096};
  EXPECT_THAT(test::error_message([&] { static_cast<void>(longppl->cells(lengths)); }),
              HasSubstr("the least length is 5120"));
  EXPECT_THAT(test::error_message([&] { task("evaluator: Llama\n", "abc"); }),
              HasSubstr("`keys: FILE`"));
  write_file_atomically(folder_ / "keys.jsonl", "{\"id\": \"text\", \"ranges\": [[7, 2]]}\n");
  EXPECT_THAT(test::error_message([&] { task("keys: keys.jsonl\n", "abc"); }),
              HasSubstr("keys.jsonl:1: the range [7,2] is empty"));
  EXPECT_THROW(task("keys: keys.jsonl\nshort: 4\n", "abc"), Error);
  EXPECT_THROW(task("stride: 4\n", "abc"), Error);
}

TEST_F(LongPpl, ADocumentWithoutALongContextIsSkippedAndCounted) {
  const auto longppl = task("short: 4\nblock: 3\n", "abcdefg");
  const std::vector<std::int64_t> lengths = {20};
  const Task::Built built = longppl->build(longppl->cells(lengths).at(0),
                                           {.codec = PieceCodec(), .seed = 1, .subset = {}});
  EXPECT_TRUE(built.samples.empty());
  EXPECT_THAT(built.skipped.at(0).reason, HasSubstr("has 7 tokens, the protocol needs 8"));
}

}  // namespace
}  // namespace yardstick::tasks
