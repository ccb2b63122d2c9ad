// SentencePiece models, against ids, pieces and texts of sentencepiece 0.2.2 (see
// golden/tokenizers_hf/README.md) and of tokenizers 0.23.
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/file.hpp"
#include "models/tokenizer/sentencepiece_model.hpp"
#include "tests/models/tokenizer/reference.hpp"
#include "tests/models/tokenizer/small_model.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::tokenizer {
namespace {

using test_support::Ids;
using test_support::ids_of;
using test_support::model_bytes;
using test_support::read_cases;
using test_support::with_specials;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SentencePieceTest : public testing::TestWithParam<const char*> {};

TEST_P(SentencePieceTest, IdsAndTextsEqualTheLibrary) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::string name = GetParam();
  const std::vector<nlohmann::json> cases =
      read_cases(test::shared_path("golden/tokenizers_hf/" + name + ".sentencepiece.jsonl"));
  ASSERT_GT(cases.size(), 100U);
  const std::string file = cases.front()["tokenizer"].get<std::string>();
  const auto tokenizer = open_tokenizer(test::shared_path("data/tokenizers/" + file));
  for (const nlohmann::json& item : cases) {
    SCOPED_TRACE(item["text"].dump().substr(0, 200));
    const Ids ids = ids_of(tokenizer->encode(item["text"].get<std::string>()));
    EXPECT_EQ(ids, item["ids"].get<Ids>());
    EXPECT_EQ(with_specials(*tokenizer, ids), item["ids_with_special"].get<Ids>());
    EXPECT_EQ(tokenizer->decode(item["ids"].get<Ids>(), Tokenizer::SpecialTokens::kSkip),
              item["decoded"].get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SentencePieceTest, testing::Values("llama2", "sentencepiece-1k"));

using Type = SentencePieceModel::Piece::Type;
using Algorithm = SentencePieceModel::Algorithm;

SentencePieceModel small_model(Algorithm algorithm) {
  return {.pieces = {{"<unk>", 0, Type::kUnknown},
                     {"<s>", 0, Type::kControl},
                     {"</s>", 0, Type::kControl},
                     {"\u2581", -9},
                     {"a", -9},
                     {"b", -9},
                     {"aa", -1},
                     {"ab", -1},
                     {"\u2581a", -2},
                     {"<x>", 0, Type::kUserDefined},
                     {"b b", 0, Type::kUserDefined}},
          .algorithm = algorithm};
}

class SmallModel {
 public:
  explicit SmallModel(const SentencePieceModel& model) : SmallModel(model_bytes(model)) {}
  explicit SmallModel(const std::string& bytes) { write("tokenizer.model", bytes); }

  void write(const char* name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  [[nodiscard]] std::unique_ptr<const Tokenizer> open() const {
    return open_tokenizer(folder_.path());
  }
  [[nodiscard]] Ids ids(const std::string& text) const { return ids_of(open()->encode(text)); }
  [[nodiscard]] std::string decode(const Ids& ids) const {
    return open()->decode(ids, Tokenizer::SpecialTokens::kSkip);
  }
  [[nodiscard]] std::string problem() const {
    return test::error_message([&] { static_cast<void>(open()); });
  }

 private:
  test::TemporaryFolder folder_;
};

// Ids and texts of the small models: sentencepiece 0.2.2, from the same bytes.
TEST(SmallSentencePiece, EqualScoresMergeFromTheLeft) {
  const SmallModel model(small_model(Algorithm::kBpe));
  EXPECT_THAT(model.ids("aab"), ElementsAre(3, 6, 5));
  EXPECT_THAT(model.ids("ba aab"), ElementsAre(3, 5, 4, 3, 6, 5));
}

TEST(SmallSentencePiece, UnigramTakesTheBestSum) {
  const SmallModel model(small_model(Algorithm::kUnigram));
  EXPECT_THAT(model.ids("aab"), ElementsAre(8, 7));
  EXPECT_THAT(model.ids("ba aab"), ElementsAre(3, 5, 4, 8, 7));
}

class BothAlgorithms : public testing::TestWithParam<Algorithm> {};

TEST_P(BothAlgorithms, UserDefinedUnknownAndControlPieces) {
  const SmallModel model(small_model(GetParam()));
  EXPECT_THAT(model.ids("a<x>b"), ElementsAre(8, 9, 5));
  EXPECT_THAT(model.ids("ab b b"), ElementsAre(3, 7, 3, 5, 3, 5));
  EXPECT_THAT(model.ids("cdab"), ElementsAre(3, 0, 7));
  EXPECT_THAT(model.ids("<s>a"), ElementsAre(3, 0, 4));
  EXPECT_EQ(model.decode({3, 0, 7}), " \u2047 ab");
  EXPECT_EQ(model.decode({1, 8, 2}), "a");
  EXPECT_THAT(model.open()->specials().before, ElementsAre(1));
}

TEST_P(BothAlgorithms, WhiteSpaceIsTrimmedAndJoined) {
  const SmallModel model(small_model(GetParam()));
  EXPECT_THAT(model.ids("  a  b "), ElementsAre(8, 3, 5));
  EXPECT_THAT(model.ids(" "), IsEmpty());
  EXPECT_THAT(model.ids("\u2581a"), ElementsAre(3, 8));
  EXPECT_THAT(model.open()->encode("  a  b "),
              ElementsAre(TokenSpan{8, 2, 3}, TokenSpan{3, 3, 5}, TokenSpan{5, 5, 6}));
}

INSTANTIATE_TEST_SUITE_P(SmallSentencePiece, BothAlgorithms,
                         testing::Values(Algorithm::kBpe, Algorithm::kUnigram));

TEST(SmallSentencePiece, OptionsOfWhiteSpaceAreFollowed) {
  SentencePieceModel keeps = small_model(Algorithm::kBpe);
  keeps.remove_extra_whitespaces = false;
  EXPECT_THAT(SmallModel(keeps).ids("  a  b "), ElementsAre(3, 3, 8, 3, 3, 5, 3));
  EXPECT_THAT(SmallModel(keeps).ids(" "), ElementsAre(3, 3));
  EXPECT_EQ(SmallModel(keeps).decode({3, 3, 8, 3, 3, 5, 3}), "  a  b ");
  SentencePieceModel bare = small_model(Algorithm::kUnigram);
  bare.add_dummy_prefix = false;
  EXPECT_THAT(SmallModel(bare).ids("  a  b "), ElementsAre(4, 3, 5));
  EXPECT_EQ(SmallModel(bare).decode({4, 3, 5}), "a b");
}

// Hugging Face: `legacy` true puts U+2581 behind every special token, false at the text's start.
TEST(SmallSentencePiece, LegacyDecidesAboutTheSpaceBehindSpecialTokens) {
  const SmallModel model(small_model(Algorithm::kBpe));
  model.write("special_tokens_map.json", R"({"bos_token": "<s>"})");
  EXPECT_THAT(model.ids("a<s>b"), ElementsAre(8, 1, 3, 5));
  model.write("tokenizer_config.json", R"({"legacy": false})");
  EXPECT_THAT(model.ids("a<s>b"), ElementsAre(8, 1, 5));
  model.write("tokenizer_config.json", R"({"add_prefix_space": false})");
  EXPECT_THAT(model.ids("a<s>b"), ElementsAre(4, 1, 5));
}

TEST(DamagedModel, EveryCutIsAnErrorThatNamesAPlace) {
  const std::string whole = model_bytes(small_model(Algorithm::kBpe));
  EXPECT_EQ(SmallModel(whole).open()->size(), 11);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    try {
      static_cast<void>(SmallModel(cut).open());
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("tokenizer.model: "));
      continue;
    }
    // A cut between two messages leaves a smaller model, if the unknown piece is there.
    EXPECT_NO_THROW(static_cast<void>(parse_sentencepiece_model(cut)));
  }
  EXPECT_THAT(SmallModel(whole.substr(0, 9)).problem(),
              HasSubstr("field 1 is said to have 14 bytes, but only 7 are left"));
}

TEST(DamagedModel, WhatIsWrongIsSaidWithItsPlace) {
  const auto problem = [](const SentencePieceModel& model) { return SmallModel(model).problem(); };
  SentencePieceModel model = small_model(Algorithm::kBpe);
  model.pieces[5].text = "a";
  EXPECT_THAT(problem(model), HasSubstr("piece 5 ('a') is there twice"));
  model.pieces[5].text = "\xFF";
  EXPECT_THAT(problem(model), HasSubstr("piece 5 is not valid UTF-8"));
  model.pieces[5].text = "";
  EXPECT_THAT(problem(model), HasSubstr("piece 5 is empty"));
  model.pieces[5] = {"b", std::numeric_limits<float>::quiet_NaN()};
  EXPECT_THAT(problem(model), HasSubstr("the score of piece 5 is no number"));
  model.pieces[5] = {"b", -9, Type::kUnused};
  EXPECT_THAT(problem(model), HasSubstr("piece 5 ('b') is unused"));
  model.pieces[5] = {"b", -9, static_cast<Type>(9)};
  EXPECT_THAT(problem(model), HasSubstr("piece 5 has the type 9, expected 1 to 6"));
  model.pieces[5] = {"b", -9, Type::kUnknown};
  EXPECT_THAT(problem(model), HasSubstr("pieces 0 and 5 are both the unknown one"));
  model = small_model(static_cast<Algorithm>(3));
  EXPECT_THAT(problem(model), HasSubstr("model_type 3 is not supported"));
  model = small_model(Algorithm::kBpe);
  model.byte_fallback = true;
  EXPECT_THAT(problem(model), HasSubstr("the byte token '<0x00>' is missing"));
  model.byte_fallback = false;
  model.pieces.erase(model.pieces.begin());
  EXPECT_THAT(problem(model), HasSubstr("none is the unknown one; is the file whole?"));
}

// Cut between two pieces a file is a valid message, but its settings are gone.
TEST(DamagedModel, AFileCutBetweenTwoPiecesIsRefused) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::string bytes = read_file(test::shared_path("models/stories260K/tokenizer.model"));
  const test::TemporaryFolder folder;
  const auto refused = [&](std::size_t size) {
    std::ofstream(folder / "tokenizer.model", std::ios::binary) << bytes.substr(0, size);
    return test::error_message([&] { (void)open_tokenizer(folder / "tokenizer.model"); });
  };
  EXPECT_THAT(refused(5684), HasSubstr("ends without a trainer_spec"));
}

TEST(DamagedModel, ACharacterMapThatLiesIsRefusedOrHarmless) {
  SentencePieceModel model = small_model(Algorithm::kUnigram);
  model.character_map = "\xFF\xFF\xFF\x7F";
  EXPECT_THAT(SmallModel(model).problem(), HasSubstr("normalization rules are damaged"));
  // One unit whose children and values lie outside: no rule applies.
  model.character_map = std::string("\x04\0\0\0\xFF\xFF\xFF\xFF", 8);
  EXPECT_THAT(SmallModel(model).ids("aab"), ElementsAre(8, 7));
}

}  // namespace
}  // namespace yardstick::tokenizer
