// The small-world language: seeded, long-range, counted right, and word by word in its tokenizer.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "models/train/small_world/document.hpp"
#include "models/train/small_world/evaluation.hpp"
#include "models/train/small_world/lexicon.hpp"
#include "models/train/small_world/passkey.hpp"
#include "models/train/small_world/sentence.hpp"
#include "models/train/small_world/tokenizer_json.hpp"
#include "models/train/small_world/windows.hpp"

namespace yardstick::small_world {
namespace {

/// The small world's tokenizer, opened from a file as any other.
std::unique_ptr<const tokenizer::Tokenizer> open_own_tokenizer() {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "yardstick_small_world_tokenizer";
  write_file_atomically(folder / "tokenizer.json", tokenizer_json());
  write_file_atomically(folder / "tokenizer_config.json", tokenizer_config_json());
  return tokenizer::open_tokenizer(folder);
}

std::vector<TokenId> ids_of(const tokenizer::Tokenizer& tokenizer, const std::string& text) {
  std::vector<TokenId> ids;
  for (const TokenSpan& span : tokenizer.encode(text)) ids.push_back(span.id);
  return ids;
}

std::string long_document(std::uint64_t seed) {
  Random random(seed, "test/document");
  const std::vector<Sentence> sentences = make_document(narrative_style(2300), random);
  return join_sentences(sentences, 0, sentences.size());
}

TEST(SmallWorld, ADocumentIsAFunctionOfItsSeed) {
  EXPECT_EQ(long_document(1), long_document(1));
  EXPECT_NE(long_document(1), long_document(2));
}

TEST(SmallWorld, TokensAreCountedAsTheTokenizerCountsThem) {
  const auto tokenizer = open_own_tokenizer();
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::string text = long_document(seed);
    EXPECT_EQ(static_cast<std::int64_t>(ids_of(*tokenizer, text).size()), count_tokens(text));
    EXPECT_GE(count_tokens(text), 2300);
  }
}

TEST(SmallWorld, TextsComeBackFromTheirTokens) {
  const auto tokenizer = open_own_tokenizer();
  for (std::uint64_t i = 0; i < 50; ++i) {
    const std::string text = make_window(3, i, 129).text;
    const std::vector<TokenId> ids = ids_of(*tokenizer, text);
    EXPECT_EQ(tokenizer->decode(ids, tokenizer::Tokenizer::SpecialTokens::kKeep), text);
    EXPECT_GE(ids.size(), 129U) << "window " << i;
  }
}

TEST(SmallWorld, AnyTextCanBeEncoded) {
  const auto tokenizer = open_own_tokenizer();
  const std::string text = "Zürich 2024: 12345 \xF0\x9F\x90\x88!\n";
  const std::vector<TokenId> ids = ids_of(*tokenizer, text);
  EXPECT_EQ(tokenizer->decode(ids, tokenizer::Tokenizer::SpecialTokens::kKeep), text);
}

TEST(SmallWorld, EveryTwoDigitKeyIsOneToken) {
  const auto tokenizer = open_own_tokenizer();
  for (int key = kLowestKey; key <= kHighestKey; ++key) {
    EXPECT_EQ(ids_of(*tokenizer, std::to_string(key)).size(), 1U);
    EXPECT_EQ(ids_of(*tokenizer, " " + std::to_string(key)).size(), 1U);
  }
}

TEST(SmallWorld, TheTokenizerDeclaresItsSizeAndItsEndOfText) {
  const auto tokenizer = open_own_tokenizer();
  EXPECT_EQ(tokenizer->size(), vocabulary_size());
  EXPECT_EQ(tokenizer->id_of(kEndOfText), static_cast<TokenId>(end_of_text_id()));
  EXPECT_TRUE(tokenizer->specials().before.empty());
  EXPECT_LE(vocabulary_size(), 900);
}

// The published prompt without filler, put together by hand from YaRN's passkey script.
TEST(Passkey, APromptIsThePublishedOne) {
  Random random(1, "test/passkey");
  const PasskeyPrompt prompt = make_passkey_prompt(shortest_passkey_prompt(), random);
  const std::string key = std::to_string(prompt.key);
  EXPECT_EQ(prompt.text,
            "There is an important info hidden inside a lot of irrelevant text. Find it and "
            "memorize them. I will quiz you about the important information there.\n\nThe pass "
            "key is " +
                key + ". Remember it. " + key +
                " is the pass key.\n\nWhat is the pass key? The pass key is");
}

TEST(Passkey, APromptHasTheAskedNumberOfTokens) {
  const auto tokenizer = open_own_tokenizer();
  Random random(1, "test/passkey");
  for (std::int64_t tokens = shortest_passkey_prompt(); tokens < 300; ++tokens) {
    const PasskeyPrompt prompt = make_passkey_prompt(tokens, random);
    EXPECT_EQ(static_cast<std::int64_t>(ids_of(*tokenizer, prompt.text).size()), tokens);
    const PasskeyPrompt ragged = make_ragged_passkey_prompt(tokens, random);
    EXPECT_LE(static_cast<std::int64_t>(ids_of(*tokenizer, ragged.text).size()), tokens);
  }
}

TEST(Passkey, TheNeedleLiesAtEveryDepth) {
  std::set<std::int64_t> eighths;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Random random(i, "test/passkey");
    const std::string text = make_passkey_prompt(1000, random).text;
    eighths.insert(static_cast<std::int64_t>(8 * text.find("Remember") / text.size()));
  }
  EXPECT_EQ(eighths.size(), 8U);
}

TEST(Windows, AreMixedAsDeclared) {
  int questions = 0;
  int lists = 0;
  int passkeys = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const TextWindow window = make_window(5, i, 129);
    questions += window.kind == WindowKind::kQuestions ? 1 : 0;
    lists += window.kind == WindowKind::kLists ? 1 : 0;
    passkeys += window.kind == WindowKind::kPasskey ? 1 : 0;
  }
  // 35 %, 25 % and 25 % of 2000, within four standard deviations.
  EXPECT_NEAR(questions, 700, 4 * std::sqrt(2000 * 0.35 * 0.65));
  EXPECT_NEAR(lists, 500, 4 * std::sqrt(2000 * 0.25 * 0.75));
  EXPECT_NEAR(passkeys, 500, 4 * std::sqrt(2000 * 0.25 * 0.75));
}

TEST(Evaluation, QuestionsFitTheWindowAndHaveOneRightChoice) {
  const auto tokenizer = open_own_tokenizer();
  std::istringstream lines(questions_jsonl(9, 100, 128));
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    const nlohmann::json item = nlohmann::json::parse(line);
    const std::string context = item.at("context");
    const std::string question = item.at("question");
    const std::vector<std::string> choices = item.at("choices");
    const std::string answer = choices.at(item.at("answer"));
    EXPECT_EQ(std::set<std::string>(choices.begin(), choices.end()).size(), 4U);
    EXPECT_NE(context.find(" " + answer + "."), std::string::npos) << line;
    const std::string whole = context + "\n" + question + " " + answer;
    EXPECT_LE(ids_of(*tokenizer, whole).size(), 128U);
    // Counted from the token behind the answer's mention to the end of the question.
    EXPECT_GE(item.at("distance").get<int>(), 8) << line;
    ++count;
  }
  EXPECT_EQ(count, 100);
}

TEST(Evaluation, HeldOutDocumentsAreNotTrainingWindows) {
  const std::string first = documents_jsonl(9, 1, 2300);
  EXPECT_EQ(first, documents_jsonl(9, 1, 2300));
  EXPECT_NE(first, documents_jsonl(10, 1, 2300));
}

}  // namespace
}  // namespace yardstick::small_world
