// The protocols as tasks: who opens a window, what is counted, which figure is the headline.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/json.hpp"
#include "tasks/perplexity/protocols/registry.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"
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

const PieceCodec& with_bos() {
  static const PieceCodec codec({.bos = kFakeBos, .end_of_text = kFakeEnd});
  return codec;
}

class ProtocolTask : public testing::Test {
 protected:
  std::unique_ptr<const Task> task(const std::string& keys, const std::string& text,
                                   const std::string& file = "a.txt") {
    write_file_atomically(folder_ / file, text);
    return task_from("kind: perplexity\ndata: " + file + "\n" + keys, folder_.path());
  }

  static Task::Built build(const Task& task, std::int64_t length, const TextCodec& codec) {
    const std::vector<std::int64_t> lengths = {length};
    return task.build(task.cells(lengths).at(0), {.codec = codec, .seed = 1, .subset = {}});
  }

  /// Scores of a cell whose i-th sample has a loss of losses[i] for each token, the last one for
  /// all further samples.
  static std::vector<SampleScore> score(const Task& task, const Task::Built& built,
                                        const std::vector<double>& losses, const TextCodec& codec) {
    std::vector<SampleScore> scores = built.skipped;
    for (std::size_t i = 0; i < built.samples.size(); ++i) {
      std::vector<Response> responses;
      for (const Request& request : built.samples[i].requests) {
        Response response;
        response.nll.assign(request.tokens.size() - static_cast<std::size_t>(request.score_from),
                            losses[std::min(i, losses.size() - 1)]);
        responses.push_back(std::move(response));
      }
      scores.push_back(task.score(built.samples[i], responses, codec));
    }
    return scores;
  }

  static double metric(const std::vector<MetricValue>& metrics, std::string_view name) {
    for (const MetricValue& value : metrics)
      if (value.name == name) return value.value;
    ADD_FAILURE() << "no metric " << name;
    return 0;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ProtocolTask, B09BosOpensEveryWindowAndIsNeverATarget) {
  for (const char* const keys :
       {"protocol: last-k", "protocol: disjoint", "protocol: nested", "protocol: llama.cpp",
        "protocol: sliding\nstride: 3", "protocol: sliding\nstride: 1", "protocol: yarn\nstride: 3",
        "protocol: yarn\ntruncate: true"}) {
    const auto protocol = task(keys, "abcdefghijklmnopqrst");
    const Task::Built built = build(*protocol, 6, with_bos());
    ASSERT_FALSE(built.samples.empty()) << keys;
    for (const Sample& sample : built.samples) {
      const Request& request = sample.requests.at(0);
      EXPECT_EQ(request.tokens[0], kFakeBos) << keys;
      EXPECT_GE(request.score_from, 1);
      EXPECT_LE(request.tokens.size(), 6U);
      EXPECT_EQ(std::count(request.tokens.begin(), request.tokens.end(), kFakeBos), 1);
    }
  }
}

// lm-evaluation-harness issue 1586: a model whose BOS is not its end of text was conditioned on the
// latter.
TEST_F(ProtocolTask, B10RollingWindowsOpenWithBosElseEndOfTextElseNothing) {
  const auto rolling = task("protocol: lm-eval\n", "abcdefgh");
  const Sample bos = build(*rolling, 4, with_bos()).samples.at(0);
  EXPECT_EQ(bos.requests.at(0).tokens[0], kFakeBos);
  EXPECT_EQ(bos.facts.at("bos"), "added");
  EXPECT_EQ(bos.requests.at(1).tokens[0], 'd') << "one prefix token a document";
  const PieceCodec end_alone({.bos = {}, .end_of_text = kFakeEnd});
  const Sample end = build(*rolling, 4, end_alone).samples.at(0);
  EXPECT_EQ(end.requests.at(0).tokens[0], kFakeEnd);
  EXPECT_EQ(end.facts.at("bos"), "end of text in its place");
  const Sample none = build(*rolling, 4, PieceCodec()).samples.at(0);
  EXPECT_EQ(none.requests.at(0).tokens[0], 'a');
  EXPECT_EQ(none.facts.at("bos"), "none added");
  EXPECT_EQ(bos.facts.at("scored"), 8);
  EXPECT_EQ(none.facts.at("scored"), 7);
}

// evaluate issues 688 and 512: the mean of the documents' perplexities under the name of another.
TEST_F(ProtocolTask, B11TheMeanOverDocumentsHasANameOfItsOwn) {
  const auto apart = task("protocol: disjoint\ntail: score\ndocuments: separate\n",
                          "{\"text\":\"a b c d e\"}\n{\"text\":\"hi\"}\n", "a.jsonl");
  const auto scores = score(*apart, build(*apart, 64, with_bos()), {1.0, 5.0}, with_bos());
  const auto metrics = apart->aggregate(scores, 1);
  EXPECT_NEAR(metric(metrics, "perplexity"), std::exp((9 * 1.0 + 2 * 5.0) / 11), 1e-12);
  EXPECT_NEAR(metric(metrics, "document_perplexity_mean"), (std::exp(1.0) + std::exp(5.0)) / 2,
              1e-12);
  const auto of_documents = std::find_if(metrics.begin(), metrics.end(), [](const auto& one) {
    return one.name == "document_perplexity_mean";
  });
  // Of two documents a resample is one of them twice in half the cases.
  EXPECT_NEAR(of_documents->ci_low.value(), std::exp(1.0), 1e-12);
  EXPECT_NEAR(of_documents->ci_high.value(), std::exp(5.0), 1e-12);
  EXPECT_EQ(apart->headline().metric, "perplexity");
  EXPECT_NEAR(metric(metrics, "word_perplexity"), std::exp((9.0 + 10.0) / 6), 1e-9);
  EXPECT_NEAR(metric(metrics, "byte_perplexity"), std::exp((9.0 + 10.0) / 11), 1e-12);
}

// lm-evaluation-harness issue 806: the model reads one text, words and bytes are of another.
TEST_F(ProtocolTask, B15CountsAreOfTheTextThatCountFieldNames) {
  const std::string line = "{\"text\": \"it's here\", \"page\": \" it 's here \\n\"}\n";
  const auto rolling = task("protocol: lm-eval\ncount_field: page\n", line, "a.jsonl");
  const Task::Built built = build(*rolling, 4, with_bos());
  const auto scores = score(*rolling, built, {2.0}, with_bos());
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_DOUBLE_EQ(scores[0].values.at("sum_nll"), 2.0 * 9);
  EXPECT_DOUBLE_EQ(scores[0].values.at("bytes"), 13);
  EXPECT_DOUBLE_EQ(scores[0].values.at("words"), 5);  // re.split gives two empty parts as well
  EXPECT_EQ(scores[0].details.at("scored_bytes"), 9);
  EXPECT_EQ(scores[0].details.at("scored_words"), 2);
  const auto metrics = rolling->aggregate(scores, 1);
  EXPECT_NEAR(metric(metrics, "word_perplexity"), std::exp(18.0 / 5), 1e-9);
  EXPECT_NEAR(metric(metrics, "bits_per_byte"), 18.0 / 13 / std::log(2.0), 1e-12);
  EXPECT_EQ(rolling->headline().metric, "word_perplexity");
  EXPECT_THAT(rolling->protocol(), HasSubstr("words of the whole field 'page'"));
  const auto own = task("protocol: lm-eval\n", line, "a.jsonl");
  EXPECT_DOUBLE_EQ(score(*own, build(*own, 4, with_bos()), {2.0}, with_bos())[0].values.at("words"),
                   2);
  EXPECT_THROW(task("protocol: lm-eval\ncount_field: page\n", "abc"), Error);
  EXPECT_THROW(task("protocol: lm-eval\nmax_tokens: 1k\n", "abc"), Error);
}

/// The pages as the data set of lm-evaluation-harness has them: one begins at each line that is a
/// title of level 1 ("= Name ="); lines are joined, so the newline between two pages is in neither.
std::vector<std::string> wikitext_pages(const std::string& text) {
  std::vector<std::string> pages;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const bool is_title =
        line.starts_with(" = ") && line.ends_with(" = ") && !line.starts_with(" = = ");
    if (is_title) {
      pages.push_back(line);
    } else if (!pages.empty()) {
      pages.back() += "\n" + line;
    }
    at = end + 1;
  }
  return pages;
}

// golden/lmeval_stored: the stored results of a fake model whose log-likelihoods are
// -random.random() after random.seed(42). The sum of the 62 draws is Python's.
TEST_F(ProtocolTask, WikitextTotalsAreThoseThatLmEvalStored) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const nlohmann::json stored = read_json(test::shared_path("golden/lmeval_stored/expected.json"));
  const nlohmann::json& wikitext = stored.at("wikitext");
  std::string lines;
  const std::vector<std::string> pages =
      wikitext_pages(read_file(test::shared_path("data/text/wikitext-2-raw-test.txt")));
  for (const std::string& page : pages)
    lines += nlohmann::json({{"text", "a page"}, {"page", page}}).dump() + "\n";
  const auto rolling = task("protocol: lm-eval\ncount_field: page\n", lines, "a.jsonl");
  std::vector<SampleScore> scores =
      score(*rolling, build(*rolling, 1024, with_bos()), {0.0}, with_bos());
  ASSERT_EQ(scores.size(), wikitext.at("docs"));
  constexpr double kSumOfDraws = 28.647345628528008;
  double bytes = 0;
  double words = 0;
  for (SampleScore& document : scores) {
    bytes += document.values.at("bytes");
    words += document.values.at("words");
    document.values["sum_nll"] = kSumOfDraws / 62;
  }
  EXPECT_EQ(bytes, wikitext.at("total_bytes"));
  EXPECT_EQ(words, wikitext.at("total_words"));
  const auto metrics = rolling->aggregate(scores, 1);
  for (const char* const name : {"word_perplexity", "byte_perplexity", "bits_per_byte"}) {
    const double expected = wikitext.at("v1").at(name).get<double>();
    EXPECT_NEAR(metric(metrics, name), expected, 1e-14 * std::max(1.0, expected)) << name;
  }
}

TEST_F(ProtocolTask, YarnsHeadlineIsTheUnweightedMeanOfWindowMeans) {
  // 30 tokens in windows of BOS + 15: 15 new ones, then 5, 5, 5.
  const auto yarn = task("protocol: yarn\nstride: 5\n", std::string(30, 'x'));
  const Task::Built built = build(*yarn, 16, with_bos());
  ASSERT_EQ(built.samples.size(), 4U);
  const auto metrics = yarn->aggregate(score(*yarn, built, {1.0, 3.0}, with_bos()), 1);
  EXPECT_EQ(yarn->headline().metric, "perplexity_mean_of_windows");
  EXPECT_NEAR(metric(metrics, "perplexity_mean_of_windows"), std::exp(10.0 / 4), 1e-12);
  EXPECT_NEAR(metric(metrics, "perplexity"), std::exp((15 * 1.0 + 15 * 3.0) / 30), 1e-12);
  const auto truncated = task("protocol: yarn\ntruncate: true\n", std::string(30, 'x'));
  const Task::Built first = build(*truncated, 16, with_bos());
  ASSERT_EQ(first.samples.size(), 1U);
  EXPECT_EQ(first.samples[0].facts.at("scored"), 15);
  EXPECT_EQ(first.samples[0].facts.at("tokens_skipped"), 15);
}

// Hugging Face's guide as it stands: a window's loss is the mean over its targets, and counts
// (target_ids != -100).sum() - 1 times. Right for the first window, whose first token is no target
// behind the shift; S - 1 for the later ones, of whose S targets none is lost.
TEST_F(ProtocolTask, HuggingFacesScriptWeighsLaterWindowsWithOneTokenLess) {
  const auto strided = task("protocol: hf-strided\nstride: 4\n", std::string(20, 'x'));
  const Task::Built built = build(*strided, 8, with_bos());
  ASSERT_EQ(built.samples.size(), 5U);  // 7, 4, 4, 4 and 1 targets
  const auto metrics =
      strided->aggregate(score(*strided, built, {1.0, 2.0, 3.0, 4.0, 5.0}, with_bos()), 1);
  EXPECT_NEAR(metric(metrics, "perplexity_hf_script"),
              std::exp((7 * 1.0 + 3 * 2.0 + 3 * 3.0 + 3 * 4.0 + 0 * 5.0) / (7 + 3 + 3 + 3)), 1e-12);
  EXPECT_NEAR(metric(metrics, "perplexity"),
              std::exp((7 * 1.0 + 4 * 2.0 + 4 * 3.0 + 4 * 4.0 + 1 * 5.0) / 20), 1e-12);
  EXPECT_EQ(strided->headline().metric, "perplexity");
  // With S = L every window's first token is a target that the shift drops: the weights are right.
  const auto apart = task("protocol: hf-strided\nstride: 8\n", std::string(16, 'x'));
  const auto even =
      apart->aggregate(score(*apart, build(*apart, 8, PieceCodec()), {1.0, 2.0}, PieceCodec()), 1);
  EXPECT_NEAR(metric(even, "perplexity_hf_script"), std::exp(1.5), 1e-12);
}

// lm-evaluation-harness encodes a document with its tokenizer's BOS, puts the prefix token in front
// and scores all but that: ten targets of nine tokens' text, the BOS behind a BOS among them.
TEST_F(ProtocolTask, TheHarnessScoresATokenizersBosBehindASecondOne) {
  const auto harness = task("protocol: lm-eval\ntext_bos: scored\n", "abcdefgh");
  const Sample sample = build(*harness, 4, with_bos()).samples.at(0);
  EXPECT_EQ(sample.facts.at("scored"), 9);
  ASSERT_EQ(sample.requests.size(), 3U);
  EXPECT_THAT(sample.requests[0].tokens, testing::ElementsAre(kFakeBos, kFakeBos, 'a', 'b', 'c'));
  EXPECT_EQ(sample.requests[0].score_from, 1);
  EXPECT_THAT(sample.requests[1].tokens, testing::ElementsAre('c', 'd', 'e', 'f', 'g'));
  EXPECT_THAT(sample.requests[2].tokens, testing::ElementsAre('d', 'e', 'f', 'g', 'h'));
  EXPECT_EQ(sample.requests[2].score_from, 4);
  // A tokenizer without BOS: nothing is doubled, the end of text opens the window once.
  const PieceCodec end_alone({.bos = {}, .end_of_text = kFakeEnd});
  const Sample plain = build(*harness, 4, end_alone).samples.at(0);
  EXPECT_EQ(plain.facts.at("scored"), 8);
  EXPECT_THAT(plain.requests[0].tokens, testing::ElementsAre(kFakeEnd, 'a', 'b', 'c', 'd'));
  const auto sound = task("protocol: lm-eval\n", "abcdefgh");
  EXPECT_EQ(build(*sound, 4, with_bos()).samples.at(0).facts.at("scored"), 8);
  EXPECT_THAT(sound->protocol(), HasSubstr("BOS once and not scored"));
  EXPECT_THAT(harness->protocol(), HasSubstr("scored behind a second one"));
}

/// A codec to which "</s>" is a token where special tokens are parsed.
class SpecialCodec final : public TextCodec {
 public:
  std::vector<TokenId> encode(std::string_view text) const override { return all_.encode(text); }
  std::vector<TokenSpan> encode_spans(std::string_view text) const override {
    return all_.encode_spans(text);
  }
  std::vector<TokenSpan> encode_plain_spans(std::string_view text) const override {
    return plain_.encode_spans(text);
  }
  std::string decode(std::span<const TokenId> ids) const override { return all_.decode(ids); }
  std::vector<TokenId> window_prefix() const override { return all_.window_prefix(); }
  std::optional<TokenId> end_of_text() const override { return all_.end_of_text(); }
  std::int64_t vocabulary_size() const override { return all_.vocabulary_size(); }

 private:
  PieceCodec all_{{.bos = kFakeBos, .end_of_text = kFakeEnd}, {"</s>"}};
  PieceCodec plain_{{.bos = kFakeBos, .end_of_text = kFakeEnd}};
};

// llama-perplexity tokenises its file with parse_special = false (common_tokenize(ctx, prompt,
// true)): a special token's name in a corpus is text. transformers makes the token of it.
TEST_F(ProtocolTask, LlamaCppTakesSpecialTokensOfACorpusForText) {
  const std::string text = "ab</s>cd";
  const auto tokens_of = [&](const std::string& keys) {
    const auto protocol = task(keys, text);
    std::int64_t tokens = 0;
    const Task::Built built = build(*protocol, 4, SpecialCodec());
    for (const Sample& sample : built.samples) {
      for (const TokenId id : sample.requests.at(0).tokens) tokens += id == test::kFirstPiece;
    }
    return std::pair{tokens, std::ssize(built.samples)};
  };
  EXPECT_EQ(tokens_of("protocol: llama.cpp\n"), std::pair(std::int64_t{0}, std::ptrdiff_t{2}));
  EXPECT_EQ(tokens_of("protocol: llama.cpp-strided\nstride: 2\n").first, 0);
  EXPECT_GT(tokens_of("protocol: hf-strided\nstride: 2\n").first, 0);
  EXPECT_GT(tokens_of("protocol: disjoint\n").first, 0);
}

TEST_F(ProtocolTask, B08TheStridedFormEndsWithItsEstimate) {
  const auto strided = task("protocol: llama.cpp-strided\nstride: 8\n", std::string(100, 'x'));
  const auto metrics =
      strided->aggregate(score(*strided, build(*strided, 16, with_bos()), {2.0}, with_bos()), 1);
  EXPECT_NEAR(metric(metrics, "perplexity"), std::exp(2.0), 1e-12);
  EXPECT_EQ(metric(metrics, "tokens_scored"), 8 * 11);  // ceil((101 - 20) / 8) windows
}

TEST_F(ProtocolTask, B20OneTokenDocumentsAreTargetsBehindBosAndSkippedWithoutIt) {
  const std::string lines = "{\"text\":\"\"}\n{\"text\":\"\\n\"}\n{\"text\":\"abc\"}\n";
  for (const char* const keys :
       {"protocol: lm-eval", "protocol: yarn\nstride: 3", "protocol: yarn\ntruncate: true",
        "protocol: sliding\nstride: 3\ndocuments: separate",
        "protocol: hf-strided\nstride: 3\ndocuments: separate",
        "protocol: alibi-nonoverlap\ndocuments: separate"}) {
    const auto protocol = task(keys, lines, "a.jsonl");
    const auto bos = protocol->aggregate(
        score(*protocol, build(*protocol, 8, with_bos()), {1.0}, with_bos()), 1);
    EXPECT_EQ(metric(bos, "tokens_scored"), 1 + 3) << keys;
    EXPECT_EQ(metric(bos, "documents_skipped"), 1) << keys;
    const auto plain = protocol->aggregate(
        score(*protocol, build(*protocol, 8, PieceCodec()), {1.0}, PieceCodec()), 1);
    EXPECT_EQ(metric(plain, "tokens_scored"), 2) << keys;
    EXPECT_EQ(metric(plain, "documents_skipped"), 2) << keys;
    EXPECT_EQ(metric(plain, "tokens_skipped"), 1) << keys;
    EXPECT_NEAR(metric(plain, "perplexity"), std::exp(1.0), 1e-12) << keys;
  }
}

TEST_F(ProtocolTask, B20AnEmptyDocumentOfAStreamIsCountedAndHasNoSeparator) {
  const auto joined = task("protocol: disjoint\n",
                           "{\"text\":\"abc\"}\n{\"text\":\"\"}\n{\"text\":\"def\"}\n", "a.jsonl");
  const Task::Built built = build(*joined, 7, PieceCodec({.bos = {}, .end_of_text = kFakeEnd}));
  ASSERT_EQ(built.samples.size(), 1U);
  EXPECT_THAT(built.samples[0].requests.at(0).tokens,
              testing::ElementsAre('a', 'b', 'c', kFakeEnd, 'd', 'e', 'f'));
  ASSERT_EQ(built.skipped.size(), 1U);
  EXPECT_EQ(built.skipped[0].reason, "empty: line-2 has no token; the stream leaves it out");
  const auto metrics = joined->aggregate(score(*joined, built, {1.0}, PieceCodec()), 1);
  EXPECT_EQ(metric(metrics, "documents_skipped"), 1);
  EXPECT_EQ(metric(metrics, "tokens_scored"), 6);
  EXPECT_EQ(metric(metrics, "tokens_skipped"), 0);
}

// A token file of NumPy as FoPE's program reads it, through the task: 300 ids of 16 bits (300 in
// them, so that the second byte counts) in chunks of 128, 44 dropped, no BOS, 127 targets each.
TEST_F(ProtocolTask, B22FopeIsExpOfTheMeanLossOfAUint16Stream) {
  std::string npy("\x93NUMPY\x01\x00\x76\x00", 10);
  npy += "{'descr': '<u2', 'fortran_order': False, 'shape': (300,), }";
  npy.resize(127, ' ');
  npy += '\n';
  for (int i = 0; i < 300; ++i)
    npy += i % 3 == 0 ? std::string("\x2c\x01", 2) : std::string("\x07\x00", 2);
  const auto fope = task("protocol: fope\n", npy, "a.npy");
  const PieceCodec codec({.bos = {}, .end_of_text = kFakeEnd}, std::vector<std::string>(43, "xx"));
  const Task::Built built = build(*fope, 128, codec);
  ASSERT_EQ(built.samples.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const Request& request = built.samples[i].requests.at(0);
    ASSERT_EQ(request.tokens.size(), 128U);
    EXPECT_EQ(request.score_from, 1);
    for (std::size_t at = 0; at < 128; ++at)
      EXPECT_EQ(request.tokens[at], (128 * i + at) % 3 == 0 ? 300 : 7);
  }
  const auto metrics = fope->aggregate(score(*fope, built, {1.0, 2.0}, codec), 1);
  EXPECT_NEAR(metric(metrics, "perplexity"), std::exp((127 * 1.0 + 127 * 2.0) / 254), 1e-12);
  EXPECT_EQ(metric(metrics, "tokens_scored"), 254);
  EXPECT_EQ(metric(metrics, "tokens_skipped"), 44);
}

// lm-evaluation-harness issue 2467: figures of different windows were taken for one.
TEST_F(ProtocolTask, B107EveryCellCarriesItsLengthAndEveryProtocolSaysItsWindows) {
  for (const ProtocolEntry& entry : protocols()) {
    const bool has_stride =
        std::find(entry.keys.begin(), entry.keys.end(), "stride") != entry.keys.end();
    const auto protocol =
        task(fmt::format("protocol: {}\n{}", entry.name, has_stride ? "stride: 64\n" : ""), "abc");
    const std::vector<std::int64_t> lengths = {128, 256};
    const auto cells = protocol->cells(lengths);
    ASSERT_EQ(cells.size(), 2U) << entry.name;
    EXPECT_EQ(cells[0].length_tokens, 128);
    EXPECT_EQ(cells[1].length_tokens, 256);
    EXPECT_THAT(protocol->protocol(), HasSubstr("windows")) << entry.name;
  }
}

TEST_F(ProtocolTask, EveryIndexIsKeptIfAsked) {
  const auto nested = task("protocol: nested\npositions: every\n", std::string(64, 'x'));
  const auto scores = score(*nested, build(*nested, 16, with_bos()), {1.0}, with_bos());
  ASSERT_EQ(scores.at(0).position_losses.size(), 15U);
  EXPECT_EQ(scores[0].position_losses[6], (PositionLoss{7, 7, 1.0, 1}));
}

TEST_F(ProtocolTask, OtherNamesOfAProtocolMakeTheSameKeys) {
  const auto hex = [&](const std::string& keys) {
    Fingerprint fingerprint;
    task(keys, "abc")->describe(fingerprint);
    return fingerprint.hex();
  };
  EXPECT_EQ(hex("protocol: fope\n"), hex("protocol: disjoint\n"));
  EXPECT_EQ(hex("protocol: olmo\n"), hex("protocol: disjoint\n"));
  EXPECT_NE(hex("protocol: sliding\nstride: 4\n"), hex("protocol: hf-strided\nstride: 4\n"));
  EXPECT_NE(hex("protocol: sliding\nstride: 4\n"), hex("protocol: sliding\nstride: 5\n"));
  EXPECT_NE(hex("protocol: lm-eval\n"), hex("protocol: alibi-nonoverlap\n"));
  EXPECT_NE(hex("protocol: yarn\n"), hex("protocol: yarn\ntruncate: true\n"));
}

TEST_F(ProtocolTask, WhatDoesNotFitIsRefusedWithWhatToDo) {
  EXPECT_THAT(test::error_message([&] { task("protocol: slidng\n", "abc"); }),
              HasSubstr("did you mean 'sliding'?"));
  EXPECT_THAT(test::error_message([&] { task("protocol: sliding\n", "abc"); }),
              HasSubstr("the protocol needs the key 'stride'"));
  const std::vector<std::int64_t> lengths = {256, 512};
  const auto yarn = task("protocol: yarn\n", "abc");
  EXPECT_THAT(test::error_message([&] { static_cast<void>(yarn->cells(lengths)); }),
              HasSubstr("a stride of 256 must be less than each length"));
  EXPECT_THAT(test::error_message([&] { task("protocol: lm-eval\ndocuments: joined\n", "abc"); }),
              HasSubstr("documents: is of no use to `protocol: lm-eval`"));
  EXPECT_THAT(
      test::error_message([&] { task("protocol: yarn\ntruncate: true\nstride: 2", "abc"); }),
      HasSubstr("stride: is of no use to `truncate: true`"));
}

}  // namespace
}  // namespace yardstick::tasks
