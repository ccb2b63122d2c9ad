#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tasks/downstream/question_plan.hpp"
#include "tasks/downstream/stretch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/listed_questions.hpp"

namespace yardstick::tasks {
namespace {

using test::ListedQuestions;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// One token a byte: sizes can be counted in the text.
std::int64_t bytes_of(const Question& question) { return std::ssize(question.context); }

Question question_of(const std::string& id, const std::string& context) {
  return {.id = id,
          .document = {{"passage", context.substr(0, context.find('?'))}},
          .context = context,
          .choices = {"a", "b"},
          .gold = {0},
          .targets = {"a"}};
}

class StretchTest : public testing::Test {
 protected:
  // A stretch as the YAML mapping `keys` gives it; `text` is its source.
  Stretch stretch(const std::string& keys, const std::string& text = "") {
    if (!text.empty()) write_file_atomically(folder_ / "source.txt", text);
    const Located located = parse_yaml("stretch: {" + keys + "}", "task.yaml");
    Fields fields(located, "", "a task");
    return read_stretch(fields, folder_.path()).value();
  }

  test::TemporaryFolder folder_;
};

const StretchedQuestion& filled(const std::variant<StretchedQuestion, std::string>& form) {
  EXPECT_TRUE(std::holds_alternative<StretchedQuestion>(form)) << std::get<std::string>(form);
  return std::get<StretchedQuestion>(form);
}

TEST_F(StretchTest, AHaystackFillsTheLengthToWithinAWord) {
  const Stretch plan =
      stretch("by: haystack, source: source.txt", "alpha beta gamma delta\nepsilon");
  const ListedQuestions questions({question_of("q", "Who?\nAnswer:")});
  const Stretcher stretcher(plan, questions, 7);
  for (std::int64_t length = 14; length < 200; ++length) {
    const auto form = stretcher.fill(0, length, bytes_of);
    const StretchedQuestion& question = filled(form);
    EXPECT_LE(question.tokens, length);
    EXPECT_EQ(question.tokens, std::ssize(question.question.context));
    // The longest word with its blank has 8 bytes, the separator 2.
    EXPECT_GT(question.tokens, length - 10);
    EXPECT_THAT(question.question.context, EndsWith("Who?\nAnswer:"));
  }
}

TEST_F(StretchTest, AShorterHaystackIsTheBeginningOfALongerOne) {
  const Stretch plan = stretch("by: haystack, source: source.txt", "one two three four five six");
  const ListedQuestions questions({question_of("q", "Who?\nAnswer:")});
  const Stretcher stretcher(plan, questions, 7);
  const auto is_short = stretcher.fill(0, 60, bytes_of);
  const auto is_long = stretcher.fill(0, 200, bytes_of);
  const std::string& text = filled(is_short).question.context;
  EXPECT_THAT(filled(is_long).question.context, StartsWith(text.substr(0, text.find("\n\nWho"))));
}

TEST_F(StretchTest, TheQuestionStandsWhereItIsToldAndItsLastLineLast) {
  const std::string words = "w w w w w w w w";
  const ListedQuestions questions({question_of("q", "Who?\nAnswer:")});
  const auto context = [&](const std::string& position) {
    const Stretch plan =
        stretch("by: haystack, source: source.txt, separator: '|', position: " + position, words);
    const auto form = Stretcher(plan, questions, 7).fill(0, 24, bytes_of);
    std::string text = filled(form).question.context;
    std::replace(text.begin(), text.begin() + std::ssize(text) - 8, '\n', ' ');
    return text;
  };
  EXPECT_EQ(context("end"), "w w w w w w|Who?\nAnswer:");
  EXPECT_EQ(context("start"), "Who?|w w w w w w\nAnswer:");
  EXPECT_EQ(context("middle"), "w w w|Who?|w w w\nAnswer:");
}

TEST_F(StretchTest, APassageMovesAloneAndTheQuestionStaysLast) {
  const Stretch plan = stretch(
      "by: haystack, source: source.txt, separator: ' ', position: start, passage: '{{passage}}'",
      "w");
  Question question = question_of("q", "The cup is here. Where is the cup?");
  question.document = {{"passage", "The cup is here."}};
  const ListedQuestions questions({question});
  const auto form = Stretcher(plan, questions, 7).fill(0, 40, bytes_of);
  std::string text = filled(form).question.context;
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_EQ(text, "The cup is here. w w w Where is the cup?");
}

TEST_F(StretchTest, DistractorsAreWholeDifferentAndNeverTheQuestionsOwn) {
  std::vector<Question> list;
  for (char name = 'a'; name <= 'h'; ++name) {
    list.push_back(question_of(std::string("q-") + name, std::string("Passage ") + name + "?"));
  }
  const ListedQuestions questions(list);
  const Stretch plan = stretch("by: distractors, separator: '|'");
  const Stretcher stretcher(plan, questions, 7);
  const auto form = stretcher.fill(3, 65, bytes_of);
  // Ten bytes a passage and one for the bar in front of the next: six of them fit.
  EXPECT_EQ(filled(form).tokens, 65);
  EXPECT_EQ(filled(form).units, 5);
  const std::string& text = filled(form).question.context;
  EXPECT_THAT(text, EndsWith("|Passage d?"));
  std::set<std::string> seen;
  for (std::size_t at = 0; at < text.size(); at += 11) seen.insert(text.substr(at, 10));
  EXPECT_EQ(seen.size(), 6U);
  EXPECT_THAT(std::get<std::string>(stretcher.fill(3, 1000, bytes_of)),
              HasSubstr("all 7 passages that there are make 87 tokens"));
}

TEST_F(StretchTest, WorkedExamplesFillTheLengthFromTheLastOneOn) {
  const Stretch plan = stretch("by: fewshot");
  const ListedQuestions questions({question_of("q", "Who?")}, " ", {"one ", "two ", "three "});
  const Stretcher stretcher(plan, questions, 7);
  const auto form = stretcher.fill(0, 16, bytes_of);
  EXPECT_EQ(filled(form).question.context, "two three Who?");
  EXPECT_EQ(filled(form).units, 2);
  EXPECT_THAT(std::get<std::string>(stretcher.fill(0, 100, bytes_of)),
              HasSubstr("all 3 worked examples that there are make 18 tokens"));
}

TEST_F(StretchTest, AQuestionLongerThanTheLengthSaysHowLongItIs) {
  const Stretch plan = stretch("by: haystack, source: source.txt", "w");
  const ListedQuestions questions({question_of("q", "Who?\nAnswer:")});
  EXPECT_EQ(std::get<std::string>(Stretcher(plan, questions, 7).fill(0, 11, bytes_of)),
            "infeasible: the question alone takes 12 tokens, this cell's length is 11");
}

TEST_F(StretchTest, WhatCannotBePartedIsAnError) {
  const ListedQuestions questions({question_of("q-1", "Who?")});
  const auto message = [&](const std::string& keys) {
    const Stretch plan = stretch("by: haystack, source: source.txt, position: start" + keys, "w");
    return test::error_message(
        [&] { static_cast<void>(Stretcher(plan, questions, 7).fill(0, 100, bytes_of)); });
  };
  EXPECT_THAT(message(""), HasSubstr("q-1: the context is one line"));
  EXPECT_THAT(message(", passage: 'What'"), HasSubstr("is not part of the context"));
}

TEST_F(StretchTest, BadKeysNameTheirPlace) {
  const auto message = [&](const std::string& keys) {
    return test::error_message([&] { stretch(keys, "w"); });
  };
  EXPECT_THAT(message("lengths: [1k]"), HasSubstr("task.yaml:1:"));
  EXPECT_THAT(message("by: haystak"), HasSubstr("haystack"));
  EXPECT_THAT(message("by: haystack"), HasSubstr("needs the key 'source'"));
  EXPECT_THAT(message("by: haystack, sorce: source.txt"), HasSubstr("did you mean 'source'?"));
  EXPECT_THAT(message("by: haystack, source: nowhere.txt"),
              AllOf(HasSubstr("task.yaml:1:33: source: there is no file '"),
                    HasSubstr("(relative paths start at '" + folder_.path().string())));
  EXPECT_THAT(message("by: haystack, source: {path: nowhere.txt}"),
              HasSubstr("task.yaml:1:40: path: there is no file '"));
  write_file_atomically(folder_ / "essays.doc", "w");
  EXPECT_THAT(message("by: haystack, source: essays.doc"),
              HasSubstr("task.yaml:1:33: source: 'essays.doc' has an ending that is not known; "
                        "known are: .txt .raw .md .jsonl"));
  EXPECT_THAT(message("by: fewshot, position: start"), HasSubstr("worked examples stand in front"));
  EXPECT_THAT(message("by: haystack, source: source.txt, postion: end"),
              HasSubstr("did you mean 'position'?"));
}

// ---- the cells of a stretched task
// ---------------------------------------------------------------

class StretchedPlan : public StretchTest {
 protected:
  QuestionPlan plan(std::optional<std::int64_t> max_length = std::nullopt) {
    std::vector<Question> questions;
    for (int i = 0; i < 4; ++i) {
      questions.push_back(
          question_of("q-" + std::to_string(i), std::string(20 + 10 * i, 'x') + "?"));
    }
    return {std::make_shared<ListedQuestions>(std::move(questions)),
            stretch("by: haystack, source: source.txt, lengths: [40, 1k]", "some words here"),
            max_length};
  }

  static Task::Built build(const QuestionPlan& plan, const CellAxes& cell) {
    const test::PieceCodec codec;
    return plan.build(cell, {.codec = codec, .seed = 3, .subset = {}},
                      [&](const Question& question) -> std::variant<Asked, std::string> {
                        return Asked{.requests = {{.tokens = codec.encode(question.context)}},
                                     .facts = nlohmann::json::object()};
                      });
  }
};

TEST_F(StretchedPlan, HasABaseCellAndOneForEachLength) {
  EXPECT_THAT(plan().cells(std::vector<std::int64_t>{7}),
              ElementsAre(CellAxes{.variant = "unstretched"}, CellAxes{.length_tokens = 40},
                          CellAxes{.length_tokens = 1024}));
}

TEST_F(StretchedPlan, PairsTheSameQuestionsAtEveryLength) {
  const QuestionPlan plan = this->plan();
  const Task::Built base = build(plan, plan.cells({})[0]);
  const Task::Built longest = build(plan, plan.cells({})[2]);
  ASSERT_EQ(base.samples.size(), 4U);
  ASSERT_EQ(longest.samples.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(base.samples[i].id, longest.samples[i].id);
    EXPECT_EQ(base.samples[i].facts.at("prompt"), longest.samples[i].facts.at("prompt"));
    EXPECT_EQ(base.samples[i].facts.at("length_tokens"), 21 + 10 * static_cast<int>(i));
    EXPECT_FALSE(base.samples[i].facts.contains("stretch"));
    EXPECT_EQ(longest.samples[i].facts.at("length_tokens"),
              std::ssize(longest.samples[i].requests[0].tokens));
    EXPECT_GT(longest.samples[i].facts.at("length_tokens"), 1024 - 6);
    EXPECT_LE(longest.samples[i].facts.at("length_tokens"), 1024);
  }
}

TEST_F(StretchedPlan, SkipsWhatIsTooLongAndSaysSo) {
  const QuestionPlan stretched = plan();
  const Task::Built at_40 = build(stretched, stretched.cells({})[1]);
  EXPECT_EQ(at_40.samples.size(), 2U);
  ASSERT_EQ(at_40.skipped.size(), 2U);
  EXPECT_EQ(at_40.skipped[0].sample_id, "q-2");
  EXPECT_THAT(at_40.skipped[0].reason, HasSubstr("takes 41 tokens, this cell's length is 40"));

  const QuestionPlan limited = plan(30);
  const Task::Built base = build(limited, limited.cells({})[0]);
  ASSERT_EQ(base.skipped.size(), 3U);
  EXPECT_EQ(base.skipped[0].reason, "too long: the question takes 31 tokens, max_length is 30");
}

// lm-evaluation-harness issue 2598: a limit that takes the same ten whatever the seed.
TEST(QuestionPlan, B105ALimitIsASeededSubset) {
  std::vector<Question> list;
  for (int i = 0; i < 100; ++i) list.push_back(question_of("q-" + std::to_string(i), "x?"));
  const QuestionPlan plan(std::make_shared<ListedQuestions>(list), std::nullopt, std::nullopt);
  const test::PieceCodec codec;
  const auto ids = [&](std::uint64_t seed) {
    std::vector<std::string> out;
    const Task::Built built =
        plan.build(CellAxes{}, {.codec = codec, .seed = seed, .subset = {.limit = 10}},
                   [](const Question&) { return Asked{}; });
    for (const Sample& sample : built.samples) out.push_back(sample.id);
    return out;
  };
  EXPECT_EQ(ids(42).size(), 10U);
  EXPECT_EQ(ids(42), ids(42));
  EXPECT_NE(ids(42), ids(1234));
}

}  // namespace
}  // namespace yardstick::tasks
