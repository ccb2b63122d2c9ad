// Real checkpoints against stored logits and losses: golden/olmo_fope (the FoPE paper's model
// code), golden/hf and golden/hf_transformers (transformers). Tolerances are those of their
// READMEs: 2e-4 on a logit, 1e-4 in the last; 1e-4 on the loss of a token.
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
#include "models/reference/token_lists.hpp"
#include "tests/models/golden/golden_models.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

namespace fs = std::filesystem;

class Golden : public testing::TestWithParam<GoldenModel> {};

TEST_P(Golden, LogitsAreReproduced) {
  const GoldenResult result = compare(GetParam());
  EXPECT_LT(result.worst, GetParam().tolerance);
  EXPECT_GT(result.logits, 0);
  RecordProperty("worst", std::to_string(result.worst));
}

/// Those with the loss of each token.
class GoldenLosses : public Golden {};

TEST_P(GoldenLosses, OfEachTokenAreReproduced) {
  const fs::path& folder = GetParam().folder;
  models::ModelSpec spec;
  spec.folder = folder;
  const models::ModelFolder model(std::move(spec));
  const auto engine = models::load_engine(model, {});
  const std::vector<float> expected = NpyArray(folder / "nll.npy").floats();
  const Request request{.tokens = models::read_token_lists(folder / "input_ids.npy").front(),
                        .score_from = 1};
  const Response response = engine->respond({&request, 1}, {}).front();
  ASSERT_EQ(response.nll.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(response.nll[i], double(expected[i]), 1e-4) << "token " << i + 1;
}

/// Those with the mean loss of each sequence (meta.json).
class GoldenMeans : public Golden {};

TEST_P(GoldenMeans, OfEachSequenceAreReproduced) {
  const fs::path& folder = GetParam().folder;
  models::ModelSpec spec;
  spec.folder = folder;
  const models::ModelFolder model(std::move(spec));
  const auto engine = models::load_engine(model, {});
  const auto sequences =
      read_json(folder / "tokens.json").at("sequences").get<std::vector<std::vector<TokenId>>>();
  const auto means = read_json(folder / "meta.json").at("mean_nll").get<std::vector<double>>();
  ASSERT_EQ(means.size(), sequences.size());
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const Request request{.tokens = sequences[i], .score_from = 1};
    const Response response = engine->respond({&request, 1}, {}).front();
    double sum = 0;
    for (const double loss : response.nll) sum += loss;
    EXPECT_NEAR(sum / static_cast<double>(response.nll.size()), means[i], 1e-4) << i;
  }
}

std::string test_name(const testing::TestParamInfo<GoldenModel>& test) {
  return name_of(test.param);
}

std::vector<GoldenModel> models_with(const char* file) {
  std::vector<GoldenModel> models = golden_models();
  std::erase_if(models, [&](const GoldenModel& model) { return !fs::exists(model.folder / file); });
  return models;
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, Golden, testing::ValuesIn(golden_models()), test_name);
INSTANTIATE_TEST_SUITE_P(Checkpoints, GoldenLosses, testing::ValuesIn(models_with("nll.npy")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Checkpoints, GoldenMeans, testing::ValuesIn(models_with("tokens.json")),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Golden);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GoldenLosses);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GoldenMeans);

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
