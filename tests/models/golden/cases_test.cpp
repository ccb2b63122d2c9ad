// Models on which a release was wrong without a word, with the mean losses that are right: float64
// from the definition, and transformers 5.12.1.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "models/engine/load_engine.hpp"
#include "models/model_folder.hpp"
#include "models/reference/token_lists.hpp"
#include "tests/support/case_folder.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

/// Mean loss of all tokens but the first, in nats.
double mean_loss(const std::filesystem::path& folder, const std::string& tokens,
                 const nlohmann::json& position = nullptr) {
  models::ModelSpec spec;
  spec.folder = folder;
  spec.overrides.position = position;
  const models::ModelFolder model(std::move(spec));
  const auto engine = models::load_engine(model, {});
  const Request request{.tokens = models::read_token_lists(shared_path(tokens)).front(),
                        .score_from = 1};
  const Response response = engine->respond({&request, 1}, {}).front();
  double sum = 0;
  for (const double loss : response.nll) sum += loss;
  return sum / static_cast<double>(response.nll.size());
}

// Float64 from the definition: YaRN on the full-attention layers alone.
TEST(Cases, Olmo3ScalesItsFullLayersAlone) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  EXPECT_NEAR(mean_loss(shared_path("cases/olmo3-yarn/model"), "cases/olmo3-yarn/tokens.json"),
              6.902512, 2e-5);
}

// transformers 5.12.1.
TEST(Cases, ProportionalIsTheSameInTheConfigurationAndAsAnOverride) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::string tokens = "cases/overrides/tokens_512.json";
  const double written = mean_loss(CaseFolder("overrides/ckpt_prop").path(), tokens);
  EXPECT_NEAR(written, 6.0925, 1e-4);
  EXPECT_EQ(
      mean_loss(shared_path("models/stories260K"), tokens,
                {{"rope_type", "proportional"}, {"partial_rotary_factor", 0.5}, {"factor", 2}}),
      written);
}

// transformers 5.12.1: attention factor 1.1547, from the factor that the file gives.
TEST(Cases, LongRopeTakesTheGivenFactor) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  EXPECT_NEAR(mean_loss(CaseFolder("overrides/ckpt_lr").path(), "cases/overrides/tokens_512.json"),
              4.2911, 1e-4);
}

}  // namespace
}  // namespace yardstick::test
