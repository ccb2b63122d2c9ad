// The states between blocks: golden/olmo_fope has them from the FoPE paper's model code (input of
// each block, then the output of the final norm).
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/npy.hpp"
#include "models/engine/device.hpp"
#include "models/engine/load_engine.hpp"
#include "models/engine/load_weights.hpp"
#include "models/engine/torch_engine.hpp"
#include "models/model_folder.hpp"
#include "tests/models/engine/tiny_model.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

namespace fs = std::filesystem;

/// [L + 1, N, E]; NaN where nothing was handed over. Fails if a number is handed over twice.
std::vector<float> states_of(models::Engine& engine, const std::vector<TokenId>& tokens,
                             const models::DecoderConfig& config) {
  const auto rows = tokens.size();
  const auto width = static_cast<std::size_t>(config.width);
  std::vector<float> states(static_cast<std::size_t>(config.layers + 1) * rows * width, NAN);
  engine.hidden_states(
      tokens, [&](std::int64_t state, std::int64_t first, std::span<const float> found) {
        const std::size_t begin =
            (static_cast<std::size_t>(state) * rows + static_cast<std::size_t>(first)) * width;
        ASSERT_LE(begin + found.size(), states.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          ASSERT_TRUE(std::isnan(states[begin + i])) << "state " << state << " twice";
          states[begin + i] = found[i];
        }
      });
  return states;
}

void expect_close(const std::vector<float>& found, const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], 2e-4) << "number " << i;
}

/// Pieces that do not divide the 160 tokens.
const models::EngineOptions& short_pieces() {
  static const models::EngineOptions options{.batch_tokens = 37};
  return options;
}

class GoldenStates : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    YARDSTICK_SKIP_WITHOUT_SHARED();
    folder_ = shared_path("golden/olmo_fope") / GetParam();
    const NpyArray ids(folder_ / "input_ids.npy");
    for (std::int64_t i = 0; i < ids.size(); ++i)
      tokens_.push_back(static_cast<TokenId>(ids.integer_at(i)));
    stored_ = NpyArray(folder_ / "hidden_states.npy").floats();
    models::ModelSpec spec;
    spec.folder = folder_;
    model_ = std::make_unique<models::ModelFolder>(std::move(spec));
  }

  fs::path folder_;
  std::vector<TokenId> tokens_;
  std::vector<float> stored_;
  std::unique_ptr<models::ModelFolder> model_;
};

TEST_P(GoldenStates, AreThoseOfTheCpusStack) {
  for (const models::EngineOptions& options : {models::EngineOptions(), short_pieces()}) {
    const auto engine = models::load_engine(*model_, options);
    expect_close(states_of(*engine, tokens_, model_->config()), stored_);
  }
}

TEST_P(GoldenStates, AreThoseOfLibTorchsStack) {
  const std::shared_ptr<const position::Encoding> encoding(std::shared_ptr<void>(),
                                                           &model_->encoding());
  for (const models::EngineOptions& options : {models::EngineOptions(), short_pieces()}) {
    models::WeightLoader loader(*model_);
    models::Decoder decoder(model_->config(), loader.load(at::kCPU, at::kFloat), encoding,
                            {.attention = &attention::reference_backend()});
    ASSERT_NE(decoder.attention_name(), "cpu");
    const auto engine = models::make_engine({.decoder = std::move(decoder),
                                             .encoding = encoding,
                                             .options = options,
                                             .loss = {.generatable_ids = 1}});
    expect_close(states_of(*engine, tokens_, model_->config()), stored_);
  }
}

INSTANTIATE_TEST_SUITE_P(OlmoFope, GoldenStates, testing::Values("alibi", "fope", "nope", "rope"));

// What the head reads is the last state: the logits follow from it.
TEST(HiddenStates, TheLastGivesTheLogits) {
  const models::DecoderConfig config = tiny_config(position::Kind::kRope);
  const models::Weights weights = tiny_weights(config);
  const std::vector<TokenId> tokens = random_tokens("states", 60, config.vocabulary);
  for (const TinyStack& stack : tiny_stacks()) {
    const auto engine = tiny_engine(config, weights, {}, stack);
    std::vector<float> states = states_of(*engine, tokens, config);
    const std::int64_t last = config.layers * std::ssize(tokens) * config.width;
    const at::Tensor hidden =
        at::from_blob(states.data() + last, {std::ssize(tokens), config.width}, at::kFloat);
    models::Decoder decoder = tiny_parts(config, weights, {}, stack).decoder;
    const at::Tensor expected = decoder.logits(hidden);
    engine->logits(tokens, [&](std::int64_t first, std::span<const float> rows) {
      const float* const wanted = expected.data_ptr<float>() + first * config.vocabulary;
      for (std::size_t i = 0; i < rows.size(); ++i)
        ASSERT_NEAR(rows[i], wanted[i], 1e-5) << name_of(stack);
    });
  }
}

TEST(HiddenStates, AnIdBeyondTheVocabularyIsRefused) {
  const models::DecoderConfig config = tiny_config(position::Kind::kRope);
  const auto engine = tiny_engine(config, tiny_weights(config));
  const std::vector<TokenId> tokens = {1, static_cast<TokenId>(config.vocabulary)};
  EXPECT_THROW(engine->hidden_states(tokens, {}), Error);
}

}  // namespace
}  // namespace yardstick::test
