// The BOS policy, with a tokenizer of three tokens: <s> 1, </s> 2, x 3.
#include "models/special_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using models::BosPolicy;
using models::TokenDeclarations;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ThreeTokens final : public tokenizer::Tokenizer {
 public:
  explicit ThreeTokens(Specials specials) : specials_(std::move(specials)) {}
  std::vector<TokenSpan> encode(std::string_view /*text*/) const override { return {}; }
  const Specials& specials() const override { return specials_; }
  std::string decode(std::span<const TokenId> /*ids*/, SpecialTokens /*specials*/) const override {
    return "";
  }
  std::optional<TokenId> id_of(std::string_view token) const override {
    if (token == "<s>") return 1;
    if (token == "</s>") return 2;
    if (token == "x") return 3;
    return std::nullopt;
  }
  std::int64_t size() const override { return 4; }
  std::int64_t model_size() const override { return 4; }
  std::string description() const override { return "three tokens"; }
  std::vector<std::filesystem::path> files() const override { return {}; }

 private:
  Specials specials_;
};

const ThreeTokens kPlain({});
const ThreeTokens kWithTemplate({.before = {1}, .behind = {}});

TokenDeclarations declared(const tokenizer::Tokenizer* tokenizer, nlohmann::json config) {
  return {.model = {{"bos_token_id", 3}, {"eos_token_id", {2, 3}}},
          .model_file = "config.json",
          .tokenizer_config = std::move(config),
          .tokenizer = tokenizer,
          .vocabulary = 4};
}

TEST(Bos, AutoFollowsAddBosToken) {
  const auto on = decide_bos(BosPolicy::kAuto,
                             declared(&kPlain, {{"add_bos_token", true}, {"bos_token", "<s>"}}));
  EXPECT_EQ(on.id, 1);
  EXPECT_THAT(on.reason, HasSubstr("add_bos_token true"));
  const auto off =
      decide_bos(BosPolicy::kAuto, declared(&kWithTemplate, {{"add_bos_token", false}}));
  EXPECT_EQ(off.id, std::nullopt);
  EXPECT_THAT(off.reason, HasSubstr("add_bos_token false"));
}

TEST(Bos, AutoFollowsThePostProcessorOtherwise) {
  EXPECT_EQ(decide_bos(BosPolicy::kAuto, declared(&kWithTemplate, nullptr)).id, 1);
  EXPECT_EQ(decide_bos(BosPolicy::kAuto, declared(&kPlain, nullptr)).id, std::nullopt);
  EXPECT_EQ(decide_bos(BosPolicy::kAuto, declared(nullptr, nullptr)).id, std::nullopt);
}

TEST(Bos, AlwaysAndNeverWin) {
  EXPECT_EQ(decide_bos(BosPolicy::kNever, declared(&kWithTemplate, nullptr)).id, std::nullopt);
  EXPECT_EQ(
      decide_bos(BosPolicy::kAlways, declared(&kPlain, {{"bos_token", {{"content", "<s>"}}}})).id,
      1);
  EXPECT_EQ(decide_bos(BosPolicy::kAlways, declared(nullptr, nullptr)).id, 3);
}

TEST(Bos, AlwaysTakesTheTokenizersOwnWhereNoFileNamesOne) {
  TokenDeclarations own = declared(&kWithTemplate, nullptr);
  own.model = nlohmann::json::object();
  EXPECT_EQ(decide_bos(BosPolicy::kAlways, own).id, 1);
}

TEST(Bos, AddBosTokenMustBeTrueOrFalse) {
  EXPECT_THAT(error_message([] {
                (void)decide_bos(BosPolicy::kAuto, declared(&kPlain, {{"add_bos_token", "yes"}}));
              }),
              HasSubstr("add_bos_token is \"yes\", expected true or false"));
}

TEST(Bos, AWantedBosThatNobodyNamesIsAnError) {
  TokenDeclarations none = declared(&kPlain, nullptr);
  none.model = nlohmann::json::object();
  EXPECT_THAT(error_message([&] { (void)decide_bos(BosPolicy::kAlways, none); }),
              AllOf(HasSubstr("bos: always"), HasSubstr("config.json")));
}

TEST(Bos, ATokenThatTheTokenizerLacksIsAnError) {
  EXPECT_THAT(error_message([] {
                (void)decide_bos(BosPolicy::kAlways, declared(&kPlain, {{"bos_token", "<bos>"}}));
              }),
              AllOf(HasSubstr("'<bos>'"), HasSubstr("tokenizer_config.json")));
}

TEST(Bos, AnIdBeyondTheEmbeddingIsAnError) {
  TokenDeclarations small = declared(&kPlain, {{"add_bos_token", true}, {"bos_token", "<s>"}});
  small.vocabulary = 1;
  EXPECT_THAT(error_message([&] { (void)decide_bos(BosPolicy::kAuto, small); }),
              HasSubstr("1 rows"));
}

TEST(EndOfText, ComesFromTheTokenizerThenTheConfiguration) {
  EXPECT_EQ(end_of_text(declared(&kPlain, {{"eos_token", "</s>"}})), 2);
  EXPECT_EQ(end_of_text(declared(nullptr, nullptr)), 2);
}

}  // namespace
}  // namespace yardstick::test
