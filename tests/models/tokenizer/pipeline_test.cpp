// Added tokens, normalizers, pre-tokenizers and byte ranges, on tokenizers made for each claim.
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/tokenizer/small.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::tokenizer {
namespace {

using test_support::added_token;
using test_support::small_tokenizer;
using test_support::SmallTokenizer;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(AddedTokens, TheLongestOfTheLeftmostMatchesWins) {
  nlohmann::json tree = small_tokenizer({"a", "b", "c"}, {});
  tree["added_tokens"] = {added_token("ab", 3), added_token("abc", 4), added_token("bc", 5)};
  EXPECT_THAT(SmallTokenizer(tree).ids("aabcbc"), ElementsAre(0, 4, 5));
}

TEST(AddedTokens, StripTakesWhiteSpaceBesideTheMatch) {
  nlohmann::json tree = small_tokenizer({"a", " "}, {});
  tree["added_tokens"] = {added_token("<m>", 2)};
  tree["added_tokens"][0]["lstrip"] = true;
  tree["added_tokens"][0]["rstrip"] = true;
  const SmallTokenizer tokenizer(tree);
  EXPECT_THAT(tokenizer->encode("a  <m> \u3000a"),
              ElementsAre(TokenSpan{0, 0, 1}, TokenSpan{2, 1, 10}, TokenSpan{0, 10, 11}));
}

TEST(AddedTokens, SingleWordStandsAlone) {
  nlohmann::json tree = small_tokenizer({"a", "n", "é", " "}, {});
  tree["added_tokens"] = {added_token("an", 4)};
  tree["added_tokens"][0]["single_word"] = true;
  const SmallTokenizer tokenizer(tree);
  EXPECT_THAT(tokenizer.ids("an a"), ElementsAre(4, 3, 0));
  EXPECT_THAT(tokenizer.ids("éan"), ElementsAre(2, 0, 1));
}

TEST(AddedTokens, NormalizedOnesAreSoughtInNormalizedText) {
  nlohmann::json tree = small_tokenizer({"▁", "a"}, {});
  tree["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}};
  tree["added_tokens"] = {added_token(" a", 2)};
  EXPECT_THAT(SmallTokenizer(tree).ids("a a▁a"), ElementsAre(1, 2, 0, 1));
  tree["added_tokens"][0]["normalized"] = true;
  EXPECT_THAT(SmallTokenizer(tree).ids("a a▁a"), ElementsAre(1, 2, 2));
}

TEST(AddedTokens, AnIdOfAnotherTokenIsRefused) {
  nlohmann::json tree = small_tokenizer({"a"}, {});
  tree["added_tokens"] = {added_token("<s>", 0)};
  EXPECT_THAT(test::error_message([&] { const SmallTokenizer t(tree); }),
              HasSubstr("added token '<s>' has id 0, which belongs to 'a'"));
}

TEST(Spans, ComposedCharactersKeepTheirSourceBytes) {
  nlohmann::json tree = small_tokenizer({"é", "x", "각"}, {});
  tree["normalizer"] = {{"type", "NFC"}};
  // e + U+0301 (3 bytes), x, and the three jamo of one Hangul syllable (9 bytes).
  const SmallTokenizer tokenizer(tree);
  EXPECT_THAT(tokenizer->encode("e\u0301x\u1100\u1161\u11A8"),
              ElementsAre(TokenSpan{0, 0, 3}, TokenSpan{1, 3, 4}, TokenSpan{2, 4, 13}));
}

TEST(Spans, DecomposedCharactersGiveTheirBytesToTheFirst) {
  nlohmann::json tree = small_tokenizer({"e", "\u0301", "x"}, {});
  tree["normalizer"] = {{"type", "NFD"}};
  EXPECT_THAT(SmallTokenizer(tree)->encode("\u00E9x"),
              ElementsAre(TokenSpan{0, 0, 2}, TokenSpan{1, 2, 2}, TokenSpan{2, 2, 3}));
}

TEST(Normalizer, CompatibilityFormsFoldLigaturesAndWidth) {
  nlohmann::json tree = small_tokenizer({"f", "i", "か", "が", "A", "ガ"}, {});
  tree["normalizer"] = {{"type", "NFKC"}};
  // U+FB01, full-width A, half-width ka with its voiced sound mark (UAX 15, figure 6).
  EXPECT_THAT(SmallTokenizer(tree).ids("\uFB01\uFF21\uFF76\uFF9E"), ElementsAre(0, 1, 4, 5));
}

TEST(PreTokenizer, SplitBehavioursPutTheDelimiterWhereTheySay) {
  nlohmann::json tree = small_tokenizer({"a", "-", "a-", "-a", "--"}, {"a -", "- a", "- -"});
  const auto ids = [&](const char* behavior) {
    tree["pre_tokenizer"] = {{"type", "Split"},
                             {"pattern", {{"String", "-"}}},
                             {"behavior", behavior},
                             {"invert", false}};
    return SmallTokenizer(tree).ids("a--a");
  };
  EXPECT_THAT(ids("Removed"), ElementsAre(0, 0));
  EXPECT_THAT(ids("Isolated"), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(ids("MergedWithPrevious"), ElementsAre(2, 1, 0));
  EXPECT_THAT(ids("MergedWithNext"), ElementsAre(0, 1, 3));
  EXPECT_THAT(ids("Contiguous"), ElementsAre(0, 4, 0));
}

TEST(PreTokenizer, MongolianVowelSeparatorIsNoWhiteSpace) {
  nlohmann::json tree = small_tokenizer({"a", "\u180E", "\u2003"}, {});
  tree["pre_tokenizer"] = {{"type", "Split"},
                           {"pattern", {{"Regex", "\\s"}}},
                           {"behavior", "Removed"},
                           {"invert", false}};
  EXPECT_THAT(SmallTokenizer(tree).ids("a\u180E\u2003a"), ElementsAre(0, 1, 0));
}

TEST(PreTokenizer, MetaspaceSplitsInFrontOfEachSpace) {
  nlohmann::json tree = small_tokenizer({"▁", "a", "▁a", "a▁"}, {"a ▁", "▁ a"});
  tree["pre_tokenizer"] = {
      {"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}};
  tree["decoder"] = tree["pre_tokenizer"];
  const SmallTokenizer tokenizer(tree);
  EXPECT_THAT(tokenizer->encode("a a"), ElementsAre(TokenSpan{2, 0, 1}, TokenSpan{2, 1, 3}));
  EXPECT_EQ(tokenizer->decode(tokenizer.ids("a a"), Tokenizer::SpecialTokens::kKeep), "a a");
}

TEST(Encode, B29cInvalidUtf8IsRefusedWithItsByte) {
  const SmallTokenizer tokenizer(small_tokenizer({"a"}, {}));
  EXPECT_THAT(test::error_message([&] { static_cast<void>(tokenizer->encode("aa\xED\xA0\x80")); }),
              HasSubstr("not valid UTF-8 at byte 2 (0xed)"));
}

// Forty times a -> aa would make 2^40 bytes of one.
TEST(Encode, RulesCannotMultiplyATextWithoutEnd) {
  nlohmann::json tree = small_tokenizer({"a"}, {});
  nlohmann::json steps = nlohmann::json::array();
  for (int i = 0; i < 40; ++i)
    steps.push_back({{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}});
  tree["normalizer"] = {{"type", "Sequence"}, {"normalizers", steps}};
  const SmallTokenizer tokenizer(tree);
  EXPECT_THAT(test::error_message([&] { static_cast<void>(tokenizer->encode("aaaa")); }),
              HasSubstr("more than 320 bytes of a text of 4"));
  tree["normalizer"] = {{"type", "Sequence"},
                        {"normalizers", {steps[0], steps[0], steps[0], steps[0], steps[0]}}};
  EXPECT_EQ(SmallTokenizer(tree).ids("aaaa").size(), 128U);  // 2^5 times is allowed
}

TEST(Decode, RulesCannotMultiplyATextWithoutEnd) {
  nlohmann::json tree = small_tokenizer({"a"}, {});
  nlohmann::json steps = nlohmann::json::array();
  for (int i = 0; i < 40; ++i)
    steps.push_back({{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}});
  tree["decoder"] = {{"type", "Sequence"}, {"decoders", steps}};
  const SmallTokenizer tokenizer(tree);
  EXPECT_THAT(test::error_message([&] {
                static_cast<void>(
                    tokenizer->decode(std::vector<TokenId>{0, 0}, Tokenizer::SpecialTokens::kKeep));
              }),
              HasSubstr("more than 192 bytes"));
}

// transformers turns both off when it encodes for a model; nothing is cut there either.
TEST(Encode, TruncationAndPaddingAreIgnoredWithANote) {
  nlohmann::json tree = small_tokenizer({"a"}, {});
  tree["truncation"] = {{"direction", "Right"}, {"max_length", 4}, {"stride", 0}};
  tree["padding"] = {{"strategy", {{"Fixed", 64}}}, {"pad_id", 0}};
  const SmallTokenizer tokenizer(tree);
  EXPECT_EQ(tokenizer.ids("aaaaaaaa").size(), 8U);
  EXPECT_THAT(tokenizer->notes(),
              ElementsAre(HasSubstr("sets truncation"), HasSubstr("sets padding")));
}

TEST(Decode, AnIdWithoutTokenShowsAsReplacementCharacter) {
  const SmallTokenizer tokenizer(small_tokenizer({"a"}, {}));
  EXPECT_EQ(tokenizer->decode(std::vector<TokenId>{0, 7, -1}, Tokenizer::SpecialTokens::kKeep),
            "a\uFFFD\uFFFD");
}

// Working memory is kept from call to call; no text may see that.
TEST(Encode, TextsComeOutTheSameBehindAndBesideOthers) {
  const nlohmann::json tree = small_tokenizer({"a", "b", "c", "ab", "abc"}, {"a b", "ab c"});
  const std::vector<std::string> texts = {"abcab", "abab", "c", "abcabcabc", "bca", "", "aabbcc"};
  std::vector<std::vector<TokenId>> alone;
  for (const std::string& text : texts) alone.push_back(SmallTokenizer(tree).ids(text));
  const SmallTokenizer shared(tree);
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 4; ++first) {
    threads.emplace_back([&, first] {
      for (std::size_t i = first; i < first + 700; ++i) {
        const std::size_t which = i % texts.size();
        EXPECT_EQ(shared.ids(texts[which]), alone[which]) << texts[which];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace yardstick::tokenizer
