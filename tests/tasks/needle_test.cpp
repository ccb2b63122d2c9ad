// What needle tasks are made of (answers, sizes, haystacks, keys), and niah on top of it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hash.hpp"
#include "tasks/needle/answered_prompt.hpp"
#include "tasks/needle/fit.hpp"
#include "tasks/needle/haystack.hpp"
#include "tasks/needle/words.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/make.hpp"

namespace yardstick::tasks {
namespace {

using test::error_message;
using test::kFakeBos;
using test::kFakeEnd;
using test::PieceCodec;
using test::task_from;
using test::WordCodec;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::filesystem::path write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::vector<std::string> bodies(const std::vector<Unit>& units) {
  std::vector<std::string> out;
  for (const Unit& unit : units) out.push_back(unit.body);
  return out;
}

std::string prompt_of(const Sample& sample, const TextCodec& codec) {
  return codec.decode(sample.requests.front().tokens);
}

SampleScore scored(const std::vector<std::string>& answers, std::string_view output,
                   Needed needed) {
  const PieceCodec codec;
  const std::string text = "What? ";
  const Sample sample = make_answer_sample({.id = "a",
                                            .document_id = "d",
                                            .text = text,
                                            .tokens = codec.encode(text),
                                            .answers = answers,
                                            .continuation = answers.front(),
                                            .max_new_tokens = 50},
                                           codec);
  const std::size_t n = answers.front().size();
  const std::vector<Response> responses = {
      {.generated = codec.encode(output)},
      {.nll = std::vector<double>(n, 0.5), .is_greedy = std::vector<std::uint8_t>(n, 1)}};
  return score_answer(sample, responses, codec, needed);
}

TEST(AnsweredPrompt, IsAskedAndScoredBehindTheSamePrompt) {
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = kFakeEnd});
  const Sample sample = make_answer_sample({.id = "a",
                                            .document_id = "d",
                                            .text = "Key?",
                                            .tokens = codec.encode("Key?"),
                                            .answers = {"42"},
                                            .continuation = " 42",
                                            .max_new_tokens = 9,
                                            .facts = {{"depth", 0.5}}},
                                           codec);
  ASSERT_EQ(sample.requests.size(), 2U);
  EXPECT_THAT(sample.requests[0].tokens, ElementsAre(kFakeBos, 'K', 'e', 'y', '?'));
  EXPECT_EQ(sample.requests[0].max_new_tokens, 9);
  EXPECT_EQ(sample.requests[0].score_from, 5);
  EXPECT_THAT(sample.requests[0].stop_tokens, ElementsAre(kFakeEnd));
  EXPECT_THAT(sample.requests[1].tokens, ElementsAre(kFakeBos, 'K', 'e', 'y', '?', ' ', '4', '2'));
  EXPECT_EQ(sample.requests[1].score_from, 5);
  EXPECT_EQ(sample.facts.at("prompt_tokens"), 5);
  EXPECT_EQ(sample.facts.at("answer_tokens"), 3);
  EXPECT_EQ(sample.facts.at("prompt_tail"), "Key?");
  EXPECT_EQ(sample.facts.at("depth"), 0.5);
}

TEST(AnsweredPrompt, MatchersStandSideBySide) {
  const SampleScore score = scored({"12", "34"}, "2012, and 34.", Needed::kAll);
  EXPECT_EQ(score.values.at("strict_match"), 0.5);
  EXPECT_EQ(score.values.at("ruler_match"), 1.0);
  EXPECT_EQ(score.values.at("exact_match"), 1.0);
  EXPECT_EQ(score.values.at("answer_nll"), 1.0);  // two tokens of 0.5
  EXPECT_EQ(score.details.at("generated"), "2012, and 34.");
  EXPECT_EQ(scored({"12", "34"}, "34", Needed::kAny).values.at("strict_match"), 1.0);
  EXPECT_EQ(scored({"12", "34"}, "2012", Needed::kAny).values.at("strict_match"), 0.0);
}

// Expected verdicts are those of the item: gold 12, what a loose substring takes for it, and back.
TEST(AnsweredPrompt, B78ANumberInsideAnotherIsNoAnswer) {
  const auto strict = [](std::string_view output) {
    return scored({"12"}, output, Needed::kAll).values.at("strict_match");
  };
  EXPECT_EQ(strict("123"), 0.0);
  EXPECT_EQ(strict("the year 2012"), 0.0);
  EXPECT_EQ(strict("12."), 1.0);
  EXPECT_EQ(strict("12,000"), 0.0);
  EXPECT_EQ(strict("twelve"), 0.0);
  const SampleScore score = scored({"12"}, "the year 2012", Needed::kAll);
  EXPECT_EQ(score.values.at("ruler_match"), 1.0) << "RULER's own rule, bug for bug";
}

TEST(AnsweredPrompt, B82TheValueIsEnough) {
  const SampleScore score = scored({"7431025"}, "It is 7431025.", Needed::kAll);
  EXPECT_EQ(score.values.at("strict_match"), 1.0);
}

TEST(AnsweredPrompt, B88NonFiniteOutputIsNoScore) {
  const PieceCodec codec;
  const Sample sample = make_answer_sample({.id = "a",
                                            .text = "Q",
                                            .tokens = codec.encode("Q"),
                                            .answers = {"x"},
                                            .continuation = "x",
                                            .max_new_tokens = 1},
                                           codec);
  const std::vector<Response> responses = {{.status = ResponseStatus::kNonFinite}, {}};
  const SampleScore score = score_answer(sample, responses, codec, Needed::kAll);
  EXPECT_EQ(score.status, SampleStatus::kNonFinite);
  EXPECT_EQ(score.values.count("strict_match"), 0U);
  EXPECT_TRUE(summarize_answers(std::vector{score}).empty()) << "no -1, no mean of nothing";
}

TEST(AnsweredPrompt, ACellsMetricsAreMeansWithIntervals) {
  const std::vector<SampleScore> scores = {scored({"12"}, "12", Needed::kAll),
                                           scored({"12"}, "13", Needed::kAll)};
  const std::vector<MetricValue> metrics = summarize_answers(scores);
  std::vector<std::string> names;
  for (const MetricValue& metric : metrics) names.push_back(metric.name);
  EXPECT_THAT(names, ElementsAre("strict_match", "ruler_match", "exact_match", "answer_nll",
                                 "answer_nll_per_token", "prompt_tokens"));
  EXPECT_EQ(metrics[0].value, 0.5);
  EXPECT_EQ(metrics[0].n, 2);
  // Wilson's interval of 1 of 2 at z = 1.959964: 0.5 +- z/2 sqrt(1/8 + z^2/16 ...) by hand.
  EXPECT_NEAR(metrics[0].ci_low.value(), 0.09453, 1e-5);
  EXPECT_NEAR(metrics[0].ci_high.value(), 0.90547, 1e-5);
  EXPECT_EQ(metrics[4].value, 0.5);
  EXPECT_EQ(metrics[5].value, 6);
}

TEST(Haystack, WordsKnowWhereSentencesEnd) {
  const std::vector<Unit> words =
      split_words(" Mr. A. Fox ran.  \"Where?\" (There.)\n\nNew one", "text");
  EXPECT_THAT(bodies(words),
              ElementsAre("Mr.", "A.", "Fox", "ran.", "\"Where?\"", "(There.)", "New", "one"));
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].end == Unit::End::kBoundary) ends.push_back(i);
  }
  EXPECT_THAT(ends, ElementsAre(3, 4, 5, 7));
  EXPECT_EQ(words[3].separator, "  ");
  EXPECT_EQ(words[5].separator, "\n\n");
  EXPECT_THAT(bodies(split_into_sentences("One two. Three!", "text")),
              ElementsAre("One two.", "Three!"));
  EXPECT_THAT(bodies(split_words("\u732b\u3067\u3059\u3002\u72ac", "text")),
              ElementsAre("\u732b\u3067\u3059\u3002", "\u72ac"));
  EXPECT_THAT(error_message([] { static_cast<void>(split_words(" \n", "empty.txt")); }),
              HasSubstr("empty.txt: holds nothing but white space"));
}

TEST(Fit, TheMostUnitsThatFit) {
  const PieceCodec codec;  // a token a byte
  // Unit i has i % 7 + 1 letters and a blank: no estimate by means would be right.
  const auto body = [](std::int64_t i) {
    return std::string(static_cast<std::size_t>(i % 7 + 1), 'x');
  };
  UnitRun run(codec, [&](std::int64_t i) { return Unit{.body = body(i), .separator = " "}; });
  const auto text = [&](std::int64_t n) {
    std::string out = "head ";
    for (std::int64_t i = 0; i < n; ++i) out += body(i) + " ";
    return out;
  };
  int counts = 0;
  const Growth growth{.least = 1,
                      .most = std::nullopt,
                      .compose =
                          [&](std::int64_t n) {
                            ++counts;
                            return text(n);
                          },
                      .tokens = [&](std::int64_t n) { return run.tokens(n); }};
  for (const std::int64_t max : {7, 8, 100, 101, 102, 103, 5000, 20'000}) {
    counts = 0;
    const auto fitted = fit_text(growth, max, codec);
    ASSERT_TRUE(std::holds_alternative<FittedText>(fitted)) << max;
    const auto& found = std::get<FittedText>(fitted);
    EXPECT_EQ(found.text, text(found.units));
    EXPECT_LE(std::ssize(found.text), max);
    EXPECT_GT(std::ssize(text(found.units + 1)), max);
    EXPECT_LE(counts, 6) << max;
  }
  EXPECT_EQ(std::get<std::int64_t>(fit_text(growth, 6, codec)), 7);
}

TEST(Fit, AnEstimateThatIsWrongCostsTimeAndNothingElse) {
  const PieceCodec codec;
  for (const std::int64_t slope : {0, 1, 1000}) {
    int counts = 0;
    const Growth growth{.least = 1,
                        .most = std::nullopt,
                        .compose =
                            [&](std::int64_t n) {
                              ++counts;
                              return std::string(static_cast<std::size_t>(17 * n), 'x');
                            },
                        .tokens = [&](std::int64_t n) { return slope * n; }};
    EXPECT_EQ(std::get<FittedText>(fit_text(growth, 10'000, codec)).units, 588) << slope;
    EXPECT_LT(counts, 30) << slope;
  }
}

TEST(Words, DrawsAreDifferentAndStandNowhereElse) {
  const WordPool pairs = WordPool::pairs();
  EXPECT_GT(pairs.size(), 100'000U);
  std::set<std::string> singles;
  const WordPool pool = WordPool::singles();
  for (std::size_t i = 0; i < pool.size(); ++i) singles.insert(pool.at(i));
  EXPECT_EQ(singles.size(), pool.size());
  UniqueDraws draws(pairs, "a 1234567 b");
  Random random(1, "test");
  std::vector<std::string> drawn;
  for (int i = 0; i < 60; ++i) drawn.push_back(draws.draw(NeedlePart::kWords, random));
  for (const std::string& a : drawn) {
    EXPECT_EQ(std::count_if(drawn.begin(), drawn.end(),
                            [&](const std::string& b) { return b.find(a) != std::string::npos; }),
              1)
        << a;
  }
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(draws.draw(NeedlePart::kNumbers, random), testing::MatchesRegex("[1-9][0-9]{6}"));
    EXPECT_THAT(draws.draw(NeedlePart::kUuids, random),
                testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                      "[0-9a-f]{12}"));
  }
}

TEST(Words, AListOfYourOwn) {
  const test::TemporaryFolder folder;
  const auto file = write_file(folder / "words.txt", "fox\nfoxes\nowl\n");
  const WordPool pool = WordPool::from_file(file);
  EXPECT_EQ(pool.size(), 3U);
  UniqueDraws draws(pool, "");
  Random random(1, "test");
  std::set<std::string> drawn = {draws.draw(NeedlePart::kWords, random),
                                 draws.draw(NeedlePart::kWords, random)};
  EXPECT_EQ(drawn.count("owl"), 1U) << "fox and foxes hold each other";
  EXPECT_THAT(error_message([&] { static_cast<void>(draws.draw(NeedlePart::kWords, random)); }),
              HasSubstr("3 words to draw from"));
  const auto twice = write_file(folder / "twice.txt", "fox\nowl\nfox\n");
  EXPECT_THAT(error_message([&] { static_cast<void>(WordPool::from_file(twice)); }),
              HasSubstr("twice.txt:3: 'fox' stands twice"));
}

const char* const kNiah = R"(
kind: niah
needle: "The special magic number for {{key}} is {{value}}."
question: "What is the special magic number for {{key}}?"
answer: "{{value}}"
samples: 6
)";

// Sentences of different sizes, all different.
std::string book() {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += "In the year " + std::to_string(1000 + i) + " nothing";
    for (int j = 0; j < i % 9; ++j) text += " at all";
    text += i % 11 == 10 ? " happened.\n\n" : " happened. ";
  }
  return text;
}

// The needle is off the asked depth by no more than the way to a sentence's end that is near (64
// tokens, and 3 % of the haystack) and one unit of `unit` tokens.
void expect_depth(const Sample& sample, double asked, double unit, const TextCodec& codec) {
  const std::string prompt = prompt_of(sample, codec);
  const std::string haystack = prompt.substr(0, prompt.find("\n\nQuestion: "));
  const std::size_t needle = haystack.find("The special magic number for ");
  const std::string whole = haystack.substr(needle, haystack.find('.', needle) + 1 - needle);
  const auto tokens =
      static_cast<double>(std::ssize(codec.encode(haystack)) - std::ssize(codec.encode(whole)));
  const double depth = sample.facts.at("depths")[0].get<double>();
  EXPECT_LE(std::abs(depth - asked) * tokens, std::min(64.0, 0.03 * tokens) + unit)
      << sample.id << " of " << tokens << " tokens at " << depth << ", asked: " << asked;
}

TEST(Niah, B83TheNeedleStandsWholeOnceAndItsDepthIsInTokens) {
  const test::TemporaryFolder folder;
  const auto file = write_file(folder / "book.txt", book());
  const auto flat = write_file(folder / "flat.txt", [] {
    std::string words;  // no sentence ends in it
    for (int i = 0; i < 3000; ++i) words += "w" + std::to_string(i) + " ";
    return words;
  }());
  const WordCodec codec;
  for (const auto& haystack : {file, flat}) {
    const auto task =
        task_from(std::string(kNiah) + "depths: 5\nhaystack: " + haystack.string() + "\n");
    const std::vector<std::int64_t> lengths = {128, 600};
    const std::vector<CellAxes> cells = task->cells(lengths);
    ASSERT_EQ(cells.size(), 10U);
    for (const CellAxes& cell : cells) {
      const Task::Built built = task->build(cell, {.codec = codec, .seed = 3, .subset = {}});
      ASSERT_EQ(built.samples.size(), 6U);
      for (const Sample& sample : built.samples) {
        const std::string prompt = prompt_of(sample, codec);
        const std::size_t needle = prompt.find("The special magic number for ");
        const std::string whole = prompt.substr(needle, prompt.find('.', needle) + 1 - needle);
        EXPECT_THAT(whole,
                    testing::EndsWith(sample.facts.at("answers")[0].get<std::string>() + "."));
        EXPECT_EQ(occurrences(prompt, whole), 1);
        if (*cell.depth == 0.0) {
          EXPECT_EQ(needle, 0U);
        }
        if (*cell.depth == 1.0) {
          EXPECT_THAT(prompt, HasSubstr(whole + "\n\nQuestion: What"));
        }
        expect_depth(sample, *cell.depth, 2, codec);
        if (needle > 0) {
          EXPECT_THAT(prompt.substr(0, needle), testing::MatchesRegex(".*[ \n]"));
          // A sentence ends within 11 tokens of any place, which 3 % of 600 allow.
          if (haystack == file && *cell.depth < 1 && *cell.length_tokens == 600) {
            EXPECT_THAT(prompt.substr(0, needle), testing::MatchesRegex(".*\\.[ \n]+"));
          }
        }
        // The token that the needle begins at.
        const auto token = sample.facts.at("needle_tokens")[0].get<std::size_t>();
        const std::vector<TokenId>& ids = sample.requests[0].tokens;
        EXPECT_THAT(codec.decode(std::vector<TokenId>(
                        ids.begin() + static_cast<std::ptrdiff_t>(token), ids.end())),
                    testing::AnyOf(StartsWith(whole), StartsWith(" " + whole)));
      }
    }
  }
}

struct DepthGrid {
  std::string keys;
  double unit = 0;  ///< tokens of the largest unit
};

// The asked depths of a short prompt once met at the one sentence's end that was within 64 tokens.
TEST(Niah, B83NoTwoDepthsOfASamplePutTheNeedleAtOnePlace) {
  const test::TemporaryFolder folder;
  const std::string text = write_file(folder / "book.txt", book()).string();
  const WordCodec codec;
  const std::string seven = "depths: [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]\n";
  for (const DepthGrid& grid :
       {DepthGrid{seven + "haystack: " + text + "\n", 2},  // "happened."
        DepthGrid{seven, 5},                               // "There and back again."
        DepthGrid{"depths: 5\ndistractor: \"One of {{key}} is {{value}}.\"\n", 9}}) {
    const auto task = task_from(kNiah + grid.keys);
    for (const std::int64_t length : {192, 256, 320, 512}) {
      const std::vector<std::int64_t> lengths = {length};
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        std::map<std::string, std::pair<double, std::int64_t>> last;  // by sample: depth, token
        for (const CellAxes& cell : task->cells(lengths)) {
          const Task::Built built = task->build(cell, {.codec = codec, .seed = seed, .subset = {}});
          ASSERT_EQ(built.samples.size(), 6U);
          for (const Sample& sample : built.samples) {
            SCOPED_TRACE(sample.id + " " + grid.keys + std::to_string(length));
            expect_depth(sample, *cell.depth, grid.unit, codec);
            const auto depth = sample.facts.at("depths")[0].get<double>();
            const auto token = sample.facts.at("needle_tokens")[0].get<std::int64_t>();
            if (*cell.depth == 0 || *cell.depth == 1) {
              EXPECT_EQ(depth, *cell.depth);
            }
            if (last.contains(sample.id)) {
              EXPECT_GT(depth, last[sample.id].first);
              EXPECT_GT(token, last[sample.id].second);
            }
            last[sample.id] = {depth, token};
          }
        }
        EXPECT_EQ(last.size(), 6U);
      }
    }
  }
}

TEST(Niah, B84B85TheLengthIsNeverExceededAndFilledToOneUnit) {
  const test::TemporaryFolder folder;
  const auto file = write_file(folder / "book.txt", book());
  const PieceCodec codec({.bos = kFakeBos}, {" nothing", " happened", "In the year", " at all"});
  const auto task = task_from(std::string(kNiah) + "depths: [0, 0.37, 1]\nmax_new_tokens: 20\n" +
                              "haystack: " + file.string() + "\n");
  const std::vector<std::int64_t> lengths = {256, 1000, 4096};
  for (const CellAxes& cell : task->cells(lengths)) {
    for (const Sample& sample :
         task->build(cell, {.codec = codec, .seed = 1, .subset = {}}).samples) {
      const std::int64_t used =
          std::ssize(sample.requests[0].tokens) + sample.requests[0].max_new_tokens;
      EXPECT_LE(used, *cell.length_tokens);
      EXPECT_GT(used, *cell.length_tokens - 10) << "a word has at most 10 bytes";
      EXPECT_EQ(sample.facts.at("prompt_tokens").get<std::int64_t>(),
                std::ssize(sample.requests[0].tokens));
      EXPECT_LE(std::ssize(sample.requests[1].tokens), *cell.length_tokens);
    }
  }
}

TEST(Niah, AnotherHaystackForEachSampleUnlessItBeginsAtItsBeginning) {
  const test::TemporaryFolder folder;
  const auto file = write_file(folder / "book.txt", book());
  const WordCodec codec;
  const auto beginnings = [&](const std::string& start) {
    const auto task = task_from(std::string(kNiah) + "depths: [0.5]\nstart: " + start +
                                "\nhaystack: " + file.string() + "\n");
    const CellAxes cell{.length_tokens = 300, .depth = 0.5, .variant = ""};
    std::set<std::string> out;
    for (const Sample& sample :
         task->build(cell, {.codec = codec, .seed = 1, .subset = {}}).samples) {
      out.insert(prompt_of(sample, codec).substr(0, 60));
    }
    return out;
  };
  EXPECT_EQ(beginnings("random").size(), 6U);
  EXPECT_THAT(beginnings("beginning"), ElementsAre(book().substr(0, 60)));
}

TEST(Niah, LengthsAndDepthsAskTheSameQuestionsAndBuildTheSameBytes) {
  const WordCodec codec;
  const auto task = task_from(std::string(kNiah) + "distractor: \"The special magic number for " +
                              "{{key}} is {{value}}.\"\n");
  const auto answers = [&](std::int64_t length, double depth, std::uint64_t seed) {
    std::vector<std::string> out;
    const CellAxes cell{.length_tokens = length, .depth = depth, .variant = ""};
    for (const Sample& sample :
         task->build(cell, {.codec = codec, .seed = seed, .subset = {}}).samples) {
      out.push_back(sample.id + " " + sample.facts.at("answers").dump());
    }
    return out;
  };
  EXPECT_EQ(answers(200, 0.5, 1), answers(400, 1, 1));
  EXPECT_NE(answers(200, 0.5, 1), answers(200, 0.5, 2));
  const CellAxes cell{.length_tokens = 400, .depth = 0.25, .variant = ""};
  const auto first = task->build(cell, {.codec = codec, .seed = 5, .subset = {}});
  const auto again = task->build(cell, {.codec = codec, .seed = 5, .subset = {}});
  ASSERT_EQ(first.samples.size(), again.samples.size());
  for (std::size_t i = 0; i < first.samples.size(); ++i) {
    EXPECT_EQ(first.samples[i].requests, again.samples[i].requests);
    EXPECT_EQ(first.samples[i].facts, again.samples[i].facts);
  }
}

TEST(Niah, B75AShortLengthNamesTheLeastThatHolds) {
  const WordCodec codec;
  const auto task = task_from(kNiah);
  const auto build = [&](std::int64_t length) {
    return task->build({.length_tokens = length, .depth = 0.5, .variant = ""},
                       {.codec = codec, .seed = 1, .subset = {}});
  };
  const Task::Built built = build(20);
  ASSERT_EQ(built.skipped.size(), 6U);
  EXPECT_EQ(built.skipped[0].status, SampleStatus::kSkipped);
  const std::string& reason = built.skipped[0].reason;
  EXPECT_THAT(reason, StartsWith("infeasible: needs >= "));
  EXPECT_THAT(reason, HasSubstr("the length is 20"));
  const std::int64_t least = std::stoll(reason.substr(std::string("infeasible: needs >= ").size()));
  EXPECT_GT(least, 20);
  EXPECT_FALSE(build(least).samples.empty());
  EXPECT_THAT(build(least).samples[0].id, "niah/0000");
}

TEST(Niah, B76B81BadDefinitionsAreRefused) {
  const test::TemporaryFolder folder;
  const auto message = [](const std::string& more) {
    return error_message([&] { static_cast<void>(task_from(std::string(kNiah) + more)); });
  };
  EXPECT_THAT(error_message([&] {
                static_cast<void>(task_from("kind: niah\nneedle: a\nquestion: b\nanswer: \" \"\n"));
              }),
              HasSubstr("suite.yaml:4:9: answer: is empty"));
  EXPECT_THAT(message("prompt: \"{{question}}\"\n"), HasSubstr("expected {{haystack}} in it"));
  EXPECT_THAT(message("haystack: nowhere.txt\n"), HasSubstr("there is no file 'nowhere.txt'"));
  EXPECT_THAT(message("distractor: \"{{key}}\"\nfiller: One. Two.\n"), HasSubstr("one of these"));
  EXPECT_THAT(message("depths: [2]\n"), HasSubstr("fractions from 0 to 1"));
  EXPECT_THAT(message("depht: 1\n"), HasSubstr("did you mean 'depths'"));
  // A haystack that holds the needle already is an error, not a second right place.
  const auto file = write_file(folder / "spoilt.txt", "Go to the park. Eat a sandwich. Go home.");
  const auto task = task_from(
      "kind: niah\nneedle: Eat a sandwich.\nquestion: What?\n"
      "answer: sandwich\nhaystack: " +
      file.string() + "\n");
  const WordCodec codec;
  EXPECT_THAT(error_message([&] {
                static_cast<void>(task->build({.length_tokens = 128, .depth = 0.5, .variant = ""},
                                              {.codec = codec, .seed = 1, .subset = {}}));
              }),
              HasSubstr("'Eat a sandwich.' stands in the prompt more than once"));
}

}  // namespace
}  // namespace yardstick::tasks
