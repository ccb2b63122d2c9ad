// RULER's tasks against RULER's own prompts: those of a file that others generated, and the texts
// of its repository (scripts/data/synthetic/constants.py at c3f5e3b).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/data/jsonl.hpp"
#include "tasks/metrics/match.hpp"
#include "tasks/needle/haystack.hpp"
#include "tasks/needle/ruler/niah.hpp"
#include "tasks/needle/ruler/qa_data.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/make.hpp"

namespace yardstick::tasks {
namespace {

using test::error_message;
using test::PieceCodec;
using test::shared_path;
using test::task_from;
using test::WordCodec;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> kTasks = {"niah_single_1",
                                         "niah_single_2",
                                         "niah_single_3",
                                         "niah_multikey_1",
                                         "niah_multikey_2",
                                         "niah_multikey_3",
                                         "niah_multivalue",
                                         "niah_multiquery",
                                         "vt",
                                         "cwe",
                                         "fwe",
                                         "qa_1",
                                         "qa_2"};

bool has_drawn_haystack(const std::string& name) {
  return name.starts_with("niah") && name != "niah_single_1";
}

/// A text and questions for the tasks that need them.
class RulerTest : public testing::Test {
 protected:
  RulerTest() {
    std::string essay;
    for (int i = 0; i < 300; ++i) {
      essay += "In the year " + std::to_string(i) + " nothing   happened. ";
    }
    write("essay.txt", essay);
    std::string squad = R"({"version": "v2.0", "data": [)";
    std::string hotpot = "[";
    for (int article = 0; article < 20; ++article) {
      squad += article > 0 ? ", {" : "{";
      squad += R"("title": "T", "paragraphs": [)";
      for (int paragraph = 0; paragraph < 3; ++paragraph) {
        const std::string name = std::to_string(article) + std::to_string(paragraph);
        squad += std::string(paragraph > 0 ? ", " : "") + R"({"context": "In town )" + name +
                 R"( lives a cat named Tom)" + name + R"(.", "qas": [{"question": "Who lives in )" +
                 name + R"(?", "answers": [{"text": "Tom)" + name + R"("}, {"text": "a cat"}]},)" +
                 R"({"question": "Why?", "is_impossible": true, "answers": []}]})";
      }
      squad += "]}";
      const std::string n = std::to_string(article);
      hotpot += std::string(article > 0 ? ", " : "") + R"({"question": "What is )" + n +
                R"(?", "answer": "blue )" + n + R"(", "context": [["Sky )" + n + R"(", ["It is )" +
                R"(blue )" + n + R"(.", " Yes."]], ["Sea )" + n + R"(", ["Wet."]], ["Sun )" + n +
                R"(", ["Hot."]]], "supporting_facts": [["Sky )" + n + R"(", 0]]})";
    }
    write("squad.json", squad + "]}");
    write("hotpot.json", hotpot + "]");
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  [[nodiscard]] std::unique_ptr<const Task> make(const std::string& name,
                                                 const std::string& more = "") const {
    std::string yaml = "kind: ruler\ntask: " + name + "\n" + more;
    if (more.find("num_samples") == std::string::npos) yaml += "num_samples: 5\n";
    const bool needs_text = name.starts_with("niah") && name != "niah_single_1" &&
                            name != "niah_multikey_2" && name != "niah_multikey_3";
    if (needs_text) yaml += "haystack: essay.txt\n";
    if (name == "qa_1") yaml += "data: squad.json\n";
    if (name == "qa_2") yaml += "data: hotpot.json\n";
    return task_from(yaml, folder_.path());
  }

  [[nodiscard]] static Task::Built build(const Task& task, std::int64_t length,
                                         const TextCodec& codec, std::uint64_t seed = 7) {
    return task.build({.length_tokens = length, .depth = std::nullopt, .variant = ""},
                      {.codec = codec, .seed = seed, .subset = {}});
  }

  [[nodiscard]] static std::string prompt_of(const Sample& sample, const TextCodec& codec) {
    return codec.decode(sample.requests.front().tokens);
  }

  /// The right continuation of a sample.
  [[nodiscard]] static std::string answer_of(const Sample& sample, const TextCodec& codec) {
    const Request& right = sample.requests.back();
    return codec.decode(std::vector<TokenId>(
        right.tokens.begin() + static_cast<std::ptrdiff_t>(right.score_from), right.tokens.end()));
  }

  test::TemporaryFolder folder_;
};

std::vector<std::string> answers_of(const Sample& sample) {
  return sample.facts.at("answers").get<std::vector<std::string>>();
}

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(RulerGolden, PromptsOfMultikey3AreReproduced) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::regex needle_form(
      "One of the special magic uuids for ([0-9a-f-]{36}) is: ([0-9a-f-]{36})\\.");
  const std::regex question_form("What is the special magic uuid for ([0-9a-f-]{36}) mentioned");
  int count = 0;
  for_each_json_line(
      shared_path("data/longctx/ruler-niah_multikey_3-4096-50.jsonl"),
      [&](std::int64_t line, nlohmann::ordered_json&& record) {
        const auto input = record.at("input").get<std::string>();
        std::smatch question;
        EXPECT_TRUE(std::regex_search(input, question, question_form)) << line;
        std::vector<Unit> lines;
        Needle needle;
        std::string value;
        for (auto at = std::sregex_iterator(input.begin(), input.end(), needle_form);
             at != std::sregex_iterator(); ++at) {
          const std::string text =
              ruler_niah_needle(NeedlePart::kUuids, (*at)[1].str(), (*at)[2].str());
          if ((*at)[1] == question[1]) {
            needle = {.text = text, .depth = static_cast<double>(lines.size())};
            value = (*at)[2].str();
          } else {
            lines.push_back({.body = text, .separator = "\n"});
          }
        }
        const auto n = std::ssize(lines);
        needle.depth = (needle.depth + 0.5) / static_cast<double>(n);
        const NiahForm form =
            ruler_niah_form(NeedlePart::kUuids, question[1].str(), Asked::kOneValue);
        const PieceCodec codec;
        UnitRun run(codec, [&](std::int64_t i) { return lines[static_cast<std::size_t>(i)]; });
        const HiddenText hidden = hide({.head = form.head,
                                        .tail = form.tail,
                                        .style = NeedleStyle::kLine,
                                        .depth_unit = DepthUnit::kUnits},
                                       std::vector{needle}, run, n);
        EXPECT_EQ(hidden.text, input) << line;
        const auto outputs = record.at("outputs").get<std::vector<std::string>>();
        EXPECT_EQ(outputs, std::vector{value});
        EXPECT_EQ(ruler_all(" " + value + ".", outputs), 1.0);
        ++count;
        return Proceed::kNext;
      });
  EXPECT_EQ(count, 50);
}

// The texts below are constants.py's with its rules applied by hand: one value asked for turns
// "Some" into "A" and "are all" and "are" into "is", and takes the s from the kind's name.
TEST_F(RulerTest, NeedlePromptsHaveThePublishedTexts) {
  const WordCodec codec;
  for (const std::string preset : {"preset: ruler\n", "preset: strict\n"}) {
    const auto one = make("niah_single_1", preset);
    for (const Sample& sample : build(*one, 400, codec).samples) {
      const std::string prompt = prompt_of(sample, codec);
      std::smatch key;
      ASSERT_TRUE(std::regex_search(prompt, key, std::regex("magic numbers for ([a-z-]+) is: ")));
      EXPECT_THAT(
          prompt,
          StartsWith("A special magic number is hidden within the following text. Make sure "
                     "to memorize it. I will quiz you about the number afterwards.\n"));
      EXPECT_THAT(prompt,
                  testing::EndsWith("\nWhat is the special magic number for " + key[1].str() +
                                    " mentioned in the provided text? The special magic "
                                    "number for " +
                                    key[1].str() + " mentioned in the provided text is"));
      EXPECT_THAT(prompt, HasSubstr("\nOne of the special magic numbers for " + key[1].str() +
                                    " is: " + answers_of(sample)[0] + ".\n"));
      EXPECT_EQ(answer_of(sample, codec), " " + answers_of(sample)[0]);
    }
    const auto four = make("niah_multiquery", preset);
    for (const Sample& sample : build(*four, 400, codec).samples) {
      const std::string prompt = prompt_of(sample, codec);
      EXPECT_THAT(
          prompt,
          StartsWith("Some special magic numbers are hidden within the following text. Make "
                     "sure to memorize it. I will quiz you about the numbers afterwards.\n"));
      const std::regex question(
          "\nWhat are all the special magic numbers for ([a-z-]+), ([a-z-]+), ([a-z-]+), and "
          "([a-z-]+) mentioned in the provided text\\? The special magic numbers for "
          "\\1, \\2, \\3, and \\4 mentioned in the provided text are$");
      std::smatch keys;
      ASSERT_TRUE(std::regex_search(prompt, keys, question)) << prompt;
      const std::vector<std::string> answers = answers_of(sample);
      ASSERT_EQ(answers.size(), 4U);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(occurrences(prompt, "One of the special magic numbers for " + keys[i + 1].str() +
                                          " is: " + answers[i] + "."),
                  1);
      }
      EXPECT_EQ(answer_of(sample, codec),
                " " + answers[0] + ", " + answers[1] + ", " + answers[2] + ", and " + answers[3]);
    }
  }
}

TEST_F(RulerTest, VariableTrackingHasThePublishedText) {
  const WordCodec codec;
  const std::string question =
      "Memorize and track the chain\\(s\\) of variable assignment hidden in the following "
      "text\\.\n\n"
      "([^:]*)\nQuestion: Find all variables that are assigned the value ([0-9]{5}) in the text "
      "above\\. Answer: According to the chain\\(s\\) of variable assignment in the text above, 5 "
      "variables are assigned the value \\2, they are:";
  const auto published = make("vt", "preset: ruler\n");
  const Task::Built built = build(*published, 2000, codec);
  ASSERT_EQ(built.samples.size(), 5U);
  for (const Sample& sample : built.samples) {
    const std::string prompt = prompt_of(sample, codec);
    // One worked example of three-letter names in front; a copy's line ends in a blank.
    const std::size_t second = prompt.find("Memorize", 1);
    std::smatch parts;
    const std::string example = prompt.substr(0, second);
    ASSERT_TRUE(std::regex_match(
        example, parts,
        std::regex(question + "  ([A-Z]{3}) ([A-Z]{3}) ([A-Z]{3}) ([A-Z]{3}) ([A-Z]{3})\n\n")))
        << example;
    const std::string asked = prompt.substr(second);
    ASSERT_TRUE(std::regex_match(asked, parts, std::regex(question + " "))) << asked;
    const std::vector<std::string> names = answers_of(sample);
    ASSERT_EQ(names.size(), 5U);
    std::size_t at = asked.find("\nVAR " + names[0] + " = " + parts[2].str() + "\n");
    if (at == std::string::npos) at = asked.find("\n\nVAR " + names[0] + " = ");
    ASSERT_NE(at, std::string::npos);
    for (std::size_t i = 1; i < names.size(); ++i) {
      const std::size_t next = asked.find("\nVAR " + names[i] + " = VAR " + names[i - 1] + " \n");
      ASSERT_NE(next, std::string::npos);
      EXPECT_GT(next, at) << "a chain stands in its order";
      at = next;
    }
    EXPECT_THAT(parts[1].str(),
                HasSubstr(std::string(kNoiseLine) + "\n" + std::string(kNoiseLine)));
    EXPECT_EQ(sample.requests[0].max_new_tokens, 30);
    // This tokenizer joins the prompt's last blank with the first name: it is scored with it.
    EXPECT_EQ(answer_of(sample, codec),
              " " + names[0] + " " + names[1] + " " + names[2] + " " + names[3] + " " + names[4]);
  }
  // Strict: no blank at the end of a prompt, where tokens would merge.
  const auto strict = make("vt", "num_hops: 2\nnum_chains: 3\nnum_fewshot: 0\n");
  for (const Sample& sample : build(*strict, 400, codec).samples) {
    const std::string prompt = prompt_of(sample, codec);
    EXPECT_THAT(prompt, testing::EndsWith(", they are:"));
    EXPECT_EQ(occurrences(prompt, "VAR "), 3 * (1 + 2 * 2));
    EXPECT_THAT(answer_of(sample, codec), StartsWith(" " + answers_of(sample)[0]));
  }
}

/// How often each word stands in a list "1. w 2. w ...".
std::map<std::string, int> counts_of_list(const std::string& list) {
  std::map<std::string, int> counts;
  std::istringstream in(list);
  int expected = 1;
  for (std::string number, word; in >> number >> word;) {
    EXPECT_EQ(number, std::to_string(expected++) + ".");
    ++counts[word];
  }
  return counts;
}

TEST_F(RulerTest, CommonWordsHaveThePublishedTextAndFrequencies) {
  const WordCodec codec;
  const std::string head =
      "Below is a numbered list of words. In these words, some appear more often than others. "
      "Memorize the ones that appear most often.\n";
  const std::string tail =
      "\nQuestion: What are the 10 most common words in the above list? Answer: The top 10 words "
      "that appear most often in the list are:";
  struct Case {
    std::string preset;
    std::int64_t length;
    int common, uncommon, example_common, example_uncommon;
    std::size_t example_words;
  };
  for (const Case& c : {Case{"preset: ruler\n", 4096, 30, 3, 10, 3, 40},
                        Case{"preset: ruler\n", 2048, 6, 1, 3, 1, 20},
                        Case{"preset: strict\n", 4096, 6, 1, 3, 1, 20},
                        Case{"preset: strict\n", 1024, 6, 1, 3, 1, 20}}) {
    const auto task = make("cwe", c.preset);
    const Task::Built built = build(*task, c.length, codec);
    ASSERT_EQ(built.samples.size(), 5U) << c.preset << c.length;
    for (const Sample& sample : built.samples) {
      const std::string prompt = prompt_of(sample, codec);
      const std::size_t second = prompt.find(head, 1);
      ASSERT_NE(second, std::string::npos);
      ASSERT_THAT(prompt, testing::AllOf(StartsWith(head), testing::EndsWith(tail)));
      const std::size_t list_end = prompt.find(tail);
      const auto example = counts_of_list(prompt.substr(head.size(), list_end - head.size()));
      EXPECT_EQ(example.size(), c.example_words);
      const auto shown =
          counts_of_list(prompt.substr(list_end + tail.size(), second - list_end - tail.size()));
      EXPECT_EQ(shown.size(), 10U);
      for (const auto& [word, count] : example) {
        EXPECT_EQ(count, shown.contains(word) ? c.example_common : c.example_uncommon);
      }
      const auto list = counts_of_list(
          prompt.substr(second + head.size(), prompt.size() - tail.size() - second - head.size()));
      const std::vector<std::string> answers = answers_of(sample);
      for (const auto& [word, count] : list) {
        const bool is_common = std::count(answers.begin(), answers.end(), word) > 0;
        EXPECT_EQ(count, is_common ? c.common : c.uncommon) << word;
        EXPECT_FALSE(example.contains(word)) << word;
      }
      EXPECT_EQ(answers.size(), 10U);
      EXPECT_THAT(answer_of(sample, codec), StartsWith(" 1. " + answers[0] + " 2. " + answers[1]));
    }
  }
}

TEST_F(RulerTest, FrequentWordsFollowZetaAndTheAnswerIsBeyondDoubt) {
  const WordCodec codec;
  const std::string head =
      "Read the following coded text and track the frequency of each coded word. Find the three "
      "most frequently appeared coded words. ";
  const std::string tail =
      "\nQuestion: Do not provide any explanation. Please ignore the dots '....'. What are the "
      "three most frequently appeared words in the above coded text? Answer: According to the "
      "coded text above, the three most frequently appeared words are:";
  for (const std::string preset : {"preset: ruler\n", "preset: strict\n"}) {
    const auto task = make("fwe", preset);
    for (const std::int64_t length : {256, 1024}) {
      for (const Sample& sample : build(*task, length, codec).samples) {
        const std::string prompt = prompt_of(sample, codec);
        ASSERT_THAT(prompt, testing::AllOf(StartsWith(head), testing::EndsWith(tail)));
        std::map<std::string, int> counts;
        std::istringstream in(
            prompt.substr(head.size(), prompt.size() - head.size() - tail.size()));
        for (std::string word; in >> word;) ++counts[word];
        const auto n = sample.facts.at("haystack_units").get<double>();
        // zeta(2) = pi^2 / 6: rank k stands floor(n / k^2 / zeta(2)) times.
        const auto expected = [&](int rank) {
          return static_cast<int>(n / (rank * rank) / 1.6449340668482264);
        };
        EXPECT_EQ(counts["..."], expected(1));
        const std::vector<std::string> answers = answers_of(sample);
        ASSERT_EQ(answers.size(), 3U);
        int least = 1 << 20;
        for (int rank = 2; rank <= 4; ++rank) {
          const int count = counts[answers[static_cast<std::size_t>(rank - 2)]];
          EXPECT_EQ(count, expected(rank));
          EXPECT_LT(count, least);
          least = count;
        }
        for (const auto& [word, count] : counts) {
          if (word == "..." || std::count(answers.begin(), answers.end(), word) > 0) continue;
          EXPECT_LT(count, least) << word;
          EXPECT_THAT(word, testing::MatchesRegex("[a-z]{6}"));
        }
      }
    }
  }
}

TEST_F(RulerTest, QuestionsStandAmongNumberedDocuments) {
  const WordCodec codec;
  for (const std::string name : {"qa_1", "qa_2"}) {
    const auto task = make(name, "num_samples: 20\n");
    std::set<std::string> places;
    std::set<std::string> questions;
    const Task::Built built = build(*task, 250, codec);
    ASSERT_EQ(built.samples.size(), 20U) << built.skipped.size();
    for (const Sample& sample : built.samples) {
      const std::string prompt = prompt_of(sample, codec);
      const auto question = sample.facts.at("question").get<std::string>();
      EXPECT_THAT(prompt,
                  StartsWith("Answer the question based on the given documents. Only give me "
                             "the answer and do not output any other words.\n\nThe following "
                             "are given documents.\n\nDocument 1:\n"));
      EXPECT_THAT(prompt, testing::EndsWith(
                              "\n\nAnswer the question based on the given documents. Only give "
                              "me the answer and do not output any other words.\n\nQuestion: " +
                              question + " Answer:"));
      const auto place = sample.facts.at("supporting_documents")[0].get<int>();
      const std::size_t document = prompt.find("Document " + std::to_string(place) + ":\n");
      EXPECT_LT(prompt.find(answers_of(sample)[0], document) - document, 60U);
      places.insert(std::to_string(place));
      questions.insert(question);
    }
    EXPECT_EQ(questions.size(), 20U);
    EXPECT_GT(places.size(), 4U) << "the answer stands at different places (B-77)";
    const auto published = make(name, "preset: ruler\n");
    EXPECT_EQ(build(*published, 250, codec).samples[0].requests[0].max_new_tokens, 32);
    EXPECT_THAT(build(*task, 100'000, codec).skipped[0].reason, HasSubstr("give more documents"));
  }
  EXPECT_THAT(error_message([&] { static_cast<void>(make("qa_1", "num_samples: 61\n")); }),
              HasSubstr("the data hold 60 questions"));
}

TEST_F(RulerTest, RecordsAndOfficialFilesOfQuestionsAreRead) {
  const QaData squad = read_qa(folder_ / "squad.json");
  EXPECT_EQ(squad.questions.size(), 60U) << "impossible ones are left out";
  EXPECT_EQ(squad.documents.size(), 60U);
  EXPECT_EQ(squad.questions[0].companions.size(), 2U);
  const QaData hotpot = read_qa(folder_ / "hotpot.json");
  EXPECT_EQ(hotpot.questions[3].answers, std::vector<std::string>{"blue 3"});
  EXPECT_EQ(hotpot.documents[hotpot.questions[3].supporting.at(0)], "Sky 3\nIt is blue 3. Yes.");
  EXPECT_EQ(hotpot.questions[3].companions.size(), 2U);
  write("bad.jsonl", R"({"question": "Why?", "context": "x", "answers": [" "]})");
  EXPECT_THAT(error_message([&] { static_cast<void>(read_qa(folder_ / "bad.jsonl")); }),
              HasSubstr("bad.jsonl:1: has an empty answer"));
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const QaData records = read_qa(shared_path("data/longctx/squad-dev-xquad-en.jsonl"));
  EXPECT_EQ(records.questions.size(), 1190U);
  EXPECT_EQ(records.documents.size(), 240U);
  EXPECT_EQ(read_qa(shared_path("data/longctx/hotpotqa-train-100.jsonl")).questions.size(), 100U);
}

// Every task at its least length and one below it, at 128 tokens or more.
TEST_F(RulerTest, B75ImpossibleLengthsNameTheLeast) {
  const WordCodec codec;
  for (const std::string& name : kTasks) {
    const auto task = make(name);
    const Task::Built built = build(*task, 8, codec);
    ASSERT_EQ(built.skipped.size(), 5U) << name;
    for (const SampleScore& skipped : built.skipped) {
      EXPECT_EQ(skipped.status, SampleStatus::kSkipped);
      const std::string begin = "infeasible: needs >= ";
      ASSERT_THAT(skipped.reason, StartsWith(begin)) << name;
      const std::int64_t least = std::stoll(skipped.reason.substr(begin.size()));
      const auto is_built = [&](std::int64_t length) {
        const Task::Built at = build(*task, length, codec);
        return std::any_of(at.samples.begin(), at.samples.end(),
                           [&](const Sample& sample) { return sample.id == skipped.sample_id; });
      };
      EXPECT_TRUE(is_built(least)) << name << " " << least;
      // Where the haystack is another one at each length, it may be a shorter one.
      if (!has_drawn_haystack(name)) {
        EXPECT_FALSE(is_built(least - 1)) << name << " " << least;
      }
      if (name == "niah_single_1" || name == "niah_single_2") {
        EXPECT_LE(least, 128) << name;
      }
    }
  }
}

TEST_F(RulerTest, B76B77B84ManySeeds) {
  const WordCodec codec;
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const std::string name : {"niah_multikey_1", "niah_multikey_2", "niah_multivalue"}) {
      const auto task = make(name);
      const Task::Built built = build(*task, 400, codec, seed);
      ASSERT_EQ(built.samples.size(), 5U) << name;
      for (const Sample& sample : built.samples) {
        const std::string prompt = prompt_of(sample, codec);
        const std::int64_t used =
            std::ssize(sample.requests[0].tokens) + sample.requests[0].max_new_tokens;
        EXPECT_LE(used, 400);
        EXPECT_GT(used, 400 - (name == "niah_multikey_2" ? 25 : 4)) << name;
        std::set<std::string> keys;
        std::set<std::string> values;
        int count = 0;
        std::string order;
        const std::regex form("magic numbers for ([a-z-]+) is: ([0-9]+)\\.");
        for (auto at = std::sregex_iterator(prompt.begin(), prompt.end(), form);
             at != std::sregex_iterator(); ++at) {
          keys.insert((*at)[1]);
          values.insert((*at)[2]);
          EXPECT_EQ(occurrences(prompt, at->str()), 1);
          EXPECT_EQ(occurrences(prompt, (*at)[2]), 1) << "a value stands nowhere else";
          const auto answers = answers_of(sample);
          order += std::count(answers.begin(), answers.end(), (*at)[2].str()) > 0 ? 'a' : 'o';
          ++count;
        }
        EXPECT_EQ(static_cast<int>(values.size()), count);
        EXPECT_EQ(static_cast<int>(keys.size()), name == "niah_multivalue" ? 1 : count);
        if (name == "niah_multikey_1") {
          EXPECT_EQ(count, 4);
          orders.insert(order);
        }
      }
    }
  }
  EXPECT_EQ(orders.size(), 4U) << "each of the four needles is the one asked for at times";
}

TEST_F(RulerTest, B77SamplesDifferAndTheSameSeedGivesTheSameBytes) {
  const WordCodec codec;
  for (const std::string& name : kTasks) {
    const auto task = make(name);
    const Task::Built first = build(*task, 1200, codec);
    const Task::Built again = build(*task, 1200, codec);
    const Task::Built other = build(*task, 1200, codec, 8);
    std::set<std::vector<TokenId>> prompts;
    for (std::size_t i = 0; i < first.samples.size(); ++i) {
      EXPECT_EQ(first.samples[i].requests, again.samples[i].requests) << name;
      EXPECT_EQ(first.samples[i].facts, again.samples[i].facts) << name;
      EXPECT_NE(first.samples[i].requests, other.samples[i].requests) << name;
      prompts.insert(first.samples[i].requests[0].tokens);
    }
    EXPECT_EQ(prompts.size(), first.samples.size()) << name;
    EXPECT_FALSE(first.samples.empty() && !name.starts_with("qa")) << name;
  }
}

TEST_F(RulerTest, LengthsAskTheSameQuestions) {
  const WordCodec codec;
  for (const std::string& name : kTasks) {
    const auto task = make(name);
    const std::int64_t length = name.starts_with("qa") ? 200 : 1000;
    const Task::Built shorter = build(*task, length, codec);
    const Task::Built longer = build(*task, length * 3 / 2, codec);
    ASSERT_EQ(shorter.samples.size(), longer.samples.size()) << name;
    for (std::size_t i = 0; i < shorter.samples.size(); ++i) {
      EXPECT_EQ(shorter.samples[i].id, longer.samples[i].id);
      // Values of one key are told in the order of the text, in which two may stand at one place.
      std::vector<std::string> a = answers_of(shorter.samples[i]);
      std::vector<std::string> b = answers_of(longer.samples[i]);
      EXPECT_EQ(a, b) << name;
    }
  }
}

TEST_F(RulerTest, PresetsChooseTheHeadlineAndWrongValuesAreRefused) {
  EXPECT_EQ(make("vt")->headline().metric, "strict_match");
  EXPECT_EQ(make("vt", "preset: ruler\n")->headline().metric, "ruler_match");
  const auto message = [&](const std::string& name, const std::string& more) {
    return error_message([&] { static_cast<void>(make(name, more)); });
  };
  EXPECT_THAT(message("niah_singel_1", ""), HasSubstr("did you mean 'niah_single_1'"));
  EXPECT_THAT(message("my_name", ""), HasSubstr("give its entry in the suite a `name`"));
  EXPECT_THAT(
      error_message([] { static_cast<void>(task_from("kind: ruler\ntask: niah_single_2")); }),
      HasSubstr("name one: `haystack: essays.txt`"));
  EXPECT_THAT(error_message([] { static_cast<void>(task_from("kind: ruler\ntask: qa_1")); }),
              HasSubstr("`data: squad.json`"));
  EXPECT_THAT(message("cwe", "freq_cw: 2\nfreq_ucw: 2\n"), HasSubstr("expected more"));
  EXPECT_THAT(message("fwe", "alpha: 1\n"), HasSubstr("alpha"));
  EXPECT_THAT(message("vt", "num_hop: 3\n"), HasSubstr("did you mean 'num_hops'"));
  const WordCodec codec;
  EXPECT_THAT(build(*make("cwe", "tokens_to_generate: 5\n"), 2000, codec).skipped.at(0).reason,
              HasSubstr("5 are to be generated"));
}

}  // namespace
}  // namespace yardstick::tasks
