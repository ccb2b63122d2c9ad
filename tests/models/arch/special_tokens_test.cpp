// The BOS policy, with a tokenizer of three tokens: <s> 1, </s> 2, x 3.
#include "models/special_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {
namespace {

using models::BosPolicy;
using models::TokenDeclarations;
using ::testing::AllOf;
using ::testing::ElementsAre;
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
constexpr auto kPostProcessor = tokenizer::Tokenizer::Specials::Origin::kPostProcessor;
const ThreeTokens kJsonPlain({.before = {}, .behind = {}, .origin = kPostProcessor});
const ThreeTokens kJsonWithTemplate({.before = {1}, .behind = {}, .origin = kPostProcessor});

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

// What AutoTokenizer of transformers 5.12.1 puts before a text for a tokenizer.json, whichever
// add_bos_token stands beside it (30 combinations of class, template and flag were measured).
TEST(Bos, ThePostProcessorOfATokenizerJsonDecides) {
  for (const nlohmann::json& says :
       {nlohmann::json(), nlohmann::json(true), nlohmann::json(false)}) {
    const nlohmann::json config = {{"add_bos_token", says}, {"bos_token", "<s>"}};
    const auto with = decide_bos(BosPolicy::kAuto, declared(&kJsonWithTemplate, config));
    EXPECT_EQ(with.id, 1) << says;
    EXPECT_EQ(with.note.empty(), says != false) << with.note;
    const auto without = decide_bos(BosPolicy::kAuto, declared(&kJsonPlain, config));
    EXPECT_EQ(without.id, std::nullopt) << says;
    EXPECT_EQ(without.note.empty(), says != true) << without.note;
  }
  const auto overruled =
      decide_bos(BosPolicy::kAuto, declared(&kJsonWithTemplate, {{"add_bos_token", false}}));
  EXPECT_THAT(overruled.note, AllOf(HasSubstr("add_bos_token false"), HasSubstr("puts BOS 1"),
                                    HasSubstr("bos: never")));
}

// The same with files: 5 classes, with and without a template, 3 flags. transformers 5.12.1 puts
// BOS in front exactly where the template does.
TEST(Bos, NeitherClassNorFlagOverrulesATemplate) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const nlohmann::json& tree) {
    write_file_atomically(folder / name, tree.dump());
  };
  const nlohmann::json bos = {{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}};
  const nlohmann::json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const nlohmann::json with_bos = {
      {"type", "TemplateProcessing"},
      {"single", {bos, text}},
      {"pair", {bos, text}},
      {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {1}}, {"tokens", {"<s>"}}}}}}};
  for (const char* const name : {"LlamaTokenizer", "LlamaTokenizerFast", "PreTrainedTokenizerFast",
                                 "GPT2TokenizerFast", "Qwen2Tokenizer"}) {
    for (const nlohmann::json& rule : {nlohmann::json(), with_bos}) {
      for (const nlohmann::json& flag :
           {nlohmann::json(), nlohmann::json(true), nlohmann::json(false)}) {
        write("tokenizer.json", {{"version", "1.0"},
                                 {"added_tokens", nlohmann::json::array()},
                                 {"post_processor", rule},
                                 {"decoder", {{"type", "Fuse"}}},
                                 {"model",
                                  {{"type", "BPE"},
                                   {"vocab", {{"a", 0}, {"<s>", 1}}},
                                   {"merges", nlohmann::json::array()}}}});
        nlohmann::json config = {{"tokenizer_class", name}, {"bos_token", "<s>"}};
        if (!flag.is_null()) config["add_bos_token"] = flag;
        write("tokenizer_config.json", config);
        const auto opened = tokenizer::open_tokenizer(folder.path());
        TokenDeclarations all = declared(opened.get(), nullptr);
        read_token_files(folder.path(), all);
        const models::BosDecision decision = decide_bos(BosPolicy::kAuto, all);
        const bool has_template = !rule.is_null();
        EXPECT_EQ(decision.id, has_template ? std::optional<TokenId>(1) : std::nullopt)
            << name << flag;
        const bool agrees = flag.is_null() || flag == has_template;
        EXPECT_EQ(decision.note.empty(), agrees) << name << flag << decision.note;
      }
    }
  }
}

TEST(Bos, APolicyOverridesThePostProcessor) {
  EXPECT_EQ(decide_bos(BosPolicy::kNever, declared(&kJsonWithTemplate, nullptr)).id, std::nullopt);
  const auto always = decide_bos(BosPolicy::kAlways, declared(&kJsonPlain, {{"bos_token", "<s>"}}));
  EXPECT_EQ(always.id, 1);
  EXPECT_EQ(always.note, "");
}

models::GenerationEnds ends_of(nlohmann::json generation, nlohmann::json tokenizer_config) {
  TokenDeclarations all = declared(&kPlain, std::move(tokenizer_config));
  all.generation = std::move(generation);
  return decide_generation_ends(all);
}

TEST(GenerationEnds, AreTheTokenizersAndTheGenerationSettings) {
  const models::GenerationEnds both = ends_of({{"eos_token_id", {3, 1}}}, {{"eos_token", "</s>"}});
  EXPECT_THAT(both.ids, ElementsAre(1, 2, 3));
  EXPECT_THAT(both.reason, AllOf(HasSubstr("tokenizer_config.json: eos_token '</s>'"),
                                 HasSubstr("generation_config.json: eos_token_id")));
  EXPECT_THAT(ends_of({{"eos_token_id", 1}}, nullptr).ids, ElementsAre(1));
}

TEST(GenerationEnds, AreTheConfigurationsWhereTheGenerationSettingsHaveNone) {
  for (const nlohmann::json& none :
       {nlohmann::json(), nlohmann::json::object(), nlohmann::json{{"eos_token_id", nullptr}}}) {
    const models::GenerationEnds ends = ends_of(none, nullptr);
    EXPECT_THAT(ends.ids, ElementsAre(2, 3)) << none;
    EXPECT_EQ(ends.reason, "config.json: eos_token_id");
  }
}

TEST(GenerationEnds, LeaveOutWhatHasNoRowAndSaySo) {
  const models::GenerationEnds ends = ends_of({{"eos_token_id", {-1, 2, 4}}}, nullptr);
  EXPECT_THAT(ends.ids, ElementsAre(2));
  EXPECT_THAT(ends.notes, ElementsAre(HasSubstr("id 4 can end no answer: the embedding has 4")));
  EXPECT_THAT(error_message([] {
                (void)ends_of({{"eos_token_id", {2, "x"}}}, nullptr);
              }),
              AllOf(HasSubstr("generation_config.json: eos_token_id"), HasSubstr("token ids")));
}

TEST(EndOfText, ComesFromTheTokenizerThenTheConfiguration) {
  EXPECT_EQ(end_of_text(declared(&kPlain, {{"eos_token", "</s>"}})), 2);
  EXPECT_EQ(end_of_text(declared(nullptr, nullptr)), 2);
}

}  // namespace
}  // namespace yardstick::test
