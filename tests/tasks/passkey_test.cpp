#include "tasks/needle/passkey.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/hash.hpp"
#include "tasks/needle/passkey_prompt.hpp"
#include "tests/support/errors.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/make.hpp"

namespace yardstick::tasks {
namespace {

using test::kFakeBos;
using test::kFakeEnd;
using test::PieceCodec;
using test::task_from;
using test::WordCodec;
using testing::ElementsAre;
using testing::HasSubstr;

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::string needle_of(const std::string& key) {
  return "The pass key is " + key + ". Remember it. " + key + " is the pass key.";
}

TEST(PasskeyPrompt, ThePublishedFormIsReproduced) {
  const std::vector<std::string> filler = split_sentences(
      "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.");
  EXPECT_THAT(filler, ElementsAre("The grass is green.", "The sky is blue.", "The sun is yellow.",
                                  "Here we go.", "There and back again."));
  const PasskeyTexts texts{.task = "There is an important info.",
                           .filler = filler,
                           .needle = needle_of("681"),
                           .question = "What is the pass key? The pass key is"};
  const PieceCodec codec;
  const std::string expected =
      "There is an important info.\n"
      "The grass is green. The sky is blue. The sun is yellow.\n"
      "The pass key is 681. Remember it. 681 is the pass key.\n"
      "The grass is green. The sky is blue. The sun is yellow.\n"
      "What is the pass key? The pass key is";
  const PasskeySizer sizer(codec, filler);
  const Placement middle{.kind = Placement::Kind::kSentences, .sentences = 3};
  const auto prompt = std::get<PasskeyPrompt>(
      sizer.fill(texts, middle, static_cast<std::int64_t>(expected.size())));
  EXPECT_EQ(prompt.text, expected);
  EXPECT_DOUBLE_EQ(prompt.depth, 0.5);
  EXPECT_EQ(prompt.needle_token, static_cast<std::int64_t>(expected.find("The pass key is 681")));
}

TEST(PasskeyPrompt, SentencesEndAtTheirMarks) {
  EXPECT_THAT(split_sentences(" One. Two 3.5 is!\nThree? four"),
              ElementsAre("One.", "Two 3.5 is!", "Three?", "four"));
  EXPECT_TRUE(split_sentences(" \n ").empty());
}

TEST(FirstNumber, IsTheFirstRunOfDigitsAsANumber) {
  EXPECT_EQ(first_number(" 12345. The pass"), "12345");
  EXPECT_EQ(first_number("key 0042 or 7"), "42");
  EXPECT_EQ(first_number("000"), "0");
  EXPECT_EQ(first_number("12,000"), "12");
  EXPECT_EQ(first_number("99999999999999999999999"), "99999999999999999999999");
  EXPECT_FALSE(first_number("none").has_value());
}

void expect_sound(const Sample& sample, const CellAxes& cell, const TextCodec& codec,
                  std::int64_t budget, std::int64_t longest_sentence) {
  SCOPED_TRACE(sample.id);
  const Request& generate = sample.requests.at(0);
  const Request& right = sample.requests.at(1);
  const std::string text = codec.decode(generate.tokens);
  const auto key = sample.facts.at("expected").get<std::string>();
  const std::string needle = needle_of(key);
  const auto size = static_cast<std::int64_t>(generate.tokens.size());
  EXPECT_LE(size + budget, cell.length_tokens.value());
  EXPECT_GT(size + budget + longest_sentence, cell.length_tokens.value());
  EXPECT_EQ(sample.facts.at("prompt_tokens"), size);
  EXPECT_EQ(occurrences(text, needle), 1);
  EXPECT_EQ(occurrences(text, key), 2);
  const auto at = sample.facts.at("needle_token").get<std::size_t>();
  EXPECT_EQ(codec.decode(std::span(generate.tokens).subspan(at)).rfind(needle, 0), 0U);
  if (cell.depth) {
    // The needle begins at the nearest border of a sentence, where the fixed parts leave room.
    const double wanted = *cell.depth * static_cast<double>(cell.length_tokens.value());
    const double off = static_cast<double>(at) - wanted;
    const double most = static_cast<double>(longest_sentence) / 2 + 1;
    EXPECT_TRUE(off >= -most || sample.facts.at("filler_after") == 0) << off;
    EXPECT_TRUE(off <= most || sample.facts.at("filler_before") == 0) << off;
  }
  EXPECT_EQ(generate.score_from, size);
  EXPECT_EQ(generate.max_new_tokens, budget);
  EXPECT_EQ(codec.decode(right.tokens), text + " " + key);
  EXPECT_EQ(
      codec.decode(std::span(right.tokens).subspan(static_cast<std::size_t>(right.score_from))),
      " " + key);
}

TEST(Passkey, PromptsFillTheLengthAndHoldTheNeedleOnce) {
  const auto task = task_from(
      "kind: passkey\nsamples: 4\ndepths: [0, 0.1, 0.5, 0.77, 1]\nkey_range: [10, 99999]\n");
  const WordCodec words;
  const std::vector<std::int64_t> lengths = {150, 151, 152, 153, 256, 500, 1000};
  for (const CellAxes& cell : task->cells(lengths)) {
    for (const std::uint64_t seed : {1U, 2U}) {
      const Task::Built built = task->build(cell, {.codec = words, .seed = seed, .subset = {}});
      EXPECT_EQ(built.samples.size(), 4U);
      for (const Sample& sample : built.samples) expect_sound(sample, cell, words, 10, 6);
    }
  }
}

std::int64_t common_tokens(const Sample& a, const Sample& b) {
  const std::vector<TokenId>& left = a.requests[0].tokens;
  const std::vector<TokenId>& right = b.requests[0].tokens;
  return std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first - left.begin();
}

TEST(Passkey, PromptsOfAGridBeginAlike) {
  const auto task = task_from("kind: passkey\nsamples: 2\nkey_range: [10, 99999]\n");
  const WordCodec words;
  const auto build = [&](std::int64_t length, double depth) {
    const CellAxes cell{.length_tokens = length, .depth = depth, .variant = ""};
    return task->build(cell, {.codec = words, .seed = 1, .subset = {}}).samples;
  };
  const std::vector<Sample> middle = build(512, 0.5);
  const auto needle = middle[0].facts.at("needle_token").get<std::int64_t>();
  // The needle stands at token 256 in all of these; where the shorter prompt asks its question the
  // longer ones go on.
  const auto question = std::ssize(words.encode("\nWhat is the pass key? The pass key is"));
  for (const auto& [length, depth] : {std::pair{1024, 0.25}, {2048, 0.125}, {640, 0.4}}) {
    const std::vector<Sample> longer = build(length, depth);
    EXPECT_EQ(longer[0].facts.at("needle_token"), needle) << length;
    EXPECT_EQ(longer[0].facts.at("expected"), middle[0].facts.at("expected"));
    EXPECT_EQ(common_tokens(middle[0], longer[0]),
              std::ssize(middle[0].requests[0].tokens) - question);
  }
  // Other keys and deeper needles share what is before the needle's line.
  EXPECT_NE(middle[0].facts.at("expected"), middle[1].facts.at("expected"));
  EXPECT_GE(common_tokens(middle[0], middle[1]), needle);
  EXPECT_EQ(common_tokens(middle[0], build(512, 0.7)[0]), needle - 1);
  EXPECT_EQ(common_tokens(middle[0], build(4096, 0.9)[1]), needle - 1);
}

TEST(Passkey, ByteTokensAndUniformPlacementWorkAlike) {
  const auto task =
      task_from("kind: passkey\nsamples: 30\nplacement: uniform\nkey_range: [10, 50000]\n");
  const PieceCodec bytes({.bos = kFakeBos, .end_of_text = kFakeEnd});
  const std::vector<std::int64_t> lengths = {512, 1500};
  for (const CellAxes& cell : task->cells(lengths)) {
    EXPECT_FALSE(cell.depth.has_value());
    const Task::Built built = task->build(cell, {.codec = bytes, .seed = 3, .subset = {}});
    std::set<std::int64_t> gaps;
    for (const Sample& sample : built.samples) {
      const auto at = sample.facts.at("needle_token").get<std::size_t>();
      EXPECT_EQ(sample.requests[0].tokens.at(0), kFakeBos);
      EXPECT_EQ(bytes.decode(std::span(sample.requests[0].tokens).subspan(at, 8)), "The pass");
      EXPECT_LE(static_cast<std::int64_t>(sample.requests[0].tokens.size()) + 10,
                cell.length_tokens.value());
      EXPECT_THAT(sample.requests[0].stop_tokens, ElementsAre(kFakeEnd));
      gaps.insert(sample.facts.at("filler_before").get<std::int64_t>());
    }
    EXPECT_GT(gaps.size(), 4U);
  }
}

std::string digest(const Task& task, const CellAxes& cell, const TextCodec& codec) {
  std::string all;
  for (const Sample& sample : task.build(cell, {.codec = codec, .seed = 7, .subset = {}}).samples) {
    all += sample.id + sample.facts.dump();
    for (const Request& request : sample.requests) {
      for (const TokenId token : request.tokens) all += std::to_string(token) + ",";
    }
  }
  return sha256_hex(all);
}

TEST(Passkey, SameSeedSameBytesInAnyOrder) {
  const auto task = task_from("kind: passkey\nsamples: 3\ndepths: [0, 0.5]\n");
  const PieceCodec codec;
  const std::vector<std::int64_t> lengths = {600, 900};
  const std::vector<CellAxes> cells = task->cells(lengths);
  ASSERT_EQ(cells.size(), 4U);
  std::vector<std::string> forward;
  for (const CellAxes& cell : cells) forward.push_back(digest(*task, cell, codec));
  const auto again = task_from("kind: passkey\nsamples: 3\ndepths: [0, 0.5]\n");
  for (std::size_t i = cells.size(); i > 0; --i) {
    EXPECT_EQ(digest(*again, cells[i - 1], codec), forward[i - 1]);
  }
  EXPECT_EQ(std::set<std::string>(forward.begin(), forward.end()).size(), cells.size());
}

TEST(Passkey, SameBytesOnAnyNumberOfThreads) {
  const auto task = task_from("kind: passkey\nsamples: 40\nplacement: uniform\n");
  const PieceCodec codec;
  const std::vector<std::int64_t> lengths = {900};
  const CellAxes cell = task->cells(lengths).front();
  std::set<std::string> digests;
  for (const int threads : {1, 2}) {
    tbb::task_arena arena(threads);
    arena.execute([&] { digests.insert(digest(*task, cell, codec)); });
  }
  EXPECT_EQ(digests.size(), 1U);
}

/// Counts the texts of at least 2,000 bytes that it encodes.
class CountingCodec final : public TextCodec {
 public:
  std::vector<TokenId> encode(std::string_view text) const override {
    count(text);
    return codec_.encode(text);
  }
  std::vector<TokenSpan> encode_spans(std::string_view text) const override {
    count(text);
    return codec_.encode_spans(text);
  }
  std::string decode(std::span<const TokenId> ids) const override { return codec_.decode(ids); }
  std::vector<TokenId> window_prefix() const override { return {}; }
  std::optional<TokenId> end_of_text() const override { return std::nullopt; }
  std::int64_t vocabulary_size() const override { return codec_.vocabulary_size(); }

  int long_texts() const { return long_texts_; }

 private:
  void count(std::string_view text) const {
    if (text.size() >= 2000) ++long_texts_;
  }

  PieceCodec codec_;
  mutable std::atomic<int> long_texts_ = 0;
};

// The prompt, the prompt of one more sentence, and the prompt with its answer.
TEST(Passkey, APromptIsEncodedThreeTimes) {
  const auto task = task_from("kind: passkey\nsamples: 20\nplacement: uniform\n");
  const CountingCodec codec;
  const std::vector<std::int64_t> lengths = {4000};
  const Task::Built built =
      task->build(task->cells(lengths).front(), {.codec = codec, .seed = 1, .subset = {}});
  ASSERT_EQ(built.samples.size(), 20U);
  EXPECT_EQ(codec.long_texts(), 3 * 20);
}

/// One token a byte up to byte 600, one for five bytes behind it: no sentence has a size of its
/// own.
class ThinningCodec final : public TextCodec {
 public:
  std::vector<TokenId> encode(std::string_view text) const override {
    return std::vector<TokenId>(encode_spans(text).size());
  }
  std::vector<TokenSpan> encode_spans(std::string_view text) const override {
    std::vector<TokenSpan> spans;
    for (std::int64_t at = 0; at < std::ssize(text);) {
      const std::int64_t end = std::min<std::int64_t>(at + (at < 600 ? 1 : 5), std::ssize(text));
      spans.push_back({.id = 0, .begin = at, .end = end});
      at = end;
    }
    return spans;
  }
  std::string decode(std::span<const TokenId> /*ids*/) const override { return ""; }
  std::vector<TokenId> window_prefix() const override { return {}; }
  std::optional<TokenId> end_of_text() const override { return std::nullopt; }
  std::int64_t vocabulary_size() const override { return 1; }
};

TEST(PasskeyPrompt, TheLongestThatFitsIsFoundHoweverBadThePrediction) {
  const std::vector<std::string> filler = {"One two three.", "Four.", "Five six seven eight nine."};
  const PasskeyTexts texts{
      .task = "Task.", .filler = filler, .needle = needle_of("681"), .question = "What?"};
  const ThinningCodec codec;
  const PasskeySizer sizer(codec, filler);
  for (const double share : {0.0, 0.4, 1.0}) {
    const Placement placement{.kind = Placement::Kind::kUniform, .share = share * 0.999};
    for (const std::int64_t length : {120, 140, 500, 599, 601, 640, 1000, 2003}) {
      const PasskeyPrompt prompt = std::get<PasskeyPrompt>(sizer.fill(texts, placement, length));
      const std::int64_t n = prompt.before + prompt.after;
      const auto size_of = [&](std::int64_t sentences) {
        const auto before = static_cast<std::int64_t>(placement.share * double(sentences + 1));
        const std::string text = "Task.\n" + filler_text(filler, before) + "\n" + texts.needle +
                                 "\n" + filler_text(filler, sentences - before) + "\nWhat?";
        return std::ssize(codec.encode(text));
      };
      EXPECT_EQ(std::ssize(prompt.tokens), size_of(n));
      EXPECT_LE(size_of(n), length);
      EXPECT_GT(size_of(n + 1), length) << "share " << share;
    }
  }
}

TEST(Passkey, SampleIdsAreTheSameForEveryTokenizer) {
  const auto task = task_from("kind: passkey\nsamples: 3\ndepths: 2\n");
  const std::vector<std::int64_t> lengths = {700};
  const WordCodec words;
  const PieceCodec bytes;
  for (const CellAxes& cell : task->cells(lengths)) {
    const auto a = task->build(cell, {.codec = words, .seed = 1, .subset = {.limit = 2}}).samples;
    const auto b = task->build(cell, {.codec = bytes, .seed = 1, .subset = {}}).samples;
    ASSERT_EQ(a.size(), 2U);
    ASSERT_EQ(b.size(), 3U);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].id, b[i].id);
      EXPECT_EQ(a[i].facts.at("expected"), b[i].facts.at("expected"));
    }
  }
}

TEST(Passkey, AnInfeasibleLengthSaysTheLeastFeasibleOne) {
  const auto task = task_from("kind: passkey\nsamples: 2\ndepths: [0.5]\n");
  const WordCodec words;
  const std::vector<std::int64_t> lengths = {40};
  const Task::Built built =
      task->build(task->cells(lengths).front(), {.codec = words, .seed = 1, .subset = {}});
  EXPECT_TRUE(built.samples.empty());
  ASSERT_EQ(built.skipped.size(), 2U);
  const std::string reason = built.skipped[0].reason;
  EXPECT_THAT(reason, HasSubstr("the length is 40"));
  const std::size_t at = reason.find(">= ") + 3;
  const std::vector<std::int64_t> least = {std::stoll(reason.substr(at))};
  EXPECT_EQ(task->build(task->cells(least).front(), {.codec = words, .seed = 1, .subset = {}})
                .samples.size(),
            2U);
}

TEST(Passkey, ScoresTheFirstNumberAndTheRightAnswersLoss) {
  const auto task = task_from("kind: passkey\nsamples: 2\ndepths: [0.5]\n");
  const PieceCodec codec;
  const std::vector<std::int64_t> lengths = {700};
  const Task::Built built =
      task->build(task->cells(lengths).front(), {.codec = codec, .seed = 1, .subset = {}});
  std::vector<SampleScore> scores;
  for (std::size_t i = 0; i < 2; ++i) {
    const Sample& sample = built.samples[i];
    const auto key = sample.facts.at("expected").get<std::string>();
    Response generated;
    generated.generated = codec.encode(i == 0 ? " " + key + "." : " no idea");
    Response right;
    right.nll.assign(sample.facts.at("answer_tokens").get<std::size_t>(), 0.5);
    const std::vector<Response> responses = {generated, right};
    scores.push_back(task->score(sample, responses, codec));
    EXPECT_DOUBLE_EQ(scores[i].values.at("answer_nll"), 0.5 * static_cast<double>(key.size() + 1));
  }
  EXPECT_DOUBLE_EQ(scores[0].values.at("accuracy"), 1);
  EXPECT_DOUBLE_EQ(scores[1].values.at("accuracy"), 0);
  const std::vector<MetricValue> metrics = task->aggregate(scores, 1);
  EXPECT_EQ(metrics[0].name, "accuracy");
  EXPECT_DOUBLE_EQ(metrics[0].value, 0.5);
  EXPECT_EQ(metrics[0].n, 2);
  EXPECT_NEAR(metrics[0].ci_low.value() + metrics[0].ci_high.value(), 1.0, 1e-12);
}

TEST(Passkey, TheCommonMatchersStandBehindAccuracyAndLoss) {
  const auto task = task_from("kind: passkey\nsamples: 1\ndepths: [0.5]\nkey_range: [681, 681]\n");
  const PieceCodec codec;
  const std::vector<std::int64_t> lengths = {700};
  const Sample sample =
      task->build(task->cells(lengths).front(), {.codec = codec, .seed = 1, .subset = {}})
          .samples.at(0);
  Response generated;
  generated.generated = codec.encode(" 0681, not 7");
  const Response right{.nll = {0.5, 0.5, 0.5, 0.5}, .is_greedy = {1, 1, 1, 0}};
  const std::vector<SampleScore> scores = {
      task->score(sample, std::vector<Response>{generated, right}, codec)};
  std::vector<std::pair<std::string, double>> values;
  for (const MetricValue& metric : task->aggregate(scores, 1)) {
    if (metric.name != "prompt_tokens") values.emplace_back(metric.name, metric.value);
  }
  // The number is right, the word 0681 is not 681, the text holds 681, the last token is not the
  // likeliest; " 681" has four tokens.
  EXPECT_THAT(
      values,
      ElementsAre(testing::Pair("accuracy", 1.0), testing::Pair("answer_nll", 2.0),
                  testing::Pair("strict_match", 0.0), testing::Pair("ruler_match", 1.0),
                  testing::Pair("exact_match", 0.0), testing::Pair("answer_nll_per_token", 0.5)));
}

// YaRN's script, read as: n characters of "The grass ... again. " over and over, prefix of
// floor(share (n + 1)), n in steps of 128, the prompt below the target, which is what is shown.
TEST(Passkey, B85YarnsSizesAreBelowTheTargetAndStored) {
  const auto task = task_from("kind: passkey\npreset: yarn\nsamples: 30\n");
  const PieceCodec bytes({.bos = kFakeBos, .end_of_text = std::nullopt});
  std::string garbage;
  while (garbage.size() < 3000) {
    garbage +=
        "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back "
        "again. ";
  }
  const std::string task_line =
      "There is an important info hidden inside a lot of irrelevant text. Find it and memorize "
      "them. I will quiz you about the important information there.";
  std::set<std::size_t> prefixes;
  for (const std::int64_t length : {400, 512, 2048}) {
    const std::vector<std::int64_t> lengths = {length};
    const std::vector<CellAxes> cells = task->cells(lengths);
    ASSERT_EQ(cells.size(), 1U);
    for (const Sample& sample :
         task->build(cells[0], {.codec = bytes, .seed = 3, .subset = {}}).samples) {
      const auto size = sample.facts.at("prompt_tokens").get<std::int64_t>();
      EXPECT_LT(size, length);
      EXPECT_GE(size + 128, length);
      EXPECT_EQ(sample.facts.at("target_tokens"), length);
      const auto before = sample.facts.at("filler_before").get<std::size_t>();
      const auto after = sample.facts.at("filler_after").get<std::size_t>();
      EXPECT_EQ((before + after) % 128, 0U);
      prefixes.insert(before);
      EXPECT_EQ(bytes.decode(sample.requests[0].tokens),
                task_line + "\n" + garbage.substr(0, before) + "\n" +
                    needle_of(sample.facts.at("expected").get<std::string>()) + "\n" +
                    garbage.substr(0, after) + "\nWhat is the pass key? The pass key is");
    }
  }
  EXPECT_GT(prefixes.size(), 40U);
  const std::vector<std::int64_t> lengths = {200};
  const Task::Built built =
      task->build(task->cells(lengths)[0], {.codec = bytes, .seed = 3, .subset = {}});
  EXPECT_THAT(built.skipped.at(0).reason, HasSubstr("infeasible: needs >= "));
}

TEST(Passkey, BadParametersAreNamed) {
  const auto message = [](const std::string& keys) {
    return test::error_message([&] { task_from("kind: passkey\n" + keys); });
  };
  EXPECT_THAT(message("depths: [2]\n"), HasSubstr("suite.yaml:2:9: depths: found 2"));
  EXPECT_THAT(message("key_range: [5]\n"), HasSubstr("expected [lowest, highest]"));
  EXPECT_THAT(message("needle: no key here\n"), HasSubstr("does not say the key"));
  EXPECT_THAT(message("needle: \"{{kay}}\"\n"), HasSubstr("unknown field 'kay'"));
  EXPECT_THAT(message("placement: uniform\ndepths: 3\n"), HasSubstr("is of no use"));
  EXPECT_THAT(message("preset: yarns\n"), HasSubstr("found 'yarns', expected 'yarn'"));
  EXPECT_THAT(message("preset: yarn\ndepths: 3\n"), HasSubstr("is what `preset: yarn` decides"));
  const auto task = task_from("kind: passkey\nfiller: \"7 is 7.\"\nkey_range: [7, 7]\n");
  const std::vector<std::int64_t> lengths = {700};
  const PieceCodec codec;
  EXPECT_THROW(static_cast<void>(task->build(task->cells(lengths).front(),
                                             {.codec = codec, .seed = 1, .subset = {}})),
               Error);
}

}  // namespace
}  // namespace yardstick::tasks
