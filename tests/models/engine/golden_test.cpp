// Real checkpoints against stored logits and losses: golden/olmo_fope (the FoPE paper's model code)
// and golden/hf (transformers). Tolerances are those of their READMEs: 2e-4 on a logit, 1e-4 on the
// loss of a token.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "core/npy.hpp"
#include "models/engine/load_engine.hpp"
#include "models/model_folder.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

namespace fs = std::filesystem;

/// The folders of golden/olmo_fope, and those of golden/hf whose model_type is llama.
std::vector<fs::path> golden_folders() {
  std::vector<fs::path> folders;
  for (const char* family : {"golden/olmo_fope", "golden/hf"}) {
    if (!fs::exists(shared_path(family))) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(shared_path(family))) {
      const fs::path config = entry.path() / "config.json";
      if (fs::exists(entry.path() / "config.yaml") ||
          (fs::exists(config) && read_json(config).value("model_type", "") == "llama")) {
        folders.push_back(entry.path());
      }
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<TokenId> read_tokens(const fs::path& folder) {
  const NpyArray ids(folder / "input_ids.npy");
  std::vector<TokenId> tokens;
  for (std::int64_t i = 0; i < ids.size(); ++i)
    tokens.push_back(static_cast<TokenId>(ids.integer_at(i)));
  return tokens;
}

void expect_logits(models::Engine& engine, std::span<const TokenId> tokens, const fs::path& file) {
  const std::vector<float> expected = NpyArray(file).floats();
  const std::size_t width = expected.size() / tokens.size();
  double worst = 0;
  std::size_t seen = 0;
  engine.logits(tokens, [&](std::int64_t first, std::span<const float> rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double found = double(rows[i]);
      const double wanted = double(expected.at(static_cast<std::size_t>(first) * width + i));
      worst = std::max(worst, std::isfinite(found) ? std::abs(found - wanted) : 1e30);
    }
    seen += rows.size();
  });
  EXPECT_EQ(seen, expected.size()) << file;
  EXPECT_LT(worst, 2e-4) << file;
}

class Golden : public testing::TestWithParam<fs::path> {};

TEST_P(Golden, LogitsAndLossesAreReproduced) {
  const fs::path folder = GetParam();
  models::ModelSpec spec;
  spec.folder = folder;
  const models::ModelFolder model(std::move(spec));
  const auto engine = models::load_engine(model, {});
  const std::vector<TokenId> tokens = read_tokens(folder);
  expect_logits(*engine, tokens, folder / "logits.npy");
  for (std::size_t length = 1; length < tokens.size(); ++length) {
    const fs::path shorter = folder / ("logits_T" + std::to_string(length) + ".npy");
    if (fs::exists(shorter)) expect_logits(*engine, std::span(tokens).first(length), shorter);
  }
  const std::vector<float> expected = NpyArray(folder / "nll.npy").floats();
  const Request request{.tokens = tokens, .score_from = 1};
  const Response response = engine->respond({&request, 1}, {}).front();
  ASSERT_EQ(response.nll.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(response.nll[i], double(expected[i]), 1e-4) << "token " << i + 1;
}

std::string folder_name(const testing::TestParamInfo<fs::path>& test) {
  return test.param.parent_path().filename().string() + "_" + test.param.filename().string();
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, Golden, testing::ValuesIn(golden_folders()), folder_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Golden);

class Stories : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(shared_path("models/stories260K"))) {
      GTEST_SKIP() << "the shared reference data is not beside this checkout";
    }
    reference_ = read_json(shared_path("models/stories260K/reference.json"));
    models::ModelSpec spec;
    spec.folder = shared_path("models/stories260K");
    model_ = std::make_unique<models::ModelFolder>(std::move(spec));
    engine_ = models::load_engine(*model_, {});
  }

  nlohmann::json reference_;
  std::unique_ptr<models::ModelFolder> model_;
  std::unique_ptr<models::Engine> engine_;
};

// reference.json: float64 losses of the first 1024 tokens of War and Peace; llama.cpp is within
// 1.3e-4 of them, so that much is float32's own.
TEST_F(Stories, LossesOfARealTextAgreeWithTheFloat64Pass) {
  const auto ids = reference_.at("ids").get<std::vector<TokenId>>();
  const auto expected = reference_.at("nll").get<std::vector<double>>();
  const Request request{.tokens = ids, .score_from = 1};
  const Response response = engine_->respond({&request, 1}, {}).front();
  ASSERT_EQ(response.nll.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(response.nll[i], expected[i], 2e-4) << "token " << i + 1;
}

TEST_F(Stories, TheTextEncodesToTheReferenceIds) {
  const auto ids = reference_.at("ids").get<std::vector<TokenId>>();
  std::vector<TokenId> found = model_->codec().window_prefix();
  const std::vector<TokenId> text =
      model_->codec().encode(reference_.at("text").get<std::string>());
  found.insert(found.end(), text.begin(), text.end());
  ASSERT_GE(found.size(), ids.size());
  found.resize(ids.size());
  EXPECT_EQ(found, ids);
}

TEST_F(Stories, GreedyContinuationTellsTheKnownStory) {
  const nlohmann::json& greedy = reference_.at("greedy");
  Request request{.tokens = model_->codec().window_prefix(), .max_new_tokens = 120};
  const std::vector<TokenId> prompt =
      model_->codec().encode(greedy.at("prompt").get<std::string>());
  request.tokens.insert(request.tokens.end(), prompt.begin(), prompt.end());
  request.score_from = std::ssize(request.tokens);
  const Response response = engine_->respond({&request, 1}, {}).front();
  std::vector<TokenId> all = request.tokens;
  all.insert(all.end(), response.generated.begin(), response.generated.end());
  const std::string text = model_->codec().decode(all);
  const auto expected = greedy.at("text").get<std::string>();
  EXPECT_EQ(text.substr(0, expected.size()), expected.substr(0, text.size()));
  EXPECT_GT(text.size(), 200U);
}

}  // namespace
}  // namespace yardstick::test
