// A three-layer llama against its own numbers with known changes, and against the numbers of the
// same llama with one weight changed.
#include "models/reference/comparison.hpp"

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "models/engine/load_engine.hpp"
#include "tests/models/arch/small_llama.hpp"
#include "tests/models/reference/stored.hpp"

namespace yardstick::test {
namespace {

using models::Comparison;
using models::Reference;

constexpr std::int64_t kWidth = 8;
constexpr std::int64_t kVocabulary = 6;
constexpr std::int64_t kLayers = 3;
const std::vector<TokenId> kTokens = {0, 3, 5, 1, 1, 4, 2};
const auto kRows = static_cast<std::int64_t>(kTokens.size());

/// `changed`: the one tensor that has other numbers.
SmallLlama three_layers(const std::string& changed = "") {
  SmallLlama llama;
  llama.config["num_hidden_layers"] = kLayers;
  const std::vector<checkpoint::TensorToWrite> first = llama.tensors;
  for (const char* const layer : {"layers.1", "layers.2"}) {
    for (const checkpoint::TensorToWrite& tensor : first) {
      const std::size_t at = tensor.name.find("layers.0");
      if (at == std::string::npos) continue;
      llama.tensors.push_back(tensor);
      llama.tensors.back().name.replace(at, std::string("layers.0").size(), layer);
    }
  }
  for (checkpoint::TensorToWrite& tensor : llama.tensors) {
    if (tensor.name != changed) continue;
    SmallLlama other;
    other.add("", tensor.shape, 1.0F);
    tensor.bytes = other.tensors.back().bytes;
  }
  return llama;
}

/// What an engine answers.
struct Numbers {
  std::vector<float> logits;  // [N, V]
  std::vector<float> states;  // [L + 1, N, E]
};

class Compared : public testing::Test {
 protected:
  void SetUp() override {
    three_layers().write(folder_);
    model_ = std::make_unique<models::ModelFolder>(open_model(folder_.path()));
    engine_ = models::load_engine(*model_, {});
  }

  static Numbers numbers_of(models::Engine& engine) {
    Numbers out;
    engine.logits(kTokens, [&](std::int64_t, std::span<const float> rows) {
      out.logits.insert(out.logits.end(), rows.begin(), rows.end());
    });
    engine.hidden_states(kTokens, [&](std::int64_t, std::int64_t, std::span<const float> rows) {
      out.states.insert(out.states.end(), rows.begin(), rows.end());
    });
    return out;
  }

  Comparison against(const Numbers& numbers, double tolerance = 1e-4) {
    checkpoint::write_safetensors(
        folder_ / "r.safetensors",
        {stored_ids("tokens", kTokens),
         stored_floats("logits", {kRows, kVocabulary}, numbers.logits),
         stored_floats("hidden_states", {kLayers + 1, kRows, kWidth}, numbers.states)},
        {});
    const Reference reference = models::read_reference({.numbers = folder_ / "r.safetensors"});
    check_fits(reference, model_->config());
    return compare(*engine_, reference, tolerance);
  }

  Comparison against_model_with(const std::string& changed) {
    const TemporaryFolder folder;
    three_layers(changed).write(folder);
    const models::ModelFolder model = open_model(folder.path());
    return against(numbers_of(*models::load_engine(model, {})));
  }

  TemporaryFolder folder_;
  std::unique_ptr<models::ModelFolder> model_;
  std::unique_ptr<models::Engine> engine_;
};

TEST_F(Compared, WithItself) {
  const Comparison same = against(numbers_of(*engine_), 0);
  EXPECT_EQ(same.logits.worst, 0);
  EXPECT_EQ(same.logits.mean, 0);
  ASSERT_TRUE(same.losses);
  EXPECT_EQ(same.losses->found, same.losses->stored);
  EXPECT_EQ(same.losses->scored, kRows - 1);
  EXPECT_TRUE(same.is_within());
}

TEST_F(Compared, OneLogitThatIsOff) {
  Numbers numbers = numbers_of(*engine_);
  float& logit = numbers.logits[2 * kVocabulary + 3];
  logit += 0.5F;
  const Comparison off = against(numbers);
  EXPECT_NEAR(off.logits.worst, 0.5, 1e-6);
  EXPECT_EQ(off.logits.place.position, 2);
  EXPECT_EQ(off.logits.place.column, 3);
  EXPECT_EQ(off.logits.stored, logit);
  EXPECT_NEAR(off.logits.mean, 0.5 / static_cast<double>(kRows * kVocabulary), 1e-7);
  EXPECT_FALSE(off.first_state_beyond());
  EXPECT_FALSE(off.is_within());
  EXPECT_FALSE(against(numbers, 0.49).is_within());
  EXPECT_TRUE(against(numbers, 0.51).is_within());
}

// The worst is not the first.
TEST_F(Compared, WhereADifferenceBegins) {
  Numbers numbers = numbers_of(*engine_);
  numbers.logits[3 * kVocabulary + 1] += 0.25F;
  numbers.logits[5 * kVocabulary + 2] += 0.5F;
  numbers.states[static_cast<std::size_t>((1 * kRows + 2) * kWidth) + 6] *= 1.5F;
  numbers.states[static_cast<std::size_t>((1 * kRows + 4) * kWidth) + 7] *= 9.0F;
  const Comparison off = against(numbers);
  EXPECT_EQ(off.logits.place.position, 5);
  ASSERT_TRUE(off.logits.first_beyond);
  EXPECT_EQ(off.logits.first_beyond->position, 3);
  EXPECT_EQ(off.logits.first_beyond->column, 1);
  EXPECT_EQ(off.states[1].place.position, 4);
  ASSERT_TRUE(off.states[1].first_beyond);
  EXPECT_EQ(off.states[1].first_beyond->position, 2);
  EXPECT_EQ(off.states[1].first_beyond->column, 6);
}

TEST_F(Compared, EqualLogitsGiveTheLossOfAGuess) {
  Numbers numbers = numbers_of(*engine_);
  std::ranges::fill(numbers.logits, 2.0F);
  EXPECT_NEAR(against(numbers).losses->stored, std::log(6.0), 1e-12);
}

TEST_F(Compared, AStateIsMeasuredByItsRow) {
  Numbers numbers = numbers_of(*engine_);
  const std::ptrdiff_t row = (2 * kRows + 4) * kWidth;  // state 2, position 4
  const auto begin = numbers.states.begin() + row;
  std::ranges::fill(begin, begin + kWidth, 1000.0F);
  const float found = numbers_of(*engine_).states[static_cast<std::size_t>(row) + 1];
  begin[1] = found;  // one dimension agrees
  const Comparison off = against(numbers);
  EXPECT_EQ(off.states[1].worst, 0);
  EXPECT_EQ(off.states[3].worst, 0);
  EXPECT_EQ(off.states[2].place.position, 4);
  EXPECT_NE(off.states[2].place.column, 1);
  // 7 of 8 squares of 1000: the root mean square is 1000 sqrt(7/8), found numbers are a few units.
  EXPECT_NEAR(off.states[2].worst, std::sqrt(8.0 / 7.0), 0.05);
  EXPECT_EQ(off.states[2].worst_at_start, 0);
  EXPECT_EQ(off.first_state_beyond(), 2);
  EXPECT_FALSE(off.is_within());
}

TEST_F(Compared, TheFirstLayerThatDiffersIsTheOneThatWasChanged) {
  for (const int layer : {0, 1, 2}) {
    const std::string name = "model.layers." + std::to_string(layer) + ".mlp.down_proj.weight";
    EXPECT_EQ(against_model_with(name).first_state_beyond(), layer + 1) << name;
  }
  EXPECT_EQ(against_model_with("model.embed_tokens.weight").first_state_beyond(), 0);
  EXPECT_EQ(against_model_with("model.norm.weight").first_state_beyond(), kLayers);
}

// A query that sees one key takes its value whatever the score.
TEST_F(Compared, WhatIsBetweenPositionsLeavesTheFirstAlone) {
  const auto start_of = [&](const std::string& part) {
    const Comparison off = against_model_with("model.layers.1." + part + ".weight");
    EXPECT_GT(off.states[2].worst, 1e-2) << part;
    return off.states[2].worst_at_start;
  };
  EXPECT_LT(start_of("self_attn.q_proj"), 1e-6);
  EXPECT_LT(start_of("self_attn.k_proj"), 1e-6);
  EXPECT_GT(start_of("self_attn.v_proj"), 1e-2);
  EXPECT_GT(start_of("mlp.up_proj"), 1e-2);
}

}  // namespace
}  // namespace yardstick::test
