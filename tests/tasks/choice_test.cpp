#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/json.hpp"
#include "tasks/downstream/choice_scoring.hpp"
#include "tasks/metrics/classification.hpp"
#include "tasks/partwise.hpp"
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
using testing::AllOf;
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
  EXPECT_NEAR(brier_score(choice_probabilities(scores), 0), 0.125, 1e-12);
  EXPECT_NEAR(brier_score(choice_probabilities(scores), 1), 1.125, 1e-12);
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
  EXPECT_EQ(built.samples[0].facts.at("gold"), nlohmann::json({1}));
}

TEST_F(MultipleChoice, BadItemsNameTheirLine) {
  const auto message = [&](const std::string& keys, const std::string& lines) {
    return test::error_message([&] { task(keys, lines); });
  };
  const std::string good = kLine;
  EXPECT_THAT(
      message(kKeys, good + "{\"q\":\"x\",\"options\":[\"a\",\"\"],\"label\":0,\"topic\":\"t\"}\n"),
      AllOf(HasSubstr("a.jsonl:2: suite.yaml:"), HasSubstr(": choice 1 is empty")));
  EXPECT_THAT(
      message(kKeys,
              good + "{\"q\":\"x\",\"options\":[\"a\",\"b\"],\"label\":2,\"topic\":\"t\"}\n"),
      HasSubstr("the target is 2, but the choices are numbered from 0 to 1"));
  EXPECT_THAT(message(kKeys, "{\"q\":\"x\",\"options\":\"a\",\"label\":0,\"topic\":\"t\"}\n"),
              HasSubstr("expected a list of choices"));
  EXPECT_THAT(
      message(kKeys, "{\"q\":\"x\",\"option\":[\"a\",\"b\"],\"label\":0,\"topic\":\"t\"}\n"),
      HasSubstr("did you mean 'option'?"));
  EXPECT_THAT(message(kKeys, ""), HasSubstr("holds no documents"));
  EXPECT_THAT(message("prompt: a\ndoc_to_text: b\nchoices: c\nanswer: d\n", good),
              HasSubstr("says the same as 'prompt'"));
}

TEST_F(MultipleChoice, PartsOfACellAreWhatTheWholeIs) {
  std::string lines;
  for (int i = 0; i < 7; ++i) {
    const std::string question(static_cast<std::size_t>(i) + 1, 'x');
    lines += "{\"q\":\"" + question + "\"}\n";
  }
  // The last ones do not fit.
  const auto choice =
      task("prompt: \"{{q}}\"\nchoices: [\"7\", \"8\"]\nanswer: \"0\"\nmax_length: 6\n", lines);
  const auto* const in_parts = dynamic_cast<const PartwiseTask*>(choice.get());
  ASSERT_NE(in_parts, nullptr);
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}});
  for (const Subset& subset : {Subset{}, Subset{.limit = 5}}) {
    const BuildContext context{.codec = codec, .seed = 1, .subset = subset};
    const Task::Built whole = choice->build(CellAxes{}, context);
    EXPECT_FALSE(whole.samples.empty());
    EXPECT_FALSE(whole.skipped.empty());
    std::size_t sample = 0;
    std::size_t skipped = 0;
    const std::vector<std::string> ids = in_parts->sample_ids(context);
    EXPECT_EQ(ids.size(), whole.samples.size() + whole.skipped.size());
    for (std::size_t first = 0; first < ids.size(); first += 2) {
      const Task::Built part = in_parts->build_part(CellAxes{}, context, first, 2);
      for (const Sample& one : part.samples) {
        EXPECT_EQ(one.id, whole.samples.at(sample).id);
        EXPECT_EQ(one.requests, whole.samples.at(sample).requests);
        EXPECT_EQ(one.facts, whole.samples.at(sample++).facts);
      }
      for (const SampleScore& one : part.skipped)
        EXPECT_EQ(one.sample_id, whole.skipped.at(skipped++).sample_id);
    }
    EXPECT_EQ(sample, whole.samples.size());
    EXPECT_EQ(skipped, whole.skipped.size());
  }
}

Response response_of(std::vector<double> nll, std::vector<std::uint8_t> is_greedy = {}) {
  Response response;
  response.nll = std::move(nll);
  response.is_greedy = std::move(is_greedy);
  return response;
}

// lighteval issue 1264: the loss of " 7" divided by the bytes of "7".
TEST_F(MultipleChoice, B18LossAndBytesAreOfTheSameString) {
  const auto choice = task("prompt: \"Answer:\"\nchoices: [\"7\", \"8\"]\nanswer: \"0\"\n", "{}\n");
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}});
  const auto built = choice->build(CellAxes{}, {.codec = codec, .seed = 1, .subset = {}});
  const Request& request = built.samples[0].requests[0];
  ASSERT_EQ(std::ssize(request.tokens) - request.score_from, 2);  // the blank and the digit
  const SampleScore score = choice->score(
      built.samples[0], std::vector<Response>{response_of({1, 1}), response_of({1, 2})}, codec);
  EXPECT_DOUBLE_EQ(score.values.at("gold_nll"), 2);
  EXPECT_DOUBLE_EQ(score.values.at("gold_bytes"), 2);
  const std::vector<MetricValue> metrics = choice->aggregate(std::vector<SampleScore>{score}, 1);
  EXPECT_EQ(metrics[6].name, "gold_bits_per_byte");
  EXPECT_DOUBLE_EQ(metrics[6].value, 1 / std::numbers::ln2);
}

// The blank ends the context here: with a token " 7" it is scored, so it counts; with a token of
// its own it stays in the context.
TEST_F(MultipleChoice, B18ABlankThatEndsTheContextCountsIfItIsScored) {
  const auto choice =
      task("prompt: \"Answer: \"\nchoices: [\"7\", \"8\"]\nanswer: \"0\"\ntarget_delimiter: \"\"\n",
           "{\"right\": \"7\"}\n");
  const auto target = task_from(
      "kind: loglikelihood\ndata: a.jsonl\nprompt: \"Answer: \"\nanswer: right\n", folder_.path());
  const std::vector<std::string> merged = {" 7", " 8"};
  for (const auto& [pieces, bytes] :
       {std::pair{merged, 2.0}, std::pair{std::vector<std::string>{}, 1.0}}) {
    const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}}, pieces);
    for (const Task* const asked : {choice.get(), target.get()}) {
      const auto built = asked->build(CellAxes{}, {.codec = codec, .seed = 1, .subset = {}});
      ASSERT_EQ(built.samples.size(), 1U);
      const Request& request = built.samples[0].requests[0];
      const auto scored = std::span(request.tokens).subspan(request.tokens.size() - 1);
      ASSERT_EQ(std::ssize(request.tokens) - request.score_from, 1);
      EXPECT_EQ(std::ssize(codec.decode(scored)), bytes);
      const std::vector<Response> responses(built.samples[0].requests.size(),
                                            response_of({1}, {1}));
      const SampleScore score = asked->score(built.samples[0], responses, codec);
      const bool is_choice = asked == choice.get();
      EXPECT_DOUBLE_EQ(score.values.at(is_choice ? "gold_bytes" : "bytes"), bytes);
    }
  }
}

// lm-evaluation-harness issue 1672: coarse logits make options exactly equal. Nothing here makes
// them differ again, and the cell says how many there were.
TEST_F(MultipleChoice, B28TiesAreCounted) {
  const auto choice = task(std::string(kKeys) + "metric_list: [{metric: ties}, {metric: acc}]\n",
                           std::string(kLine) + kLine);
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}});
  const auto built = choice->build(CellAxes{}, {.codec = codec, .seed = 1, .subset = {}});
  const std::vector<SampleScore> scores = {
      choice->score(built.samples[0], std::vector<Response>{response_of({2.5}), response_of({2.5})},
                    codec),
      choice->score(built.samples[1], std::vector<Response>{response_of({3.5}), response_of({2.5})},
                    codec)};
  const std::vector<MetricValue> metrics = choice->aggregate(scores, 1);
  EXPECT_DOUBLE_EQ(metrics[0].value, 0.75);
  EXPECT_EQ(metrics[4].name, "ties");
  EXPECT_DOUBLE_EQ(metrics[4].value, 1);
  EXPECT_EQ(choice->headline().metric, "ties");
}

// lm-evaluation-harness issue 3966: 14 of 307 right had a standard error of 0.0; the value is
// sqrt(p (1 - p) / 306).
TEST_F(MultipleChoice, B101TheStandardErrorIsNotZero) {
  const auto choice = task(kKeys, kLine);
  std::vector<SampleScore> scores(307);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double right = i < 14 ? 1 : 0;
    scores[i].values = {{"acc", right},       {"acc_char", right}, {"acc_byte", right},
                        {"acc_token", right}, {"tie", 0},          {"gold_nll", 1},
                        {"gold_bytes", 1}};
  }
  EXPECT_NEAR(choice->aggregate(scores, 1)[0].standard_error.value(), 0.011926, 5e-7);
}

TEST_F(MultipleChoice, PmiAsksEachChoiceBehindTheUnconditionalContextToo) {
  const auto choice = task(std::string(kKeys) +
                               "metric_list: [{metric: acc_mutual_info}, {metric: acc}]\n"
                               "unconditional: \"A {{topic}}:\"\n",
                           kLine);
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}});
  const auto built = choice->build(CellAxes{}, {.codec = codec, .seed = 1, .subset = {}});
  ASSERT_EQ(built.samples[0].requests.size(), 4U);
  EXPECT_EQ(codec.decode(built.samples[0].requests[2].tokens), "A letters: ab");
  const SampleScore score =
      choice->score(built.samples[0],
                    std::vector<Response>{response_of({3}), response_of({9}), response_of({3.1}),
                                          response_of({10})},
                    codec);
  EXPECT_DOUBLE_EQ(score.values.at("acc"), 0);      // -3 before -9
  EXPECT_DOUBLE_EQ(score.values.at("acc_pmi"), 1);  // +1 of the second before +0.1
  EXPECT_EQ(choice->headline().metric, "acc_pmi");
}

// Four questions, right classes 1 1 0 0, predicted 1 0 1 0 by the losses: F1 of either class is
// 2 / (2 + 1 + 1), the correlation (1 x 1 - 1 x 1) / 4; greedy wrote the right one once.
TEST_F(MultipleChoice, MetricListAddsMetricsOfClasses) {
  const auto line = [](int label) { return "{\"label\":" + std::to_string(label) + "}\n"; };
  const auto choice = task(
      "prompt: \"Is {{label}} it?\"\nchoices: [\"no\", \"yes\"]\nanswer: label\nmetric_list:\n"
      "- {metric: acc, aggregation: mean, higher_is_better: true}\n- {metric: f1, aggregation: "
      "f1}\n"
      "- {metric: f1_index0}\n- {metric: mcc}\n- {metric: exact_match}\n- {metric: brier_score}\n",
      line(1) + line(1) + line(0) + line(0));
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}});
  const auto built = choice->build(CellAxes{}, {.codec = codec, .seed = 1, .subset = {}});
  const Response likely = response_of({1}, {1});
  const Response unlikely = response_of({1 + std::log(3.0)}, {0});
  std::vector<SampleScore> scores;
  for (std::size_t i = 0; i < 4; ++i) {
    const bool is_second = i % 2 == 0;
    scores.push_back(choice->score(
        built.samples[i],
        std::vector<Response>{is_second ? unlikely : likely, is_second ? likely : unlikely},
        codec));
  }
  std::map<std::string, double> values;
  std::set<std::string> intervals;  // around their values
  for (const MetricValue& metric : choice->aggregate(scores, 1)) {
    values[metric.name] = metric.value;
    if (metric.ci_low && *metric.ci_low <= metric.value && metric.value <= *metric.ci_high) {
      intervals.insert(metric.name);
    }
  }
  EXPECT_DOUBLE_EQ(values.at("acc"), 0.5);
  EXPECT_DOUBLE_EQ(values.at("f1"), 0.5);
  EXPECT_DOUBLE_EQ(values.at("f1_index0"), 0.5);
  EXPECT_DOUBLE_EQ(values.at("mcc"), 0);
  EXPECT_DOUBLE_EQ(values.at("exact_match"), 0.5);
  EXPECT_NEAR(values.at("brier_score"), (0.125 + 1.125) / 2, 1e-12);
  EXPECT_THAT(intervals, testing::IsSupersetOf({"margin", "brier_score", "gold_bits_per_byte"}));
}

TEST_F(MultipleChoice, UnknownMetricsAreRefused) {
  const auto message = [&](const std::string& keys) {
    return test::error_message([&] { task(kKeys + keys, kLine); });
  };
  EXPECT_THAT(message("metric_list: [{metric: acc_nrm}]\n"), HasSubstr("did you mean 'acc_norm'?"));
  EXPECT_THAT(message("metric_list: [{metric: acc, aggregation: median}]\n"),
              HasSubstr("found 'median', expected 'mean'"));
  EXPECT_THAT(message("unconditional: \"Answer:\"\n"), HasSubstr("only acc_pmi"));
}

// ---- output_type loglikelihood
// -------------------------------------------------------------------

class Loglikelihood : public MultipleChoice {};

TEST_F(Loglikelihood, IsScoredByHand) {
  write_file_atomically(folder_ / "a.jsonl", "{\"t\":\"a b\"}\n{\"t\":\"a cd\"}\n");
  const auto last_word = task_from(
      "output_type: loglikelihood\ndata: a.jsonl\ndoc_to_text: \"{{t[:1]}}\"\ndoc_to_target: t\n"
      "metric_list: [{metric: perplexity, aggregation: perplexity, higher_is_better: false}]\n",
      folder_.path());
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}});
  const auto built = last_word->build(CellAxes{}, {.codec = codec, .seed = 1, .subset = {}});
  ASSERT_EQ(built.samples.size(), 2U);
  // As in lm-evaluation-harness, nothing stands between context and target.
  EXPECT_EQ(codec.decode(built.samples[1].requests[0].tokens), "aa cd");
  const std::vector<SampleScore> scores = {
      last_word->score(built.samples[0], std::vector<Response>{response_of({1, 1, 1}, {1, 1, 1})},
                       codec),
      last_word->score(built.samples[1],
                       std::vector<Response>{response_of({2, 1, 1, 1}, {1, 0, 1, 1})}, codec)};
  std::map<std::string, double> values;
  std::map<std::string, Meaning> meanings;
  for (const MetricValue& metric : last_word->aggregate(scores, 1)) {
    values[metric.name] = metric.value;
    meanings[metric.name] = metric.meaning;
  }
  EXPECT_DOUBLE_EQ(values.at("acc"), 0.5);
  EXPECT_DOUBLE_EQ(values.at("perplexity"), std::exp(4.0));
  EXPECT_EQ(meanings.at("acc"), kShareMeaning);
  EXPECT_EQ(meanings.at("perplexity"), kPerplexityMeaning);
  EXPECT_EQ(meanings.at("nll_per_token"), kNatsMeaning);
  EXPECT_EQ(meanings.at("bits_per_byte"), kBitsMeaning);
  EXPECT_DOUBLE_EQ(values.at("token_perplexity"), std::exp(8.0 / 7));
  EXPECT_DOUBLE_EQ(values.at("bits_per_byte"), 8.0 / 7 / std::numbers::ln2);
  EXPECT_EQ(last_word->headline().metric, "perplexity");
  EXPECT_EQ(last_word->headline().better, Task::Headline::Better::kLower);
}

// ---- output_type loglikelihood_rolling
// -----------------------------------------------------------

class LoglikelihoodRolling : public MultipleChoice {};

// B-05's windows: ten tokens by windows of four inputs behind a prefix, each token once.
TEST_F(LoglikelihoodRolling, ScoresEveryTokenOnceAndCountsTheText) {
  write_file_atomically(folder_ / "a.jsonl", "{\"page\":\"ab cd  efg\"}\n");
  const auto pages = task_from(
      "output_type: loglikelihood_rolling\ndata: a.jsonl\ndoc_to_text: \"\"\ndoc_to_target: page\n",
      folder_.path());
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = {}});
  const std::vector<std::int64_t> lengths = {4};
  ASSERT_EQ(pages->cells(lengths).size(), 1U);
  const auto built =
      pages->build(pages->cells(lengths)[0], {.codec = codec, .seed = 1, .subset = {}});
  ASSERT_EQ(built.samples[0].requests.size(), 3U);
  std::vector<Response> responses;
  for (const Request& request : built.samples[0].requests) {
    const auto scored = request.tokens.size() - static_cast<std::size_t>(request.score_from);
    responses.push_back(response_of(std::vector<double>(scored, 0.5)));
  }
  const SampleScore score = pages->score(built.samples[0], responses, codec);
  EXPECT_DOUBLE_EQ(score.values.at("tokens"), 10);
  EXPECT_DOUBLE_EQ(score.values.at("words"), 3);
  std::map<std::string, double> values;
  for (const MetricValue& metric : pages->aggregate(std::vector<SampleScore>{score}, 1)) {
    values[metric.name] = metric.value;
  }
  EXPECT_DOUBLE_EQ(values.at("word_perplexity"), std::exp(5.0 / 3));
  EXPECT_DOUBLE_EQ(values.at("byte_perplexity"), std::exp(0.5));
  EXPECT_DOUBLE_EQ(values.at("bits_per_byte"), 0.5 / std::numbers::ln2);
  // As the harness has it with a tokenizer that adds BOS: eleven targets.
  const std::string own =
      "output_type: loglikelihood_rolling\ndata: a.jsonl\ndoc_to_text: \"\"\ndoc_to_target: page\n";
  const auto scored = task_from(own + "text_bos: scored\n", folder_.path());
  const Sample doubled =
      scored->build(scored->cells(lengths)[0], {.codec = codec, .seed = 1, .subset = {}})
          .samples.at(0);
  EXPECT_EQ(doubled.requests[0].tokens[0], kFakeBos);
  EXPECT_EQ(doubled.requests[0].tokens[1], kFakeBos);
  std::int64_t targets = 0;
  for (const Request& request : doubled.requests)
    targets += std::ssize(request.tokens) - request.score_from;
  EXPECT_EQ(targets, 11);
  EXPECT_THAT(test::error_message([&] { task_from(own + "num_fewshot: 2\n", folder_.path()); }),
              HasSubstr("num_fewshot: a text that is scored whole has no worked examples"));
}

}  // namespace
}  // namespace yardstick::tasks
