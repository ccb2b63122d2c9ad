// What is not supported is refused by name, with the file and the place in it.
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/tokenizer/small.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::tokenizer {
namespace {

using test_support::small_tokenizer;
using test_support::SmallTokenizer;
using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const nlohmann::json& tree) {
  return test::error_message([&] { const SmallTokenizer tokenizer(tree); });
}

nlohmann::json with(const char* key, const nlohmann::json& value) {
  nlohmann::json tree = small_tokenizer({"a"}, {});
  tree[key] = value;
  return tree;
}

TEST(Refusal, NamesUnsupportedComponentsAndWhatIsSupported) {
  EXPECT_THAT(refusal(with("normalizer", {{"type", "Lowercase"}})),
              AllOf(HasSubstr("tokenizer.json: the normalizer 'Lowercase' is not supported"),
                    HasSubstr("NFKC")));
  EXPECT_THAT(refusal(with("pre_tokenizer", {{"type", "BertPreTokenizer"}})),
              HasSubstr("the pre-tokenizer 'BertPreTokenizer' is not supported"));
  EXPECT_THAT(refusal(with("decoder", {{"type", "WordPiece"}})),
              HasSubstr("the decoder 'WordPiece' is not supported"));
  EXPECT_THAT(refusal(with("post_processor", {{"type", "BertProcessing"}})),
              HasSubstr("the post-processor 'BertProcessing' is not supported"));
}

TEST(Refusal, NamesUnsupportedModelsAndOptions) {
  nlohmann::json tree = small_tokenizer({"a"}, {});
  tree["model"]["dropout"] = 0.1;
  EXPECT_THAT(refusal(tree), HasSubstr("dropout: is not supported"));
  tree["model"]["dropout"] = nullptr;
  tree["model"]["end_of_word_suffix"] = "</w>";
  EXPECT_THAT(refusal(tree), HasSubstr("end_of_word_suffix: is not supported"));
  tree["model"] = {{"type", "WordPiece"}, {"vocab", nlohmann::json::object()}};
  EXPECT_THAT(refusal(tree),
              HasSubstr("the model 'WordPiece' is not supported; supported are BPE"));
}

TEST(Refusal, UnknownKeysAreErrors) {
  EXPECT_THAT(refusal(with("normalizer", {{"type", "NFC"}, {"strength", 1}})),
              HasSubstr("unknown key 'strength'"));
  EXPECT_THAT(refusal(with("normaliser", nullptr)), HasSubstr("did you mean 'normalizer'?"));
}

TEST(Refusal, PatternsThatCouldMatchDifferentlyAreNamed) {
  const auto split = [](const char* pattern) {
    return with("pre_tokenizer", {{"type", "Split"},
                                  {"pattern", {{"Regex", pattern}}},
                                  {"behavior", "Isolated"},
                                  {"invert", false}});
  };
  EXPECT_THAT(refusal(split("\\bword")), HasSubstr("uses '\\b' at byte 0"));
  EXPECT_THAT(refusal(split("[a&&b]")), HasSubstr("uses '&&' inside a list at byte 2"));
  EXPECT_THAT(refusal(split("\\p{N}{1,3}+")), HasSubstr("'+' or '?' behind '}'"));
  EXPECT_THAT(refusal(split("(?m).")), HasSubstr("the group '(?m)'"));
  EXPECT_THAT(refusal(split("(a")), HasSubstr("does not compile"));
}

TEST(Refusal, StepsBehindByteLevelAreNotSupported) {
  EXPECT_THAT(refusal(with("pre_tokenizer",
                           {{"type", "Sequence"},
                            {"pretokenizers", {{{"type", "ByteLevel"}}, {{"type", "Digits"}}}}})),
              HasSubstr("stands behind ByteLevel"));
}

TEST(Refusal, TemplateTokensMustExist) {
  const nlohmann::json processor = {
      {"type", "TemplateProcessing"},
      {"single",
       {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}},
        {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
      {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {9}}, {"tokens", {"<s>"}}}}}}};
  EXPECT_THAT(refusal(with("post_processor", processor)), HasSubstr("no token has the id 9"));
}

TEST(Refusal, AMissingFileIsNamed) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(test::error_message([&] { static_cast<void>(open_tokenizer(folder.path())); }),
              HasSubstr("no tokenizer found; expected tokenizer.json"));
}

}  // namespace
}  // namespace yardstick::tokenizer
