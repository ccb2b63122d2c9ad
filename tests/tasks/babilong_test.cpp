#include "tasks/kinds.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/hash.hpp"
#include "tasks/needle/babilong_match.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/make.hpp"

namespace yardstick::tasks {
namespace {

using test::kFakeBos;
using test::PieceCodec;
using test::task_from;
using test::WordCodec;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> kPlaces = {"bathroom", "bedroom", "garden",
                                          "hallway",  "kitchen", "office"};

bool is_right(const std::string& output, const std::string& target = "garden",
              const std::string& question = "Where is Mary?") {
  return babilong_match(output, {.question = question, .target = target, .labels = kPlaces});
}

// By hand, from the rule's words: first sentence, target the only label, the question's aside.
TEST(BabilongMatch, TheTargetIsTheOnlyLabelOfTheFirstSentence) {
  EXPECT_TRUE(is_right("The most recent location of Mary is Garden."));
  EXPECT_FALSE(is_right("garden or kitchen"));
  EXPECT_TRUE(is_right("garden. Then the kitchen"));
  EXPECT_FALSE(is_right("I do not know. garden"));
  EXPECT_FALSE(is_right("kitchen"));
  EXPECT_FALSE(is_right(""));
  EXPECT_TRUE(is_right("garden <example> kitchen"));
  EXPECT_TRUE(is_right("garden\n<CONTEXT>\nkitchen"));
  // A label of the question is no answer, nor does it spoil one.
  EXPECT_TRUE(is_right("Before the kitchen the apple was in the garden", "garden",
                       "Where was the apple before the kitchen?"));
  EXPECT_FALSE(is_right("kitchen", "kitchen", "Where was the apple before the kitchen?"));
}

TEST(BabilongMatch, SeveralTargetsAreAllNeeded) {
  const std::vector<std::string> things = {"apple", "football", "milk", "nothing"};
  const auto match = [&](const std::string& output) {
    return babilong_match(
        output, {.question = "What is Mary carrying?", .target = "apple,milk", .labels = things});
  };
  EXPECT_TRUE(match("milk and apple"));
  EXPECT_FALSE(match("apple"));
  EXPECT_FALSE(match("apple, milk, football"));
  EXPECT_THAT(target_labels("apple,milk"), ElementsAre("apple", "milk"));
  EXPECT_THAT(target_labels("n,e"), ElementsAre("n,e"));
}

std::string record(const std::string& id, const std::vector<std::string>& facts,
                   const std::string& question, const std::string& gold) {
  return nlohmann::json({{"id", id}, {"facts", facts}, {"question", question}, {"gold", gold}})
             .dump() +
         "\n";
}

/// Two questions, and a book of 400 different sentences of 3 to 9 words.
class Babilong : public testing::Test {
 protected:
  Babilong() {
    write_file_atomically(
        folder_ / "facts.jsonl",
        record("a", {"Mary went home.", "John took it.", "Mary went home."}, "Where is Mary?",
               "home") +
            record("b", {"Ann sat down.", "Bob left the park."}, "Where is Bob?", "away"));
    std::string book;
    for (int i = 0; i < 400; ++i) {
      book += "Sentence " + std::to_string(i);
      for (int word = 0; word < i % 7; ++word) book += word % 2 == 0 ? " of\nwords" : " again";
      book += i % 3 == 0 ? "!\n\n" : ". ";
    }
    write_file_atomically(folder_ / "book.txt", book + "Bob left the park. ");
  }

  [[nodiscard]] std::unique_ptr<const Task> task(const std::string& keys = "") const {
    return task_from(
        "kind: babilong\ndata: facts.jsonl\nhaystack: book.txt\nmax_new_tokens: 16\n" + keys,
        folder_.path());
  }

  static CellAxes at(std::int64_t length) {
    return {.length_tokens = length, .depth = std::nullopt, .variant = ""};
  }

  test::TemporaryFolder folder_;
};

std::string context_of(const std::string& prompt) {
  const std::size_t begin = prompt.find("<context>\n") + 10;
  return prompt.substr(begin, prompt.find("\n</context>") - begin);
}

/// The numbers of the haystack's sentences in a context, and the context without them.
struct Parted {
  std::vector<int> sentences;
  std::string facts;
};

Parted part(const std::string& context) {
  Parted parted;
  for (std::size_t at = 0; at < context.size();) {
    const std::size_t end = std::min(context.find_first_of(".!", at), context.size() - 1);
    const std::string sentence = context.substr(at, end + 1 - at);
    if (sentence.rfind("Sentence ", 0) == 0) {
      parted.sentences.push_back(std::stoi(sentence.substr(9)));
    } else {
      parted.facts += (parted.facts.empty() ? "" : " ") + sentence;
    }
    at = end + 2;
  }
  return parted;
}

TEST_F(Babilong, B83FactsStandWholeInOrderAndOnlyWhereTheyWerePut) {
  const auto asked = task();
  const WordCodec words;
  std::set<std::vector<int>> haystacks;
  for (const std::int64_t length : {70, 100, 256, 1000}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Task::Built built =
          asked->build(at(length), {.codec = words, .seed = seed, .subset = {}});
      ASSERT_EQ(built.samples.size(), 2U);
      for (const Sample& sample : built.samples) {
        const std::string prompt = words.decode(sample.requests[0].tokens);
        const Parted parted = part(context_of(prompt));
        const bool is_first = sample.id == "babilong/a";
        EXPECT_EQ(parted.facts, is_first ? "Mary went home. John took it. Mary went home."
                                         : "Ann sat down. Bob left the park.");
        // Running text: one sentence follows the other, once around the book at most.
        for (std::size_t i = 1; i < parted.sentences.size(); ++i) {
          EXPECT_EQ(parted.sentences[i], (parted.sentences[i - 1] + 1) % 400);
        }
        haystacks.insert(parted.sentences);
        EXPECT_EQ(sample.facts.at("sentences"), parted.sentences.size());
        const std::vector<std::string> first_words =
            is_first ? std::vector<std::string>{" Mary", " John"}
                     : std::vector<std::string>{" Ann", " Bob"};
        for (std::size_t i = 0; i < first_words.size(); ++i) {
          const auto token = sample.facts.at("fact_tokens").at(i).get<std::size_t>();
          const std::string word =
              words.decode(std::span(sample.requests[0].tokens).subspan(token, 1));
          EXPECT_THAT(first_words[i], testing::EndsWith(word));
        }
      }
    }
  }
  EXPECT_GT(haystacks.size(), 120U);  // of 160, some of one or two sentences
}

// The longest sentence takes 12 tokens: "Sentence", a number, nine words and a mark.
TEST_F(Babilong, B84B85PromptAndAnswerFillTheLengthToWithinASentence) {
  const auto asked = task();
  const WordCodec words;
  for (std::int64_t length = 70; length < 200; ++length) {
    for (const Sample& sample :
         asked->build(at(length), {.codec = words, .seed = 5, .subset = {}}).samples) {
      const std::int64_t used = std::ssize(sample.requests[0].tokens) + 16;
      EXPECT_LE(used, length);
      EXPECT_GT(used + 12, length);
      EXPECT_EQ(sample.facts.at("prompt_tokens"), used - 16);
      EXPECT_EQ(sample.facts.at("target_tokens"), length);
    }
  }
}

TEST_F(Babilong, WithoutHaystackThePromptIsTheFactsAlone) {
  const auto asked = task("facts_only: true\n");
  const std::vector<std::int64_t> lengths = {100};
  const std::vector<CellAxes> cells = asked->cells(lengths);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].variant, "0k");
  const PieceCodec bytes({.bos = kFakeBos, .end_of_text = std::nullopt});
  const Task::Built built =
      asked->build(cells[0], {.codec = bytes, .seed = 1, .subset = {.limit = 2}});
  ASSERT_EQ(built.samples.size(), 2U);
  EXPECT_EQ(bytes.decode(built.samples[1].requests[0].tokens),
            "<context>\nAnn sat down. Bob left the park.\n</context>\n\nQuestion: Where is Bob?");
}

TEST_F(Babilong, AtOneDepthTheFactsStandTogether) {
  const auto asked = task("depths: [0, 0.5, 1]\n");
  const WordCodec words;
  const std::vector<std::int64_t> lengths = {300};
  for (const CellAxes& cell : asked->cells(lengths)) {
    for (const Sample& sample :
         asked->build(cell, {.codec = words, .seed = 2, .subset = {}}).samples) {
      const std::string context = context_of(words.decode(sample.requests[0].tokens));
      const std::string facts = sample.id == "babilong/a"
                                    ? "Mary went home. John took it. Mary went home."
                                    : "Ann sat down. Bob left the park.";
      const std::size_t begin = context.find(facts);
      ASSERT_NE(begin, std::string::npos);
      const double before = static_cast<double>(words.encode(context.substr(0, begin)).size());
      const double all =
          static_cast<double>(words.encode(context).size() - words.encode(facts).size());
      EXPECT_NEAR(before, *cell.depth * all, 5.5) << *cell.depth;  // half of the longest sentence
      if (*cell.depth == 0) {
        EXPECT_THAT(context, StartsWith(facts));
      }
      if (*cell.depth == 1) {
        EXPECT_THAT(context, testing::EndsWith(facts));
      }
    }
  }
}

TEST_F(Babilong, B75B87AnInfeasibleLengthSaysTheLeastFeasibleOne) {
  const auto asked = task();
  const WordCodec words;
  const Task::Built built = asked->build(at(20), {.codec = words, .seed = 1, .subset = {}});
  EXPECT_TRUE(built.samples.empty());
  ASSERT_EQ(built.skipped.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string reason = built.skipped[i].reason;
    ASSERT_THAT(reason, HasSubstr("infeasible: needs >= "));
    const std::int64_t least = std::stoll(reason.substr(reason.find(">= ") + 3));
    const auto is_asked = [&](std::int64_t length) {
      const std::vector<Sample> samples =
          asked->build(at(length), {.codec = words, .seed = 1, .subset = {}}).samples;
      return std::any_of(samples.begin(), samples.end(), [&](const Sample& sample) {
        return sample.id == built.skipped[i].sample_id;
      });
    };
    EXPECT_TRUE(is_asked(least));
    EXPECT_FALSE(is_asked(least - 1));
  }
  const Task::Built beyond = asked->build(at(100'000), {.codec = words, .seed = 1, .subset = {}});
  ASSERT_EQ(beyond.skipped.size(), 2U);
  EXPECT_THAT(beyond.skipped[0].reason, HasSubstr("the whole haystack makes a prompt of"));
}

TEST_F(Babilong, SameSeedSameBytes) {
  const PieceCodec bytes;
  const auto digest = [&](std::uint64_t seed) {
    std::string all;
    for (const Sample& sample :
         task()->build(at(700), {.codec = bytes, .seed = seed, .subset = {}}).samples) {
      all += sample.id + sample.facts.dump() + bytes.decode(sample.requests[0].tokens);
    }
    return sha256_hex(all);
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

TEST_F(Babilong, ScoresByItsOwnRuleAndByTheCommonOnes) {
  const auto asked = task("labels: [home, away]\n");
  const PieceCodec bytes;
  const Task::Built built = asked->build(at(700), {.codec = bytes, .seed = 1, .subset = {}});
  std::vector<SampleScore> scores;
  for (const Sample& sample : built.samples) {
    Response generated;
    generated.generated = bytes.encode("\nAnswer: home. Or away");
    Response right;
    right.nll.assign(sample.facts.at("answer_tokens").get<std::size_t>(), 0.25);
    right.is_greedy.assign(right.nll.size(), 1);
    scores.push_back(asked->score(sample, std::vector<Response>{generated, right}, bytes));
    // "\nAnswer: home" has 13 bytes.
    EXPECT_DOUBLE_EQ(scores.back().values.at("answer_nll"), 13 * 0.25);
  }
  EXPECT_DOUBLE_EQ(scores[0].values.at("babilong_match"), 1);
  EXPECT_DOUBLE_EQ(scores[1].values.at("babilong_match"), 0);  // "away" comes too late
  EXPECT_DOUBLE_EQ(scores[1].values.at("strict_match"), 1);
  const std::vector<MetricValue> metrics = asked->aggregate(scores, 1);
  ASSERT_EQ(metrics.size(), 7U);
  EXPECT_EQ(metrics[0].name, asked->headline().metric);
  EXPECT_DOUBLE_EQ(metrics[0].value, 0.5);
  EXPECT_TRUE(asked->aggregate({}, 1).empty());
}

TEST_F(Babilong, BadParametersAndRecordsAreNamed) {
  const auto message = [&](const std::string& keys) {
    return test::error_message([&] { task_from("kind: babilong\n" + keys, folder_.path()); });
  };
  EXPECT_THAT(message("haystack: book.txt\n"), HasSubstr("such as `data: qa1.jsonl`"));
  EXPECT_THAT(message("data: facts.jsonl\n"), HasSubstr("such as `haystack: book.txt`"));
  EXPECT_THAT(message("data: nowhere.jsonl\n"),
              HasSubstr("suite.yaml:2:7: data: there is no file"));
  EXPECT_THAT(message("prompt: \"{{context}}\"\n"), HasSubstr("does not say the question"));
  write_file_atomically(folder_ / "bad.jsonl",
                        "{\"facts\": [3], \"question\": \"q\", "
                        "\"gold\": \"g\"}\n");
  EXPECT_THAT(message("data: bad.jsonl\nhaystack: book.txt\n"),
              HasSubstr("bad.jsonl:1: 'facts' holds 3, not a text"));
  EXPECT_THAT(message("data: [facts.jsonl, facts.jsonl]\nhaystack: book.txt\n"),
              HasSubstr("the id 'a' is that of an earlier record"));
  EXPECT_THAT(message("data: facts.jsonl\nhaystack: book.txt\nmax_facts: 1\n"),
              HasSubstr("no record left"));
}

TEST_F(Babilong, AnAnswerThatIsLongerThanWhatIsGeneratedIsRefused) {
  const auto asked = task("answer: \"a b c d e f g h i j k l m n o p {{gold}}\"\n");
  const WordCodec words;
  const std::string message = test::error_message(
      [&] { static_cast<void>(asked->build(at(200), {.codec = words, .seed = 1, .subset = {}})); });
  EXPECT_THAT(message, HasSubstr("has 17 tokens, max_new_tokens is 16; raise it"));
}

TEST(BabilongData, ShippedTasksRunOnBabisFactsInABook) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  // The right continuations in the form that each prompt's own examples have.
  const std::vector<std::string> forms = {
      "\nAnswer: The most recent location of (Mary|John|Sandra|Daniel) is ([a-z]+).",
      "\nAnswer: The (milk|football|apple) is in the ([a-z]+).",
      "\nAnswer: Before the ([a-z]+) the (milk|football|apple) was in the ([a-z]+).",
      "\nAnswer: ([a-z]+)", "\nAnswer: ([A-Za-z]+)"};
  const std::filesystem::path shared = std::filesystem::absolute(test::shared_path("data"));
  const PieceCodec bytes;
  for (int qa = 1; qa <= 5; ++qa) {
    const std::string name = "babilong_qa" + std::to_string(qa);
    Located parameters = read_yaml("configs/tasks/" + name + ".yaml");
    parameters.values()["data"] =
        (shared / ("longctx/babi-qa" + std::to_string(qa) + "-test-200.jsonl")).string();
    parameters.values()["haystack"] = (shared / "text/pg2701-moby-dick.txt").string();
    parameters.values()["max_facts"] = 40;
    parameters.values()["max_new_tokens"] = 100;  // bytes
    const auto asked =
        make_task({.name = name, .parameters = parameters, .base = "", .data_folders = {}});
    const Task::Built built = asked->build({.length_tokens = 12'000, .depth = {}, .variant = ""},
                                           {.codec = bytes, .seed = 1, .subset = {.limit = 5}});
    ASSERT_EQ(built.samples.size(), 5U) << (built.skipped.empty() ? "" : built.skipped[0].reason);
    for (const Sample& sample : built.samples) {
      const std::string prompt = bytes.decode(sample.requests[0].tokens);
      EXPECT_THAT(prompt, StartsWith("I "));
      EXPECT_THAT(prompt, testing::EndsWith("\n</context>\n\nQuestion: " +
                                            sample.facts.at("question").get<std::string>()));
      const Request& right = sample.requests[1];
      EXPECT_TRUE(std::regex_match(
          bytes.decode(right.tokens).substr(static_cast<std::size_t>(right.score_from)),
          std::regex(forms[static_cast<std::size_t>(qa - 1)])));
      EXPECT_LE(prompt.size() + 100, 12'000U);
      EXPECT_GT(prompt.size() + 100, 11'000U);  // no sentence of 100 words has 1000 letters
    }
  }
}

}  // namespace
}  // namespace yardstick::tasks
