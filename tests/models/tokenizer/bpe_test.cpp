// The BPE model on vocabularies small enough to merge by hand, and on texts long enough to show a
// quadratic loop.
#include <string>

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

TEST(Bpe, LowestRankMergesFirstAndLeftmostAmongEquals) {
  const SmallTokenizer tokenizer(small_tokenizer({"a", "b", "bb", "ab"}, {"b b", "a b"}));
  EXPECT_THAT(tokenizer.ids("abb"), ElementsAre(0, 2));      // "b b" has rank 0
  EXPECT_THAT(tokenizer.ids("abbb"), ElementsAre(0, 2, 1));  // the left "b b" of two
}

TEST(Bpe, PairsAndTextsOfMergesMeanTheSame) {
  nlohmann::json tree = small_tokenizer({"a", "b", "ab"}, {});
  tree["model"]["merges"] = nlohmann::json::array({nlohmann::json::array({"a", "b"})});
  EXPECT_THAT(SmallTokenizer(tree).ids("ab"), ElementsAre(2));
}

TEST(Bpe, IgnoreMergesTakesWholeWordsFromTheVocabulary) {
  nlohmann::json tree = small_tokenizer({"a", "b", "ab"}, {});
  EXPECT_THAT(SmallTokenizer(tree).ids("ab"), ElementsAre(0, 1));
  tree["model"]["ignore_merges"] = true;
  EXPECT_THAT(SmallTokenizer(tree).ids("ab"), ElementsAre(2));
}

TEST(Bpe, UnknownCharactersFuseOnlyWhenAsked) {
  nlohmann::json tree = small_tokenizer({"<unk>", "a"}, {});
  tree["model"]["unk_token"] = "<unk>";
  EXPECT_THAT(SmallTokenizer(tree).ids("xya"), ElementsAre(0, 0, 1));
  tree["model"]["fuse_unk"] = true;
  const SmallTokenizer fused(tree);
  EXPECT_THAT(fused->encode("xé"
                            "a"),
              ElementsAre(TokenSpan{0, 0, 3}, TokenSpan{1, 3, 4}));
}

TEST(Bpe, CharacterWithoutTokenIsAnErrorIfNoneIsUnknown) {
  const SmallTokenizer tokenizer(small_tokenizer({"a"}, {}));
  EXPECT_THAT(test::error_message([&] { static_cast<void>(tokenizer->encode("aé")); }),
              HasSubstr("'é' has no token"));
}

TEST(Bpe, MergeOfAMissingTokenIsRefused) {
  EXPECT_THAT(test::error_message([] {
                const SmallTokenizer t(small_tokenizer({"a", "b"}, {"a b"}));
              }),
              HasSubstr("merge 0 ('a' + 'b') needs the token 'ab'"));
}

TEST(Bpe, OneIdForTwoTokensIsRefused) {
  nlohmann::json tree = small_tokenizer({"a", "b"}, {});
  tree["model"]["vocab"]["b"] = 0;
  EXPECT_THAT(test::error_message([&] { const SmallTokenizer t(tree); }),
              HasSubstr("id 0 stands for both 'a' and 'b'"));
}

TEST(Bpe, HugeIdsAreRefusedBeforeATableIsMade) {
  nlohmann::json tree = small_tokenizer({"a"}, {});
  tree["model"]["vocab"]["b"] = 4000000000;
  EXPECT_THAT(test::error_message([&] { const SmallTokenizer t(tree); }),
              HasSubstr("the id of 'b' is 4000000000"));
}

TEST(Bpe, ByteFallbackNeedsAllBytes) {
  nlohmann::json tree = small_tokenizer({"a", "<0x00>"}, {});
  tree["model"]["byte_fallback"] = true;
  EXPECT_THAT(test::error_message([&] { const SmallTokenizer t(tree); }),
              HasSubstr("the byte token '<0x01>' is missing"));
}

// "x ▁" has the lowest rank, so words must not be merged one by one here.
TEST(Bpe, MergesAcrossWordsAreKept) {
  const SmallTokenizer crossing(small_tokenizer({"x", "▁", "x▁", "▁x"}, {"x ▁", "▁ x"}));
  EXPECT_THAT(crossing.ids("x▁x"), ElementsAre(2, 0));
  const SmallTokenizer within(small_tokenizer({"x", "▁", "▁▁", "▁x"}, {"▁ x", "▁ ▁"}));
  EXPECT_THAT(within.ids("x▁▁x▁x"), ElementsAre(0, 1, 3, 3));
}

// Merges of a run form a tree of depth log n; a loop over the whole word for each merge would take
// hours here.
TEST(Bpe, AMillionEqualCharactersMergeInTime) {
  const SmallTokenizer tokenizer(
      small_tokenizer({"a", "aa", "aaaa", "aaaaaaaa"}, {"a a", "aa aa", "aaaa aaaa"}));
  const std::vector<TokenId> ids = tokenizer.ids(std::string(1'000'000, 'a'));
  EXPECT_EQ(ids, std::vector<TokenId>(125'000, 3));
}

}  // namespace
}  // namespace yardstick::tokenizer
