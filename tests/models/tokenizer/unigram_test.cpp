// Unigram models of tokenizer.json; ids as tokenizers 0.23 gives them for the same files.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/tokenizer/small.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::tokenizer {
namespace {

using test_support::small_tokenizer;
using test_support::SmallTokenizer;
using testing::ElementsAre;
using testing::HasSubstr;

nlohmann::json unigram() {
  nlohmann::json tree = small_tokenizer({}, {});
  tree["normalizer"] = {{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}};
  tree["pre_tokenizer"] = {
      {"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}, {"split", true}};
  tree["decoder"] = tree["pre_tokenizer"];
  tree["model"] = {{"type", "Unigram"}, {"unk_id", 0}};
  const std::vector<std::pair<const char*, double>> pieces = {
      {"<unk>", 0.0}, {"▁", -3.0},  {"a", -2.5},  {"b", -2.5},
      {"ab", -3.5},   {"▁a", -3.0}, {"ba", -3.25}};
  for (const auto& [piece, score] : pieces) tree["model"]["vocab"].push_back({piece, score});
  return tree;
}

TEST(Unigram, TheBestSumOfScoresWins) {
  const SmallTokenizer tokenizer(unigram());
  EXPECT_THAT(tokenizer.ids("aba"), ElementsAre(5, 6));
  EXPECT_THAT(tokenizer.ids("abab  ba"), ElementsAre(5, 6, 3, 1, 1, 6));
  EXPECT_THAT(tokenizer.ids("  bab "), ElementsAre(1, 6, 3));
  EXPECT_EQ(tokenizer->decode(tokenizer.ids("abab  ba"), Tokenizer::SpecialTokens::kKeep),
            "abab  ba");
  EXPECT_EQ(tokenizer->description(), "Unigram, 7 tokens");
}

TEST(Unigram, UnknownNeighboursAreOneToken) {
  const SmallTokenizer tokenizer(unigram());
  EXPECT_THAT(tokenizer->encode("cdab"),
              ElementsAre(TokenSpan{1, 0, 0}, TokenSpan{0, 0, 2}, TokenSpan{4, 2, 4}));
}

TEST(Unigram, UnknownCharactersFallBackOnBytes) {
  nlohmann::json tree = unigram();
  tree["model"]["byte_fallback"] = true;
  for (int byte = 0; byte < 256; ++byte)
    tree["model"]["vocab"].push_back({fmt::format("<0x{:02X}>", byte), -9.0});
  const SmallTokenizer tokenizer(tree);
  EXPECT_THAT(tokenizer.ids("aéb"), ElementsAre(5, 202, 176, 3));
  EXPECT_THAT(tokenizer.ids("<unk>"), ElementsAre(1, 0));
  EXPECT_THAT(tokenizer.ids("<unk>c"), ElementsAre(1, 67, 124, 117, 114, 69, 106));
}

TEST(Unigram, WhatIsWrongIsNamed) {
  const auto problem = [](const nlohmann::json& tree) {
    return test::error_message([&] { const SmallTokenizer tokenizer(tree); });
  };
  nlohmann::json tree = unigram();
  tree["model"]["unk_id"] = 7;
  EXPECT_THAT(problem(tree), HasSubstr("unk_id: found 7, expected a whole number from 0 to 6"));
  tree = unigram();
  tree["model"]["vocab"][3] = nlohmann::json::array({"b"});
  EXPECT_THAT(problem(tree), HasSubstr("model.vocab: entry 3 is [\"b\"], expected [piece, score]"));
  tree["model"]["vocab"][3] = {"a", -1.0};
  EXPECT_THAT(problem(tree), HasSubstr("the token 'a' has two ids, 2 and 3"));
  tree["model"]["vocab"][3] = {"", -1.0};
  EXPECT_THAT(problem(tree), HasSubstr("piece 3 is empty"));
  tree = unigram();
  tree["model"]["byte_fallback"] = true;
  EXPECT_THAT(problem(tree), HasSubstr("the byte token '<0x00>' is missing"));
  tree = unigram();
  tree["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", "!"}};
  EXPECT_THAT(problem(tree), HasSubstr("precompiled_charsmap: is no base64"));
  tree["normalizer"]["precompiled_charsmap"] = "/////w==";
  EXPECT_THAT(problem(tree), HasSubstr("normalization rules are damaged"));
}

TEST(Unigram, ACharacterWithoutTokenIsAnErrorWhereNoneStandsForIt) {
  nlohmann::json tree = unigram();
  tree["model"].erase("unk_id");
  const SmallTokenizer tokenizer(tree);
  EXPECT_THAT(test::error_message([&] { static_cast<void>(tokenizer->encode("ac")); }),
              HasSubstr("'c' has no token in this tokenizer"));
}

}  // namespace
}  // namespace yardstick::tokenizer
