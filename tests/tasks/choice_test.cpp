#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/json.hpp"
#include "tasks/downstream/choice_scoring.hpp"
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

const std::vector<std::int64_t> kFirst = {0};
const std::vector<std::int64_t> kSecond = {1};

// lm-evaluation-harness issue 3278: per character and per byte choose differently.
TEST(ChoiceScoring, B26CharactersAndBytesAreTwoMetrics) {
  const std::vector<ChoiceScore> scores = {
      {.log_likelihood = -3.0, .characters = 2, .bytes = 2, .tokens = 1},
      {.log_likelihood = -3.5, .characters = 2, .bytes = 4, .tokens = 2}};
  EXPECT_DOUBLE_EQ(normalized(scores[0], Normalization::kCharacter), -1.5);
  EXPECT_DOUBLE_EQ(normalized(scores[1], Normalization::kByte), -0.875);
  EXPECT_DOUBLE_EQ(judge(scores, kFirst, Normalization::kSum).credit, 1);
  EXPECT_DOUBLE_EQ(judge(scores, kFirst, Normalization::kCharacter).credit, 1);
  EXPECT_DOUBLE_EQ(judge(scores, kSecond, Normalization::kByte).credit, 1);
  EXPECT_DOUBLE_EQ(judge(scores, kSecond, Normalization::kToken).credit, 1);
}

// helm issues 737 and 1494: a tie is neither right nor wrong, and its order does not matter.
TEST(ChoiceScoring, B27ATieEarnsOneOverK) {
  const ChoiceScore same{.log_likelihood = -2, .characters = 3, .bytes = 3, .tokens = 1};
  const ChoiceScore worse{.log_likelihood = -9, .characters = 3, .bytes = 3, .tokens = 1};
  const std::vector<ChoiceScore> two = {same, same};
  for (const std::vector<std::int64_t>& gold : {kFirst, kSecond}) {
    const Verdict verdict = judge(two, gold, Normalization::kSum);
    EXPECT_DOUBLE_EQ(verdict.credit, 0.5);
    EXPECT_EQ(verdict.best, 2);
    EXPECT_EQ(verdict.prediction, 0);
  }
  const std::vector<ChoiceScore> three = {same, same, worse};
  EXPECT_DOUBLE_EQ(judge(three, std::vector<std::int64_t>{2}, Normalization::kSum).credit, 0);
  // Two right ones of two best: nothing is left to chance.
  EXPECT_DOUBLE_EQ(judge(three, std::vector<std::int64_t>{0, 1}, Normalization::kSum).credit, 1);
  EXPECT_DOUBLE_EQ(judge(three, std::vector<std::int64_t>{1, 2}, Normalization::kSum).credit, 0.5);
}

TEST(ChoiceScoring, AnyOfSeveralRightChoicesIsRight) {
  const std::vector<ChoiceScore> scores = {{.log_likelihood = -3}, {.log_likelihood = -1}};
  EXPECT_DOUBLE_EQ(judge(scores, std::vector<std::int64_t>{0, 1}, Normalization::kSum).credit, 1);
}

// ln p of 3 given the context against 10 without, and of 9 against 9.5: the context helps the
// first by 7 nats and the second by half a nat. The difference takes the first; the largest
// quotient, which is what OLMo takes, is 0.947 of the second before 0.3.
TEST(ChoiceScoring, PmiIsADifferenceOrAQuotient) {
  const std::vector<ChoiceScore> scores = {{.log_likelihood = -3, .unconditional = -10},
                                           {.log_likelihood = -9, .unconditional = -9.5}};
  EXPECT_DOUBLE_EQ(normalized(scores[0], Normalization::kDifference), 7);
  EXPECT_DOUBLE_EQ(normalized(scores[0], Normalization::kRatio), 0.3);
  EXPECT_EQ(judge(scores, kFirst, Normalization::kDifference).prediction, 0);
  EXPECT_EQ(judge(scores, kFirst, Normalization::kRatio).prediction, 1);
}

// Probabilities 3/4 and 1/4: (1/4)^2 + (1/4)^2 or (3/4)^2 + (3/4)^2.
TEST(ChoiceScoring, BrierScoreIsTheSquaredDistanceFromTheRightAnswer) {
  const std::vector<ChoiceScore> scores = {{.log_likelihood = -800 + std::log(3.0)},
                                           {.log_likelihood = -800}};
  EXPECT_NEAR(brier_score(scores, 0), 0.125, 1e-12);
  EXPECT_NEAR(brier_score(scores, 1), 1.125, 1e-12);
}

class MultipleChoice : public testing::Test {
 protected:
  std::unique_ptr<const Task> task(const std::string& keys, const std::string& lines) {
    write_file_atomically(folder_ / "a.jsonl", lines);
    return task_from("kind: multiple_choice\ndata: a.jsonl\n" + keys, folder_.path());
  }

  test::TemporaryFolder folder_;
};

constexpr const char* kLine =
    "{\"q\":\"One?\",\"options\":[\"ab\",\"\u00e9\u00e9\"],\"label\":1,\"topic\":\"letters\"}\n";
constexpr const char* kKeys =
    "prompt: \"Q: {{q}}\"\nchoices: \"{{options}}\"\nanswer: label\ncategory: topic\n";

TEST_F(MultipleChoice, IsScoredByHand) {
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}});
  const auto choice = task(kKeys, kLine);
  const auto built = choice->build(CellAxes{}, {.codec = codec, .seed = 1, .subset = {}});
  ASSERT_EQ(built.samples.size(), 1U);
  Response first;
  first.nll = {1.0, 1.0, 1.0};
  Response second;
  second.nll = {0.5, 0.5, 0.5, 1.0, 1.0};
  const std::vector<Response> responses = {first, second};
  const SampleScore score = choice->score(built.samples[0], responses, codec);
  EXPECT_DOUBLE_EQ(score.values.at("acc"), 0);        // -3.0 before -3.5
  EXPECT_DOUBLE_EQ(score.values.at("acc_char"), 0);   // -1.5 before -1.75
  EXPECT_DOUBLE_EQ(score.values.at("acc_byte"), 1);   // -0.875 before -1.5
  EXPECT_DOUBLE_EQ(score.values.at("acc_token"), 1);  // -0.7 before -1.0
  EXPECT_DOUBLE_EQ(score.values.at("margin"), -0.5);
  EXPECT_DOUBLE_EQ(score.values.at("gold_bytes"), 5);  // the blank counts: it was scored
  const std::vector<MetricValue> metrics = choice->aggregate(std::vector<SampleScore>{score}, 1);
  EXPECT_EQ(metrics.front().name, "acc");
  EXPECT_EQ(metrics.back().name, "acc/letters");
  EXPECT_NEAR(metrics[2].ci_low.value(), 0.207, 5e-4);
}

TEST_F(MultipleChoice, LmEvaluationHarnessNamesMeanTheSame) {
  const auto ours = task(kKeys, kLine);
  const auto theirs = task_from(
      "output_type: multiple_choice\ndata: a.jsonl\ndoc_to_text: \"Q: {{q}}\"\n"
      "doc_to_choice: options\ndoc_to_target: label\ntarget_delimiter: \" \"\ncategory: topic\n",
      folder_.path());
  Fingerprint a;
  Fingerprint b;
  ours->describe(a);
  theirs->describe(b);
  EXPECT_EQ(a.hex(), b.hex());
}

TEST_F(MultipleChoice, ATargetMayBeTextAndChoicesMayBeTemplates) {
  const auto choice =
      task("prompt: \"{{q}}\"\nchoices: [\"{{a}}\", \"{{b}}\"]\nanswer: \"{{right}}\"\n",
           "{\"q\":\"x\",\"a\":\"yes\",\"b\":\"no\",\"right\":\"no\"}\n");
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}});
  const auto built = choice->build(CellAxes{}, {.codec = codec, .seed = 1, .subset = {}});
  EXPECT_EQ(built.samples[0].facts.at("gold"), 1);
}

TEST_F(MultipleChoice, BadItemsNameTheirLine) {
  const auto message = [&](const std::string& keys, const std::string& lines) {
    return test::error_message([&] { task(keys, lines); });
  };
  const std::string good = kLine;
  EXPECT_THAT(
      message(kKeys, good + "{\"q\":\"x\",\"options\":[\"a\",\"\"],\"label\":0,\"topic\":\"t\"}\n"),
      HasSubstr("a.jsonl:2: choice 1 is empty"));
  EXPECT_THAT(
      message(kKeys,
              good + "{\"q\":\"x\",\"options\":[\"a\",\"b\"],\"label\":2,\"topic\":\"t\"}\n"),
      HasSubstr("the target is 2, but the choices are numbered from 0 to 1"));
  EXPECT_THAT(message(kKeys, "{\"q\":\"x\",\"options\":\"a\",\"label\":0,\"topic\":\"t\"}\n"),
              HasSubstr("expected a list of choices"));
  EXPECT_THAT(
      message(kKeys, "{\"q\":\"x\",\"option\":[\"a\",\"b\"],\"label\":0,\"topic\":\"t\"}\n"),
      HasSubstr("did you mean 'option'?"));
  EXPECT_THAT(message(kKeys, ""), HasSubstr("holds no items"));
  EXPECT_THAT(message("prompt: a\ndoc_to_text: b\nchoices: c\nanswer: d\n", good),
              HasSubstr("says the same as 'prompt'"));
}

TEST_F(MultipleChoice, ALimitTakesASeededNestedSubset) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += kLine;
  const auto choice = task(kKeys, lines);
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}});
  const auto ids = [&](std::uint64_t seed) {
    std::vector<std::string> out;
    for (const Sample& sample :
         choice->build(CellAxes{}, {.codec = codec, .seed = seed, .subset = {.limit = 10}})
             .samples) {
      out.push_back(sample.id);
    }
    return out;
  };
  EXPECT_EQ(ids(42).size(), 10U);
  EXPECT_EQ(ids(42), ids(42));
  EXPECT_NE(ids(42), ids(1234));
}

}  // namespace
}  // namespace yardstick::tasks
