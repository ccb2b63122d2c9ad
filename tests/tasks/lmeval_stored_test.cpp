// Results that lm-evaluation-harness keeps in its own tests: requests, accuracies and standard
// errors of six tasks under stored log-likelihoods (golden/lmeval_stored).
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/hash.hpp"
#include "core/json.hpp"
#include "tasks/data/jsonl.hpp"
#include "tasks/downstream/choice_summary.hpp"
#include "tasks/downstream/multiple_choice.hpp"
#include "tests/support/shared.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/listed_questions.hpp"

namespace yardstick::tasks {
namespace {

struct Stored {
  std::vector<Question> questions;
  std::vector<std::vector<double>> log_likelihoods;
};

Question question_of(std::int64_t line, const nlohmann::ordered_json& record) {
  Question question{.id = "line-" + std::to_string(line)};
  for (const nlohmann::ordered_json& text : record.at("cont")) {
    question.choices.push_back(text.get<std::string>().substr(1));  // the delimiter's blank
  }
  if (record.at("ctx").is_array()) {
    question.contexts = record.at("ctx").get<std::vector<std::string>>();
    question.targets = {question.choices.front()};
  } else {
    question.context = record.at("ctx").get<std::string>();
  }
  question.gold = {record.at("gold").get<std::int64_t>()};
  return question;
}

Stored stored(const std::string& task) {
  Stored out;
  for_each_json_line(test::shared_path("golden/lmeval_stored") / (task + ".jsonl.gz"),
                     [&](std::int64_t line, nlohmann::ordered_json&& record) {
                       out.questions.push_back(question_of(line, record));
                       out.log_likelihoods.push_back(record.at("ll").get<std::vector<double>>());
                       return Proceed::kNext;
                     });
  return out;
}

std::unique_ptr<const Task> task_of(std::vector<Question> questions) {
  return multiple_choice_task(
      {.plan = {std::make_shared<test::ListedQuestions>(std::move(questions)), std::nullopt,
                std::nullopt},
       .metrics = {.headline = {.metric = "acc"}}});
}

// Text as Python's json.dumps writes it, other characters than ASCII escaped.
std::string python_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true);
}

// SHA-256 of json.dumps over the list of (context, continuation) of all requests, which is how
// lm-evaluation-harness's tests identify what a task asks.
std::string request_hash(const Task::Built& built) {
  const test::PieceCodec codec;
  std::string json = "[";
  for (const Sample& sample : built.samples) {
    for (const Request& request : sample.requests) {
      const std::span<const TokenId> tokens = request.tokens;
      const auto border = static_cast<std::size_t>(request.score_from);
      json += (json.size() > 1 ? ", [" : "[") + python_json(codec.decode(tokens.first(border))) +
              ", " + python_json(codec.decode(tokens.subspan(border))) + "]";
    }
  }
  return sha256_hex(json + "]");
}

std::vector<SampleScore> scores_of(const Task& task, const Task::Built& built,
                                   const std::vector<std::vector<double>>& log_likelihoods) {
  const test::PieceCodec codec;
  std::vector<SampleScore> scores;
  for (std::size_t i = 0; i < built.samples.size(); ++i) {
    std::vector<Response> responses;
    for (const double value : log_likelihoods.at(i)) {
      responses.emplace_back().nll = {-value};
    }
    scores.push_back(task.score(built.samples[i], responses, codec));
  }
  return scores;
}

class LmEvalStoredTask : public testing::TestWithParam<const char*> {};

TEST_P(LmEvalStoredTask, AsksAndScoresTheSame) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  static const nlohmann::json expected =
      read_json(test::shared_path("golden/lmeval_stored/expected.json"));
  const nlohmann::json& wanted = expected.at(GetParam());
  Stored data = stored(GetParam());
  const auto task = task_of(std::move(data.questions));
  const test::PieceCodec codec({.bos = {}, .end_of_text = test::kFakeEnd});
  const Task::Built built = task->build(CellAxes{}, {.codec = codec, .seed = 1, .subset = {}});
  ASSERT_EQ(std::ssize(built.samples), wanted.at("docs").get<std::int64_t>());
  EXPECT_EQ(request_hash(built), wanted.at("request_sha256").get<std::string>());

  const std::vector<MetricValue> metrics =
      task->aggregate(scores_of(*task, built, data.log_likelihoods), 1);
  ASSERT_EQ(metrics[0].name, "acc");
  EXPECT_NEAR(metrics[0].value, wanted.at("acc").get<double>(), 1e-15);
  EXPECT_NEAR(metrics[0].standard_error.value(), wanted.at("acc_stderr").get<double>(), 1e-15);
  // All stored values differ, so nothing hangs on how ties are scored.
  EXPECT_EQ(metrics[4].name, "ties");
  EXPECT_EQ(metrics[4].value, 0);
  if (!wanted.contains("acc_norm")) return;
  ASSERT_EQ(metrics[1].name, "acc_char");
  EXPECT_NEAR(metrics[1].value, wanted.at("acc_norm").get<double>(), 1e-15);
  EXPECT_NEAR(metrics[1].standard_error.value(), wanted.at("acc_norm_stderr").get<double>(), 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Tasks, LmEvalStoredTask,
                         testing::Values("arc_challenge", "arc_easy", "copa", "openbookqa", "piqa",
                                         "winogrande"));

// BLiMP's 1000 pairs, the first of each the right one. Every task's values are the same sequence of
// random numbers from its start on, so the first 2000 of another task's are BLiMP's.
TEST(LmEvalStored, Blimp) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const nlohmann::json wanted = read_json(test::shared_path("golden/lmeval_stored/expected.json"))
                                    .at("blimp_* (67 tasks, 1000 pairs each)");
  std::vector<double> values;
  for (const std::vector<double>& some : stored("arc_easy").log_likelihoods) {
    values.insert(values.end(), some.begin(), some.end());
  }
  std::vector<Question> questions;
  std::vector<std::vector<double>> pairs;
  for (std::size_t i = 0; i < 1000; ++i) {
    questions.push_back(
        {.id = "pair-" + std::to_string(i), .choices = {"good", "bad"}, .gold = {0}});
    pairs.push_back({values.at(2 * i), values.at(2 * i + 1)});
  }
  const auto task = task_of(std::move(questions));
  const test::PieceCodec codec({.bos = {}, .end_of_text = test::kFakeEnd});
  const Task::Built built = task->build(CellAxes{}, {.codec = codec, .seed = 1, .subset = {}});
  const MetricValue acc = task->aggregate(scores_of(*task, built, pairs), 1).front();
  EXPECT_NEAR(acc.value, wanted.at("acc").get<double>(), 1e-12);
  EXPECT_NEAR(acc.standard_error.value(), wanted.at("acc_stderr").get<double>(), 1e-12);
}

}  // namespace
}  // namespace yardstick::tasks
