// Where a context ends and its continuation begins, with the tokenizers that the published bugs
// were found with.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/text_codec.hpp"
#include "tasks/data/continuation.hpp"
#include "tasks/data/jsonl.hpp"
#include "tasks/needle/haystack.hpp"
#include "tests/support/shared.hpp"
#include "tests/tasks/fake_codec.hpp"
#include "tests/tasks/make.hpp"

namespace yardstick::tasks {
namespace {

using Tokens = std::vector<TokenId>;

// The codec of a tokenizer file, by default without BOS so that ids can be compared with plain
// encodings.
class RealTokenizer {
 public:
  explicit RealTokenizer(const std::string& file, std::optional<TokenId> bos = std::nullopt)
      : tokenizer_(tokenizer::open_tokenizer(test::shared_path("data/tokenizers") / file)),
        codec_(models::make_codec({.tokenizer = tokenizer_.get(),
                                   .folder = file,
                                   .bos = bos,
                                   .end_of_text = 0,
                                   .vocabulary = tokenizer_->size()})) {}

  [[nodiscard]] const TextCodec& codec() const { return *codec_; }

 private:
  std::unique_ptr<const tokenizer::Tokenizer> tokenizer_;
  std::unique_ptr<const TextCodec> codec_;
};

Tokens scored(const Request& request) {
  return {request.tokens.begin() + request.score_from, request.tokens.end()};
}

Tokens scored(std::string_view context, std::string_view continuation, Boundary boundary,
              const TextCodec& codec) {
  return scored(continuation_request(context, continuation, boundary, codec).value());
}

// What lm-evaluation-harness scores: trailing white space of the context goes to the continuation,
// and the continuation's ids are those of the whole behind as many as the context has alone.
Tokens scored_by_lm_eval(std::string context, std::string continuation, const TextCodec& codec) {
  const std::size_t end = context.find_last_not_of(" \n") + 1;
  continuation.insert(0, context.substr(end));
  context.resize(end);
  Tokens whole = codec.encode(context + continuation);
  whole.erase(whole.begin(),
              whole.begin() + std::min(std::ssize(codec.encode(context)), std::ssize(whole)));
  return whole;
}

// lm-evaluation-harness issue 4055: a token that spans the border left nothing to score.
TEST(Boundary, B23AMergeAcrossTheBorderIsScored) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const RealTokenizer pythia("gpt-neox-20b/tokenizer.json");
  const TextCodec& codec = pythia.codec();
  for (const auto& [context, continuation] :
       {std::pair("Ans", "wer"), std::pair("hello wor", "ld")}) {
    EXPECT_TRUE(scored_by_lm_eval(context, continuation, codec).empty());
    const Tokens tokens = scored(context, continuation, Boundary::kJoint, codec);
    ASSERT_EQ(tokens.size(), 1U) << context;
    EXPECT_EQ(tokens.back(), codec.encode(std::string(context) + continuation).back());
  }
}

// lm-evaluation-harness issue 1053: a vocabulary with a token ": C".
TEST(Boundary, B24AContinuationInsideAMergedTokenIsScored) {
  const test::PieceCodec codec({}, {": C"});
  EXPECT_EQ(scored("Answer:", " C", Boundary::kJoint, codec), Tokens{test::kFirstPiece});
  EXPECT_EQ(scored("Answer:", " C", Boundary::kSeparate, codec), (Tokens{' ', 'C'}));
}

// llama.cpp issue 2805, lm-evaluation-harness issue 531: encoded alone, a continuation that begins
// with a blank gets a blank's token of its own (29871) in front.
TEST(Boundary, B25ABlankIsPartOfTheContinuationsFirstToken) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const RealTokenizer llama("llama2/tokenizer.json");
  const Tokens together =
      scored("Question: is it?\nAnswer:", " yes", Boundary::kJoint, llama.codec());
  const Tokens apart =
      scored("Question: is it?\nAnswer:", " yes", Boundary::kSeparate, llama.codec());
  ASSERT_EQ(together.size(), 1U);
  EXPECT_EQ(apart, (Tokens{29871, together.front()}));
}

TEST(Boundary, JointIsWhatLmEvaluationHarnessScoresOnItsOwnTasks) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  for (const char* const file : {"gpt-neox-20b/tokenizer.json", "llama2/tokenizer.json"}) {
    const RealTokenizer tokenizer(file);
    const TextCodec& codec = tokenizer.codec();
    std::int64_t compared = 0;
    std::int64_t apart = 0;
    for (const char* const task : {"arc_easy", "openbookqa"}) {
      for_each_json_line(
          test::shared_path("golden/lmeval_stored") / (std::string(task) + ".jsonl.gz"),
          [&](std::int64_t line, nlohmann::ordered_json&& record) {
            const auto context = record.at("ctx").get<std::string>();
            for (const auto& choice : record.at("cont")) {
              const auto continuation = choice.get<std::string>();
              EXPECT_EQ(scored(context, continuation, Boundary::kJoint, codec),
                        scored_by_lm_eval(context, continuation, codec))
                  << context << continuation;
              // The blank may as well end the context: the common prefix goes back before it,
              // unless it is a token of its own, which stays in the context here (below).
              const Tokens ours =
                  scored(context + " ", continuation.substr(1), Boundary::kJoint, codec);
              const Tokens theirs = scored_by_lm_eval(context + " ", continuation.substr(1), codec);
              const bool is_blank_apart = theirs.size() == ours.size() + 1;
              apart += is_blank_apart ? 1 : 0;
              EXPECT_EQ(ours, Tokens(theirs.begin() + (is_blank_apart ? 1 : 0), theirs.end()))
                  << context << continuation;
              ++compared;
            }
            return line < 200 ? Proceed::kNext : Proceed::kStop;
          });
    }
    EXPECT_GT(compared, 1500);
    EXPECT_LT(apart, compared / 50);
  }
}

// Llama's digits stand alone, so a blank before them is a token of its own: at a context's end it
// stays in the context here, and lm-evaluation-harness scores it.
TEST(Boundary, JointLeavesABlankThatDoesNotMergeToTheContext) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const RealTokenizer llama("llama2/tokenizer.json");
  EXPECT_EQ(scored("How many? ", "13", Boundary::kJoint, llama.codec()), (Tokens{29896, 29941}));
  EXPECT_EQ(scored_by_lm_eval("How many? ", "13", llama.codec()), (Tokens{29871, 29896, 29941}));
}

// lighteval issue 1264: with GPT-2 the blank that ends the context is scored, in the token " 7", so
// its byte counts.
TEST(Boundary, B18BytesAreThoseOfTheScoredTokens) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto bytes = [](const std::string& file, std::string_view context,
                        std::string_view continuation) {
    const RealTokenizer tokenizer(file);
    const Tokens tokens = tokenizer.codec().encode(context);
    return scored_continuation(EncodedContext{.text = context, .tokens = tokens}, continuation,
                               Boundary::kJoint, tokenizer.codec())
        .value()
        .bytes;
  };
  EXPECT_EQ(bytes("gpt2/tokenizer.json", "Answer: ", "7"), 2);
  EXPECT_EQ(bytes("gpt2/tokenizer.json", "Answer:", " 7"), 2);
  EXPECT_EQ(bytes("gpt-neox-20b/tokenizer.json", "Ans", "wer"), 6);  // one token
  EXPECT_EQ(bytes("llama2/tokenizer.json", "Answer: ", "7"), 1);     // the blank is a token
  EXPECT_EQ(bytes("llama2/tokenizer.json", "Answer:", " yes"), 4);
}

// nanochat issue 693: id 222 of GPT-2 is the byte 0x80 alone, which decodes to U+FFFD of three
// bytes; U+2000 (E2 80 80) is 447, 222. Sizes are of the source, not of decoded tokens.
TEST(Boundary, B16BytesOfTokensAddUpToTheText) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const RealTokenizer gpt2("gpt2/tokenizer.json");
  const TextCodec& codec = gpt2.codec();
  EXPECT_EQ(codec.encode("\u2000"), (Tokens{447, 222}));
  EXPECT_EQ(codec.decode(Tokens{222}), "\uFFFD");
  for (const std::string text : {"\u2000", "i love borzois! \U0001F436"}) {
    std::int64_t bytes = 0;
    for (const TokenSpan& span : codec.encode_spans(text)) bytes += span.end - span.begin;
    EXPECT_EQ(bytes, std::ssize(text));
  }
}

struct Bos {
  std::string file;
  TokenId id;
};

// gkamradt's needle issue 57: a needle was encoded with special tokens, which then stood in the
// text.
TEST(Boundary, B29bPiecesHaveNoSpecialTokensAndThePromptComesBack) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto task = test::task_from(
      "kind: niah\nneedle: \"The key of {{key}} is {{value}}.\"\nquestion: \"And {{key}}?\"\n"
      "answer: \"{{value}}\"\nstart: beginning\ndepths: [0]\nsamples: 2\n");
  std::string noise;
  for (int i = 0; i < 40; ++i) noise += std::string(kNoiseLine) + " ";
  for (const Bos& bos : {Bos{"gpt2/tokenizer.json", 50256}, Bos{"gpt-neox-20b/tokenizer.json", 0},
                         Bos{"llama2/tokenizer.json", 1}}) {
    SCOPED_TRACE(bos.file);
    const RealTokenizer tokenizer(bos.file, bos.id);
    const TextCodec& codec = tokenizer.codec();
    for (const Unit& word : split_words(kNoiseLine, "noise")) {
      const Tokens ids = codec.encode(word.body);
      EXPECT_EQ(std::count(ids.begin(), ids.end(), bos.id), 0);
      EXPECT_EQ(codec.decode(ids), word.body);
    }
    const CellAxes cell{.length_tokens = 256, .depth = 0, .variant = ""};
    const Task::Built built = task->build(cell, {.codec = codec, .seed = 1, .subset = {}});
    ASSERT_EQ(built.samples.size(), 2U);
    for (const Sample& sample : built.samples) {
      const Tokens& ids = sample.requests.at(0).tokens;
      EXPECT_EQ(ids.front(), bos.id);
      EXPECT_EQ(std::count(ids.begin(), ids.end(), bos.id), 1);
      const Tokens body(ids.begin() + 1, ids.end());
      const std::string text = codec.decode(body);
      EXPECT_EQ(codec.encode(text), body);
      const auto value = sample.facts.at("answers")[0].get<std::string>();
      const std::size_t end = text.find(" is " + value + ". ");
      ASSERT_NE(end, std::string::npos) << text;
      const std::string key = text.substr(11, end - 11);  // behind "The key of "
      const std::string needle = "The key of " + key + " is " + value + ". ";
      const std::string tail = "\n\nQuestion: And " + key + "?\nAnswer:";
      ASSERT_GT(text.size(), needle.size() + tail.size());
      EXPECT_EQ(text, needle + noise.substr(0, text.size() - needle.size() - tail.size()) + tail);
    }
  }
}

}  // namespace
}  // namespace yardstick::tasks
