// Where a context ends and its continuation begins, with the tokenizers that the published bugs
// were found with.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/text_codec.hpp"
#include "tasks/data/continuation.hpp"
#include "tasks/data/jsonl.hpp"
#include "tests/support/shared.hpp"
#include "tests/tasks/fake_codec.hpp"

namespace yardstick::tasks {
namespace {

using Tokens = std::vector<TokenId>;

// The codec of a tokenizer file, without BOS so that ids can be compared with plain encodings.
class RealTokenizer {
 public:
  explicit RealTokenizer(const std::string& file)
      : tokenizer_(tokenizer::open_tokenizer(test::shared_path("data/tokenizers") / file)),
        codec_(models::make_codec({.tokenizer = tokenizer_.get(),
                                   .folder = file,
                                   .bos = {},
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

}  // namespace
}  // namespace yardstick::tasks
