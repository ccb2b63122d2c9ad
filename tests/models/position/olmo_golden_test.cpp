// The FoPE paper's own model code (golden/olmo_fope) as the source of every value: frequencies,
// the tables that multiply q and k, rotated q and k, and ALiBi's slopes and bias.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/npy.hpp"
#include "models/position/frequencies.hpp"
#include "tests/models/position/olmo_golden.hpp"
#include "tests/models/position/support.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

using position::Encoding;
using position::PositionPlan;

/// The plan of a golden folder with the counts that its matrices have.
PositionPlan sized_plan(const std::filesystem::path& folder) {
  PositionPlan plan = olmo_plan(folder);
  if (plan.kind != position::Kind::kFope) return plan;
  const position::FopeCounts counts = position::fope_counts(plan);
  plan.fope.input_count = counts.input;
  plan.fope.output_count = counts.output;
  return plan;
}

class OlmoGolden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    YARDSTICK_SKIP_WITHOUT_SHARED();
    folder_ = shared_path("golden/olmo_fope") / GetParam();
    encoding_ = make_encoding(sized_plan(folder_), olmo_coefficients(folder_));
  }

  bool is_scaled() const { return encoding_->plan().scaling.kind != position::ScalingKind::kNone; }

  std::filesystem::path folder_;
  std::unique_ptr<const Encoding> encoding_;
};

// A fixture a kind of stored array, each run on the folders that hold it.
class OlmoRotating : public OlmoGolden {};
class OlmoFope : public OlmoGolden {};
class OlmoQueries : public OlmoGolden {};
class OlmoAlibi : public OlmoGolden {};
class OlmoUnrotated : public OlmoGolden {};

/// One ulp: the code computes its powers in f32, the formula is evaluated in f64 here. Scaled
/// lists pass through more f32 steps there; 4 ulps cover them.
void expect_frequencies(const std::vector<float>& golden, const std::vector<float>& found,
                        std::int64_t tolerance_ulps) {
  ASSERT_EQ(found.size(), golden.size());
  for (std::size_t i = 0; i < golden.size(); ++i) {
    EXPECT_LE(ulps(found[i], golden[i]), tolerance_ulps)
        << "frequency " << i << ": " << found[i] << " for " << golden[i];
  }
}

TEST_P(OlmoRotating, FrequenciesAreThoseOfThePapersCode) {
  const auto found = encoding_->frequencies(0);
  expect_frequencies(NpyArray(folder_ / "inv_freq.npy").floats(), {found.begin(), found.end()},
                     is_scaled() ? 4 : 1);
}

TEST_P(OlmoFope, FrequenciesWithZerosShowWhatTheFloorRemoved) {
  const auto table = position::frequency_table(encoding_->plan(), 0);
  expect_frequencies(NpyArray(folder_ / "inv_freq_with_zeros.npy").floats(), table.values,
                     is_scaled() ? 4 : 1);
}

/// Largest difference between a golden [H, T, D/2] array and a table of H or 1 heads.
float table_difference(const NpyArray& golden, const std::vector<float>& found) {
  const std::vector<float> expected = golden.floats();
  float largest = 0.0F;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const float difference = std::abs(expected[i] - found[i % found.size()]);
    if (std::isnan(difference)) return difference;
    largest = std::max(largest, difference);
  }
  return largest;
}

TEST_P(OlmoRotating, TablesAreThoseThatMultiplyQAndK) {
  int compared = 0;
  for (int layer = 0; layer < 4; ++layer) {
    const std::string suffix = "_table_layer" + std::to_string(layer) + ".npy";
    if (!std::filesystem::exists(folder_ / ("cos" + suffix))) continue;
    const NpyArray cos(folder_ / ("cos" + suffix));
    const NpyArray sin(folder_ / ("sin" + suffix));
    const std::int64_t count = cos.shape()[1];
    const Tables found = fill(*encoding_, {.layer = layer, .count = count, .total_length = count});
    ASSERT_EQ(cos.size() % static_cast<std::int64_t>(found.cos.size()), 0);
    // Frequencies one f32 unit (up to 6e-8) apart move the angle by up to position x 6e-8.
    const float tolerance = 1e-6F + 6e-8F * static_cast<float>(count);
    EXPECT_LE(table_difference(cos, found.cos), tolerance) << "cos of layer " << layer;
    EXPECT_LE(table_difference(sin, found.sin), tolerance) << "sin of layer " << layer;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST_P(OlmoQueries, RotatedQueriesAndKeysAreThoseOfThePapersCode) {
  for (const std::string part : {"q", "k"}) {
    const NpyArray before(folder_ / (part + "_before_layer1.npy"));
    const std::vector<float> in = before.floats();
    const std::vector<float> expected = NpyArray(folder_ / (part + "_after_layer1.npy")).floats();
    const auto heads = static_cast<std::size_t>(before.shape()[0]);
    const auto count = static_cast<std::size_t>(before.shape()[1]);
    const auto dims = static_cast<std::size_t>(before.shape()[2]);
    const Tables all = fill(*encoding_, {.layer = 1, .count = before.shape()[1]});
    for (std::size_t row = 0; row < heads * count; ++row) {
      const std::size_t table_row = row % (all.cos.size() / (dims / 2));
      const std::vector<double> x(in.begin() + row * dims, in.begin() + (row + 1) * dims);
      const std::vector<double> found = rotate(x, all, table_row);
      for (std::size_t i = 0; i < dims; ++i) {
        ASSERT_NEAR(found[i], expected[row * dims + i], 1e-4)
            << part << " head " << row / count << " position " << row % count << " dim " << i;
      }
    }
  }
}

TEST_P(OlmoAlibi, SlopesAreThoseOfThePapersCode) {
  const std::vector<float> golden = NpyArray(folder_ / "alibi_slopes.npy").floats();
  const std::vector<double> found = encoding_->bias_slopes(0);
  ASSERT_EQ(found.size(), golden.size());
  for (std::size_t h = 0; h < golden.size(); ++h) {
    // The code raises 2 to an f32 exponent: up to 2 units of the last place.
    EXPECT_LE(ulps(static_cast<float>(found[h]), golden[h]), 2) << "head " << h;
  }
}

TEST_P(OlmoAlibi, BiasIsMinusSlopeTimesDistance) {
  const std::vector<float> bias = NpyArray(folder_ / "alibi_bias_8x8.npy").floats();
  const std::vector<double> slopes = encoding_->bias_slopes(0);
  ASSERT_EQ(bias.size(), slopes.size() * 64);
  for (int at = 0; at < static_cast<int>(bias.size()); ++at) {
    const int distance = std::abs(at / 8 % 8 - at % 8);
    const auto expected = static_cast<double>(bias[static_cast<std::size_t>(at)]);
    EXPECT_NEAR(-slopes[static_cast<std::size_t>(at / 64)] * distance, expected, 1e-6) << at;
  }
}

TEST_P(OlmoUnrotated, NothingMultipliesQAndK) {
  EXPECT_FALSE(encoding_->rotation(0));
  EXPECT_TRUE(encoding_->frequencies(64).empty());
}

const std::vector<std::string> kFopeFolders = {"fope",
                                               "fope_block_groups",
                                               "fope_finetune_expand",
                                               "fope_finetune_yarn",
                                               "fope_fourier_dim",
                                               "fope_hd64_len1024",
                                               "fope_hd64_len512",
                                               "fope_keep_zero",
                                               "fope_pi",
                                               "fope_shared",
                                               "fope_yarn_after",
                                               "fope_yarn_before"};
const std::vector<std::string> kRopeFolders = {"olmo_gqa_qknorm", "olmo_ln_gelu_tied", "rope",
                                               "rope_clamped",    "rope_pi",           "rope_yarn"};

std::string folder_name(const testing::TestParamInfo<std::string>& folder) { return folder.param; }

INSTANTIATE_TEST_SUITE_P(Fope, OlmoRotating, testing::ValuesIn(kFopeFolders), folder_name);
INSTANTIATE_TEST_SUITE_P(Rope, OlmoRotating, testing::ValuesIn(kRopeFolders), folder_name);
INSTANTIATE_TEST_SUITE_P(Folders, OlmoFope, testing::ValuesIn(kFopeFolders), folder_name);
INSTANTIATE_TEST_SUITE_P(Folders, OlmoQueries, testing::Values("fope", "rope"), folder_name);
INSTANTIATE_TEST_SUITE_P(Folders, OlmoAlibi, testing::Values("alibi", "alibi_odd_heads"),
                         folder_name);
INSTANTIATE_TEST_SUITE_P(Folders, OlmoUnrotated,
                         testing::Values("alibi", "alibi_odd_heads", "nope", "olmo_wpe"),
                         folder_name);

}  // namespace
}  // namespace yardstick::test
