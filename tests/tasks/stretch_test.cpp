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
#include "tests/tasks/make.hpp"

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
              AllOf(HasSubstr("all 7 passages that there are make 87 tokens"),
                    EndsWith("name a source with more passages")));
}

// A text file's paragraphs have no white space at their ends; a passage in the data may.
TEST_F(StretchTest, AnOwnPassageIsKnownInOtherWhiteSpaceAndInPartOfAnother) {
  const Stretch plan = stretch("by: distractors, source: source.txt, passage: '{{passage}}'",
                               "The cup  is\nhere.\n\nA cat. The cup is here.\n\nis here.\n\n"
                               "A dog sat.");
  Question question = question_of("q", "The cup is here. \nWhere is the cup?");
  question.document = {{"passage", "The cup is here. \n"}};
  const ListedQuestions questions({question});
  const auto form = Stretcher(plan, questions, 7).fill(0, 47, bytes_of);
  EXPECT_EQ(filled(form).question.context, "A dog sat.\n\nThe cup is here. \nWhere is the cup?");
}

TEST_F(StretchTest, PaddingStandsBehindTheDescription) {
  Question question = question_of("q", "Be short.\nWho?\nAnswer:");
  question.description_bytes = question.question_begins_at = 10;
  const ListedQuestions questions({question});
  const auto form = [&](const std::string& position) {
    const Stretch plan =
        stretch("by: haystack, source: source.txt, separator: '|', position: " + position, "w");
    return filled(Stretcher(plan, questions, 7).fill(0, 26, bytes_of)).question;
  };
  EXPECT_EQ(form("end").context, "Be short.\nw\nw|Who?\nAnswer:");
  EXPECT_EQ(form("end").question_begins_at, 14U);
  EXPECT_EQ(form("start").context, "Be short.\nWho?|w\nw\nAnswer:");
  EXPECT_EQ(form("start").question_begins_at, 10U);
}

TEST_F(StretchTest, WorkedExamplesFillTheLengthFromTheLastOneOn) {
  const Stretch plan = stretch("by: fewshot");
  const ListedQuestions questions({question_of("q", "Who?")}, " ", {"one ", "two ", "three "});
  const Stretcher stretcher(plan, questions, 7);
  const auto form = stretcher.fill(0, 16, bytes_of);
  EXPECT_EQ(filled(form).question.context, "two three Who?");
  EXPECT_EQ(filled(form).units, 2);
  EXPECT_THAT(std::get<std::string>(stretcher.fill(0, 100, bytes_of)),
              AllOf(HasSubstr("all 3 worked examples that there are make 18 tokens"),
                    EndsWith("name a larger fewshot_split")));
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
  EXPECT_THAT(test::error_message([&] { stretch("by: distractors, source: source.txt", " \n\n"); }),
              AllOf(HasSubstr("task.yaml:1:"), HasSubstr("source.txt holds no text")));
  EXPECT_THAT(
      test::error_message([&] { stretch("by: haystack, source: {path: source.txt}", "\n"); }),
      HasSubstr("source.txt holds no text"));
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

// What is stored of a prompt is that of the prompt that is asked.
void expect_excerpt_of(const Sample& sample) {
  const std::string prompt = test::PieceCodec().decode(sample.requests[0].tokens);
  const auto head = sample.facts.at("prompt_head").get<std::string>();
  const auto tail = sample.facts.at("prompt_tail").get<std::string>();
  EXPECT_THAT(prompt, AllOf(StartsWith(head), EndsWith(tail)));
  EXPECT_EQ(head.size(), 300U);
  EXPECT_EQ(tail.size(), 300U);
  EXPECT_EQ(prompt.substr(sample.facts.at("question_begins_at").get<std::size_t>()),
            sample.facts.at("prompt").get<std::string>());
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
    EXPECT_FALSE(base.samples[i].facts.contains("prompt_head"));
    EXPECT_EQ(longest.samples[i].facts.at("length_tokens"),
              std::ssize(longest.samples[i].requests[0].tokens));
    EXPECT_GT(longest.samples[i].facts.at("length_tokens"), 1024 - 6);
    EXPECT_LE(longest.samples[i].facts.at("length_tokens"), 1024);
    expect_excerpt_of(longest.samples[i]);
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

// ---- whole tasks --------------------------------------------------------------------------------

class StretchedTask : public testing::Test {
 protected:
  /// The first request's text of each question, stretched by distractors to `length` bytes.
  std::vector<std::string> prompts(const std::string& keys, const std::string& lines,
                                   const std::string& length) {
    write_file_atomically(folder_ / "a.jsonl", lines);
    const auto task = test::task_from("output_type: multiple_choice\ndata: a.jsonl\n" + keys +
                                          "stretch: {by: distractors, lengths: [" + length + "]}\n",
                                      folder_.path());
    const test::PieceCodec codec;
    const Task::Built built =
        task->build(task->cells({}).at(1), {.codec = codec, .seed = 3, .subset = {}});
    EXPECT_THAT(built.skipped, testing::IsEmpty());
    std::vector<std::string> out;
    for (const Sample& sample : built.samples)
      out.push_back(codec.decode(sample.requests[0].tokens));
    return out;
  }

  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  }

  test::TemporaryFolder folder_;
};

TEST_F(StretchedTask, WithExamplesAndDescriptionAQuestionStandsInItsPromptOnce) {
  std::string lines;
  for (int i = 0; i < 9; ++i) lines += "{\"q\":\"Who is n" + std::to_string(i) + "?\"}\n";
  const auto texts = prompts(
      "doc_to_text: q\ndoc_to_choice: [ab, cd]\ndoc_to_target: 0\ndescription: \"Be short.\\n\"\n"
      "num_fewshot: 1\n",
      lines, "80");
  ASSERT_EQ(texts.size(), 9U);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string own = "Who is n" + std::to_string(i) + "?";
    EXPECT_EQ(count(texts[i], own), 1) << texts[i];
    EXPECT_EQ(count(texts[i], "Be short."), 1) << texts[i];
    EXPECT_THAT(texts[i], AllOf(StartsWith("Be short.\nWho is n"), EndsWith("\n\n" + own + " ab")));
    // Three distractors of 10 bytes, each with an empty line behind; then the example.
    EXPECT_EQ(texts[i].substr(10 + 3 * 12 + 10, 5), " ab\n\n") << texts[i];
  }
}

// The templates of the shipped winogrande.yaml; the first two sentences are twins.
TEST_F(StretchedTask, SentencesOfOtherQuestionsAreDistractorsWhereChoicesAreContexts) {
  const auto line = [](const std::string& sentence, const std::string& answer) {
    return "{\"sentence\":\"" + sentence +
           "\",\"option1\":\"cup\",\"option2\":\"jug\",\"answer\":\"" + answer + "\"}\n";
  };
  const auto texts =
      prompts(R"(
doc_to_text: "{{(answer|int) - 1}}"
doc_to_choice: "{{[sentence[:sentence.index('_')] + option1, sentence[:sentence.index('_')] + option2]}}"
doc_to_target: "{{sentence[sentence.index('_') + 1:].strip()}}"
)",
              line("It fits as the _ is big.", "1") + line("It fits as the _ is low.", "2") +
                  line("We wash the _ today.", "1") + line("I lost the _ here.", "2") +
                  line("You see the _ now.", "1") + line("He has the _ too.", "2"),
              "62");
  ASSERT_EQ(texts.size(), 6U);
  EXPECT_THAT(texts[0], EndsWith(" the cup\n\nIt fits as the cup is big."));
  EXPECT_THAT(texts[2], EndsWith(" the cup\n\nWe wash the cup today."));
  EXPECT_EQ(count(texts[0], "It fits"), 1) << texts[0];
  EXPECT_EQ(count(texts[1], "It fits"), 1) << texts[1];
  EXPECT_EQ(count(texts[2], "We wash"), 1) << texts[2];
  // With 62 bytes there is room for two others, whichever they are.
  EXPECT_EQ(count(texts[0], " cup"), 3) << texts[0];
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
