// What a reference file may hold, and what is said of one that does not fit.
#include "models/reference/reference.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/npy.hpp"
#include "tests/models/reference/stored.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {
namespace {

using checkpoint::TensorToWrite;
using models::Reference;
using models::stored_rows;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two tokens, a vocabulary of 3, one layer of width 2.
models::DecoderConfig small_config() {
  models::DecoderConfig config;
  config.vocabulary = 3;
  config.width = 2;
  config.layers = 1;
  return config;
}

const TensorToWrite kTokens = stored_ids("tokens", {0, 2});
const TensorToWrite kLogits = stored_floats("logits", {2, 3}, {0, 1, 2, 3, 4, 5});
const TensorToWrite kStates = stored_floats("hidden_states", {2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});

class ReferenceFile : public testing::Test {
 protected:
  Reference read(const std::vector<TensorToWrite>& tensors) {
    checkpoint::write_safetensors(folder_ / "r.safetensors", tensors, {});
    return models::read_reference({.numbers = folder_ / "r.safetensors"});
  }
  std::string refusal(const std::vector<TensorToWrite>& tensors) {
    return error_message([&] { check_fits(read(tensors), small_config()); });
  }

  TemporaryFolder folder_;
};

TEST_F(ReferenceFile, HoldsTokensLogitsAndStates) {
  const Reference reference = read({kTokens, kLogits, kStates});
  check_fits(reference, small_config());
  EXPECT_EQ(reference.sequences, (models::TokenLists{{0, 2}}));
  EXPECT_THAT(stored_rows(reference.logits, 1, 1), ElementsAre(3, 4, 5));
  ASSERT_EQ(reference.states.size(), 2U);
  EXPECT_THAT(stored_rows(reference.states[1], 0, 2), ElementsAre(4, 5, 6, 7));
}

TEST_F(ReferenceFile, MayHaveATensorAStateAndABatchOfOne) {
  const Reference reference =
      read({stored_ids("input_ids", {0, 2}), stored_floats("logits", {1, 2, 3}, {0, 1, 2, 3, 4, 5}),
            stored_floats("hidden_states.0", {1, 2, 2}, {0, 1, 2, 3}),
            stored_floats("hidden_states.1", {2, 2}, {4, 5, 6, 7})});
  check_fits(reference, small_config());
  EXPECT_THAT(stored_rows(reference.logits, 0, 2), ElementsAre(0, 1, 2, 3, 4, 5));
  ASSERT_EQ(reference.states.size(), 2U);
  EXPECT_THAT(stored_rows(reference.states[0], 1, 1), ElementsAre(2, 3));
}

TEST_F(ReferenceFile, ArraysHaveTheirTokensBeside) {
  const std::vector<float> logits = {0, 1, 2, 3, 4, 5};
  NpyWriter writer(folder_ / "logits.npy", 2, 3);
  writer.append(logits);
  writer.finish();
  write_file_atomically(folder_ / "tokens.json", R"({"sequences": [[0], [2]]})");
  const models::ReferenceFiles files{.numbers = folder_ / "logits.npy",
                                     .tokens = folder_ / "tokens.json"};
  const Reference reference = models::read_reference(files);
  check_fits(reference, small_config());
  EXPECT_EQ(reference.sequences, (models::TokenLists{{0}, {2}}));
  EXPECT_THAT(stored_rows(reference.logits, 1, 1), ElementsAre(3, 4, 5));
  EXPECT_THAT(
      error_message([&] { static_cast<void>(models::read_reference({.numbers = files.numbers})); }),
      HasSubstr("holds no tokens; name their file"));
}

TEST_F(ReferenceFile, WhatIsMissingOrUnknownIsNamed) {
  EXPECT_THAT(refusal({kTokens}), HasSubstr("tensor 'logits' [tokens, vocabulary] is missing"));
  EXPECT_THAT(refusal({kLogits}), HasSubstr("--tokens"));
  EXPECT_THAT(refusal({kTokens, kLogits, stored_floats("hiden_states", {1}, {0})}),
              HasSubstr("unknown tensor 'hiden_states'"));
  EXPECT_THAT(refusal({kTokens, kLogits, stored_floats("hidden_states.1", {2, 2}, {4, 5, 6, 7})}),
              HasSubstr("'hidden_states.0' is missing"));
  EXPECT_THAT(refusal({kTokens, stored_ids("input_ids", {0, 2}), kLogits}),
              HasSubstr("both 'tokens' and 'input_ids'"));
}

TEST_F(ReferenceFile, WhatDoesNotFitTheModelIsNamed) {
  EXPECT_THAT(refusal({kTokens, stored_floats("logits", {2, 2}, {0, 1, 2, 3})}),
              HasSubstr("'logits' is [2, 2], but the model has a vocabulary of 3"));
  EXPECT_THAT(refusal({kTokens, stored_floats("logits", {1, 3}, {0, 1, 2})}),
              HasSubstr("'logits' is [1, 3], but there are 2 tokens"));
  EXPECT_THAT(refusal({kTokens, stored_ids("logits", {0, 1, 2})}),
              HasSubstr("'logits' is I32 [3]; expected floats [tokens, vocabulary]"));
  EXPECT_THAT(refusal({stored_ids("tokens", {0, 3}), kLogits}),
              HasSubstr("token 1 of sequence 0 is 3, but the model's vocabulary has ids 0 to 2"));
  EXPECT_THAT(refusal({kTokens, kLogits, stored_floats("hidden_states", {1, 2, 2}, {0, 1, 2, 3})}),
              HasSubstr("has 1 hidden states, but the model has 1 layers; expected 2"));
  EXPECT_THAT(refusal({kTokens, kLogits, stored_floats("hidden_states", {2, 2, 1}, {0, 1, 2, 3})}),
              HasSubstr("'hidden_states[0]' is [2, 1], but the model has a width of 2"));
}

TEST_F(ReferenceFile, ANumberThatIsNotFiniteIsRefusedWhenRead) {
  const float infinite = std::numeric_limits<float>::infinity();
  const Reference reference =
      read({kTokens, stored_floats("logits", {2, 3}, {0, 1, 2, 3, infinite, 5})});
  EXPECT_THAT(error_message([&] { static_cast<void>(stored_rows(reference.logits, 1, 1)); }),
              HasSubstr("'logits' holds inf in row 1, column 1"));
}

TEST_F(ReferenceFile, AnotherKindOfFileIsRefused) {
  EXPECT_THAT(error_message([&] {
                static_cast<void>(models::read_reference({.numbers = folder_ / "logits.pt"}));
              }),
              HasSubstr("expected a .safetensors or .npy file"));
}

}  // namespace
}  // namespace yardstick::test
