// Every tensor accounted for, every problem listed at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/arch/memory_source.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CheckTensors : public ::testing::Test {
 protected:
  CheckTensors() {
    config_ = read_values({{"model_type", "llama"},
                           {"vocab_size", 20},
                           {"hidden_size", 8},
                           {"intermediate_size", 12},
                           {"num_hidden_layers", 1},
                           {"num_attention_heads", 2},
                           {"tie_word_embeddings", true}},
                          source_);
    fill(source_, config_, llama_);
  }

  void run() const { check_tensors(llama_, llama_.slots(config_, source_), source_); }

  const models::Architecture& llama_ = architecture_named("llama");
  MemorySource source_;
  models::DecoderConfig config_;
};

TEST_F(CheckTensors, ACompleteCheckpointPasses) { EXPECT_NO_THROW(run()); }

TEST_F(CheckTensors, RecomputedBuffersAreNoSurprise) {
  source_.add("model.layers.0.self_attn.rotary_emb.inv_freq", {2});
  EXPECT_NO_THROW(run());
}

TEST_F(CheckTensors, AllProblemsAreListedInOneError) {
  source_.remove("model.norm.weight").remove("model.layers.0.mlp.up_proj.weight");
  source_.add("model.layers.0.mlp.up_proj.weight", {13, 8});
  source_.add("model.layers.0.mlp.extra.weight", {3});
  EXPECT_THAT(error_message([&] { run(); }),
              AllOf(HasSubstr("3 of the tensors"), HasSubstr("missing: 'model.norm.weight'"),
                    HasSubstr("mis-shaped: 'model.layers.0.mlp.up_proj.weight' is [13, 8], "
                              "expected [12, 8]"),
                    HasSubstr("unexpected: 'model.layers.0.mlp.extra.weight' [3]")));
}

TEST_F(CheckTensors, IntegersAreNoWeights) {
  source_.remove("model.norm.weight")
      .add("model.norm.weight", {8}, 0.0F, checkpoint::DType::kInt32);
  EXPECT_THAT(error_message([&] { run(); }),
              AllOf(HasSubstr("'model.norm.weight' is I32"), Not(HasSubstr("missing"))));
}

}  // namespace
}  // namespace yardstick::test
