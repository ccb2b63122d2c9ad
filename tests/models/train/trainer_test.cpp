// Training end to end on the micro set: it learns, it resumes bit for bit, and it leaves folders
// that the loader reads.
#include "models/train/trainer.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/file.hpp"
#include "models/model_folder.hpp"
#include "models/train/config.hpp"

namespace yardstick::models {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A fresh folder of this name.
fs::path empty_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("yardstick_trainer_" + name);
  fs::remove_all(folder);
  return folder;
}

TrainConfig micro() { return read_train_config("configs/train/micro.yaml"); }

Continue go_on(const TrainProgress&) { return Continue::kYes; }

TEST(Trainer, EveryEncodingLeavesAFolderThatTheLoaderReads) {
  const fs::path folder = empty_folder("loads");
  const TrainConfig config = micro();
  ASSERT_EQ(train_model_set(config, folder, go_on), Backend::Trained::kFinished);
  for (const TrainModel& model : config.models) {
    const ModelFolder opened({.name = model.name, .folder = folder / model.name});
    EXPECT_EQ(opened.config().position.kind, model.position.kind);
    EXPECT_EQ(opened.config().position.training_length, config.window_tokens);
    EXPECT_EQ(opened.config().position.fope, model.position.fope);
    EXPECT_EQ(opened.config().width, config.decoder.width);
    ASSERT_NE(opened.tokenizer(), nullptr);
    EXPECT_EQ(opened.tokenizer()->size(), config.decoder.vocabulary);
    EXPECT_FALSE(opened.bos().id.has_value());
  }
}

TEST(Trainer, TheLossFalls) {
  TrainConfig config = micro();
  config.models.resize(1);
  config.steps = 60;
  config.warmup_steps = 5;
  config.learning_rate = 1e-2;
  config.save_every_steps = 60;
  double first = 0.0;
  double last = 0.0;
  const auto watch = [&](const TrainProgress& progress) {
    if (progress.step == 1) first = progress.loss_nats;
    last = progress.loss_nats;
    return Continue::kYes;
  };
  (void)train_model_set(config, empty_folder("learns"), watch);
  EXPECT_NEAR(first, std::log(static_cast<double>(config.decoder.vocabulary)), 0.5);
  EXPECT_LT(last, first - 1.0);
}

// A run that is stopped between saves, as by a kill: only the last save is left behind.
TEST(Trainer, AResumedRunEqualsAnUninterruptedOne) {
  TrainConfig config = micro();
  config.models.erase(config.models.begin(), config.models.begin() + 2);
  config.models.resize(1);
  const fs::path whole = empty_folder("whole");
  const fs::path broken = empty_folder("broken");
  (void)train_model_set(config, whole, go_on);
  struct Killed {};
  const auto kill_at_5 = [](const TrainProgress& progress) {
    if (progress.step == 5) throw Killed{};
    return Continue::kYes;
  };
  EXPECT_THROW((void)train_model_set(config, broken, kill_at_5), Killed);
  int resumed_at = 0;
  const auto watch = [&](const TrainProgress& progress) {
    if (resumed_at == 0) resumed_at = static_cast<int>(progress.step);
    return Continue::kYes;
  };
  ASSERT_EQ(train_model_set(config, broken, watch), Backend::Trained::kFinished);
  EXPECT_EQ(resumed_at, 4);
  const fs::path model = config.models[0].name;
  for (const char* file : {"model.safetensors", "training-state.safetensors", "training.json"}) {
    EXPECT_EQ(read_file(broken / model / file), read_file(whole / model / file)) << file;
  }
}

TEST(Trainer, StoppingSavesWhatWasDone) {
  TrainConfig config = micro();
  config.models.resize(1);
  const fs::path folder = empty_folder("stops");
  const auto stop_at_2 = [](const TrainProgress& progress) {
    return progress.step == 2 ? Continue::kStop : Continue::kYes;
  };
  EXPECT_EQ(train_model_set(config, folder, stop_at_2), Backend::Trained::kStopped);
  int first = 0;
  const auto watch = [&](const TrainProgress& progress) {
    if (first == 0) first = static_cast<int>(progress.step);
    return Continue::kYes;
  };
  EXPECT_EQ(train_model_set(config, folder, watch), Backend::Trained::kFinished);
  EXPECT_EQ(first, 3);
}

TEST(Trainer, AnotherConfigurationsFolderIsRefused) {
  TrainConfig config = micro();
  config.models.resize(1);
  const fs::path folder = empty_folder("other");
  (void)train_model_set(config, folder, go_on);
  config.learning_rate = 1e-3;
  try {
    (void)train_model_set(config, folder, go_on);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("another configuration"));
  }
}

TEST(Trainer, ATextFileIsTrainedOnWithANamedTokenizer) {
  const fs::path folder = empty_folder("text");
  TrainConfig config = micro();
  config.models.resize(1);
  (void)train_model_set(config, folder, go_on);  // leaves a tokenizer
  std::string text;
  for (int i = 0; i < 200; ++i) text += "The grass is green. ";
  write_file_atomically(folder / "text.txt", text);
  config.data = {.kind = TrainData::Kind::kTextFile,
                 .text_file = folder / "text.txt",
                 .tokenizer = folder / config.models[0].name / "tokenizer.json"};
  EXPECT_EQ(train_model_set(config, folder / "out", go_on), Backend::Trained::kFinished);
}

}  // namespace
}  // namespace yardstick::models
