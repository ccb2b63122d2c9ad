// Reading a training YAML: the shipped ones, and clear errors for wrong ones.
#include "models/train/config.hpp"

#include <filesystem>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/file.hpp"
#include "models/train/small_world/tokenizer_json.hpp"

namespace yardstick::models {
namespace {

using testing::HasSubstr;

std::string micro_with(const std::string& from, const std::string& to) {
  std::string text = read_file("configs/train/micro.yaml");
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string message_of(const std::string& yaml) {
  const auto file = std::filesystem::path(testing::TempDir()) / "yardstick_train_config.yaml";
  write_file_atomically(file, yaml);
  try {
    (void)read_train_config(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TrainConfigFile, TheTinySetDiffersInItsEncodingsOnly) {
  const TrainConfig config = read_train_config("configs/train/tiny.yaml");
  ASSERT_EQ(config.models.size(), 4U);
  EXPECT_EQ(config.models[0].position.kind, position::Kind::kRope);
  EXPECT_EQ(config.models[1].position.kind, position::Kind::kAlibi);
  EXPECT_EQ(config.models[2].position.kind, position::Kind::kFope);
  EXPECT_EQ(config.models[3].position.kind, position::Kind::kNone);
  for (const TrainModel& model : config.models) {
    EXPECT_EQ(model.position.training_length, config.window_tokens);
    EXPECT_EQ(model.position.heads, config.decoder.heads);
  }
}

// 10000^(-2i/64) >= 2 pi / 128 holds for i <= 32 ln(128 / 2 pi) / ln 10000 = 10.47, so 11 survive.
TEST(TrainConfigFile, FopeKeepsTheFrequenciesAboveTheTrainingFloor) {
  const TrainConfig config = read_train_config("configs/train/tiny.yaml");
  const position::PositionPlan& plan = config.models[2].position;
  EXPECT_DOUBLE_EQ(plan.floor_frequency, 2.0 * std::numbers::pi / 128.0);
  EXPECT_EQ(plan.fope.input_count, 11);
  EXPECT_EQ(plan.fope.output_count, 11);
  EXPECT_EQ(plan.fope.zero_pairs, position::ZeroPairs::kCosOneSinOne);
}

TEST(TrainConfigFile, AnUnknownKeyIsNamedWithItsPlaceAndTheNearestOne) {
  const std::string message = message_of(micro_with("warmup_steps", "warmup_step"));
  EXPECT_THAT(message, HasSubstr("yardstick_train_config.yaml:18:"));
  EXPECT_THAT(message, HasSubstr("warmup_step"));
  EXPECT_THAT(message, HasSubstr("did you mean 'warmup_steps'"));
}

// As docs/training.md words it: both files lie beside the configuration.
TEST(TrainConfigFile, ATextFileAndItsTokenizerLieBesideTheConfiguration) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "yardstick_train_text";
  write_file_atomically(folder / "tokenizer.json", small_world::tokenizer_json());
  write_file_atomically(
      folder / "text.yaml",
      micro_with("kind: small_world",
                 "kind: text_file\n  file: book.txt\n  tokenizer: tokenizer.json"));
  const TrainConfig config = read_train_config(folder / "text.yaml");
  EXPECT_EQ(config.data.kind, TrainData::Kind::kTextFile);
  EXPECT_EQ(config.data.text_file, folder / "book.txt");
  EXPECT_EQ(config.decoder.vocabulary, small_world::vocabulary_size());
}

TEST(TrainConfigFile, ATokenizerOfAnotherFormatIsRefused) {
  EXPECT_THAT(
      message_of(micro_with("kind: small_world",
                            "kind: text_file\n  file: book.txt\n  tokenizer: tokenizer.model")),
      HasSubstr("tokenizer: expected a tokenizer.json"));
}

TEST(TrainConfigFile, TwoModelsOfOneNameAreRefused) {
  EXPECT_THAT(message_of(micro_with("micro-alibi", "micro-rope")),
              HasSubstr("two models are named 'micro-rope'"));
}

TEST(TrainConfigFile, AModelsNameCannotLeaveTheOutputFolder) {
  EXPECT_THAT(message_of(micro_with("micro-alibi", "../alibi")),
              HasSubstr("is not the name of a folder"));
}

TEST(TrainConfigFile, AnUnknownEncodingIsAnsweredWithTheKnownOnes) {
  EXPECT_THAT(message_of(micro_with("encoding: alibi", "encoding: albi")), HasSubstr("alibi"));
}

}  // namespace
}  // namespace yardstick::models
