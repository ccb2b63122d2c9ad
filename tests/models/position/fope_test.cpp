// FoPE by closed forms: users.md B-30 to B-34b and paper.md 5.2, claims 1 to 3. Values of the
// paper's own code are compared in olmo_golden_test.cpp.
#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/position/frequencies.hpp"
#include "tests/models/position/support.hpp"

namespace yardstick::test {
namespace {

using position::Fope;
using position::FopeCounts;
using position::LayerParameters;
using position::PositionPlan;
using position::ZeroPairs;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

PositionPlan sized(PositionPlan plan) {
  const FopeCounts counts = position::fope_counts(plan);
  plan.fope.input_count = counts.input;
  plan.fope.output_count = counts.output;
  return plan;
}

std::int64_t table_heads(const PositionPlan& plan) {
  if (plan.fope.heads == Fope::Heads::kKeyHeads) return plan.kv_heads;
  return plan.fope.heads == Fope::Heads::kSeparate ? plan.heads : 1;
}

/// A matrix with `value` at (j, j) of every head.
std::vector<float> diagonal(const PositionPlan& plan, float value) {
  const std::int64_t n = plan.fope.input_count;
  const std::int64_t d = plan.fope.output_count;
  std::vector<float> out(static_cast<std::size_t>(table_heads(plan) * n * d));
  for (std::int64_t h = 0; h < table_heads(plan); ++h) {
    for (std::int64_t j = 0; j < std::min(n, d); ++j) {
      out[static_cast<std::size_t>((h * n + j) * d + j)] = value;
    }
  }
  return out;
}

std::vector<float> random_matrix(const PositionPlan& plan, std::string_view purpose) {
  const auto values =
      random_vector(purpose, table_heads(plan) * plan.fope.input_count * plan.fope.output_count);
  std::vector<float> out;
  for (const double value : values) out.push_back(static_cast<float>(0.2 * value));
  return out;
}

std::unique_ptr<const position::Encoding> with_identity(const PositionPlan& plan) {
  return make_encoding(plan, {{diagonal(plan, 1.0F), diagonal(plan, 1.0F)}});
}

TEST(Fope, CountsAreThoseOfThePapersModels) {
  EXPECT_EQ(position::fope_counts(fope_plan(64, 512)), (FopeCounts{16, 16}));
  EXPECT_EQ(position::fope_counts(fope_plan(64, 1024)), (FopeCounts{18, 16}));
  EXPECT_EQ(position::fope_counts(fope_plan(128, 512)), (FopeCounts{31, 31}));
  EXPECT_EQ(position::fope_counts(fope_plan(128, 1024)), (FopeCounts{36, 32}));
  // Llama 2 7B: pairs 46 to 63 complete no cycle within 4096 tokens.
  EXPECT_EQ(position::fope_counts(fope_plan(128, 4096)).input, 46);
}

TEST(Fope, IdentityCoefficientsWithSineZeroAreClippedRope) {
  PositionPlan plan = sized(fope_plan(64, 512));
  plan.fope.zero_pairs = ZeroPairs::kCosOneSinZero;
  PositionPlan clipped = rope_plan(64);
  clipped.floor_frequency = plan.floor_frequency;
  const position::RotationQuery query{.first_position = 3000, .count = 150};
  const Tables fope = fill(*with_identity(plan), query);
  const Tables rope = fill(*make_encoding(clipped, {}), query);
  ASSERT_EQ(fope.cos.size(), 2 * rope.cos.size());  // a table a head
  for (std::size_t at = 0; at < fope.cos.size(); ++at) {
    ASSERT_EQ(fope.cos[at], rope.cos[at % rope.cos.size()]) << at;
    ASSERT_EQ(fope.sin[at], rope.sin[at % rope.sin.size()]) << at;
  }
}

/// The share of q'.k' that the padded pairs (from `first` on) contribute.
double padded_share(const std::vector<double>& q, const std::vector<double>& k, std::size_t first) {
  const std::size_t half = q.size() / 2;
  double sum = 0.0;
  for (std::size_t j = first; j < half; ++j) sum += q[j] * k[j] + q[j + half] * k[j + half];
  return sum;
}

TEST(Fope, PaddedPairsCountTwiceAtEveryDistance) {
  const PositionPlan plan = sized(fope_plan(64, 512));
  const Tables tables = fill(*with_identity(plan), {.count = 200});
  const std::vector<double> q = random_vector("q", 64);
  const std::vector<double> k = random_vector("k", 64);
  const double plain = padded_share(q, k, 16);
  for (const std::size_t distance : {0U, 1U, 63U, 199U}) {
    const double found = padded_share(rotate(q, tables, distance), rotate(k, tables, 0), 16);
    EXPECT_NEAR(found, 2.0 * plain, 1e-12) << "distance " << distance;
  }
}

TEST(Fope, PaperVariantLeavesPaddedPairsAlone) {
  PositionPlan plan = sized(fope_plan(64, 512));
  plan.fope.zero_pairs = ZeroPairs::kCosOneSinZero;
  const Tables tables = fill(*with_identity(plan), {.first_position = 77, .count = 1});
  const std::vector<double> q = random_vector("q", 64);
  const std::vector<double> turned = rotate(q, tables, 0);
  for (std::size_t j = 16; j < 32; ++j) {
    EXPECT_EQ(turned[j], q[j]);
    EXPECT_EQ(turned[j + 32], q[j + 32]);
  }
}

TEST(Fope, SeriesIsTheSumOverTheBank) {
  const PositionPlan plan = sized(fope_plan(64, 1024));
  const LayerParameters coefficients{random_matrix(plan, "cos"), random_matrix(plan, "sin")};
  const auto encoding = make_encoding(plan, {coefficients});
  const std::vector<double> bank = encoding->frequencies(0);
  ASSERT_EQ(bank.size(), 18U);
  const Tables found = fill(*encoding, {.first_position = 100, .count = 70});
  for (std::size_t h = 0; h < 2; ++h) {
    for (const std::size_t row : {0U, 63U, 64U, 69U}) {  // both sides of a block of 64
      for (std::size_t j = 0; j < 16; ++j) {
        double cos = 0.0;
        double sin = 0.0;
        for (std::size_t i = 0; i < 18; ++i) {
          const double angle = static_cast<float>(static_cast<double>(100 + row) * bank[i]);
          cos += std::cos(angle) * coefficients.cos[(h * 18 + i) * 16 + j];
          sin += std::sin(angle) * coefficients.sin[(h * 18 + i) * 16 + j];
        }
        EXPECT_NEAR(found.cos[(h * 70 + row) * 32 + j], cos, 2e-6) << h << " " << row << " " << j;
        EXPECT_NEAR(found.sin[(h * 70 + row) * 32 + j], sin, 2e-6) << h << " " << row << " " << j;
      }
    }
  }
}

TEST(Fope, RowsDoNotDependOnWhereAChunkBegins) {
  const PositionPlan plan = sized(fope_plan(64, 1024));
  const auto encoding =
      make_encoding(plan, {{random_matrix(plan, "cos"), random_matrix(plan, "sin")}});
  const Tables whole = fill(*encoding, {.count = 300});
  const Tables chunk = fill(*encoding, {.first_position = 37, .count = 101});
  for (std::size_t h = 0; h < 2; ++h) {
    for (std::size_t at = 0; at < 101 * 32; ++at) {
      ASSERT_EQ(chunk.cos[h * 101 * 32 + at], whole.cos[(h * 300 + 37) * 32 + at]) << at;
      ASSERT_EQ(chunk.sin[h * 101 * 32 + at], whole.sin[(h * 300 + 37) * 32 + at]) << at;
    }
  }
}

TEST(Fope, ScoresDependOnMoreThanTheDistance) {
  // Cosine and sine with coefficients of their own are no pure phase: a shift of both positions
  // changes the score, where RoPE's would stay (paper.md 5.2, claim 3).
  const PositionPlan plan = sized(fope_plan(64, 512));
  const auto encoding =
      make_encoding(plan, {{random_matrix(plan, "cos"), random_matrix(plan, "sin")}});
  const Tables tables = fill(*encoding, {.count = 200});
  const std::vector<double> q = random_vector("q", 64);
  const std::vector<double> k = random_vector("k", 64);
  const double at_start = dot(rotate(q, tables, 10), rotate(k, tables, 0));
  const double shifted = dot(rotate(q, tables, 110), rotate(k, tables, 100));
  EXPECT_GT(std::abs(at_start - shifted), 0.01);
}

TEST(Fope, EachLayerHasItsOwnTables) {
  const PositionPlan plan = sized(fope_plan(64, 512));
  const auto encoding = make_encoding(plan, {{diagonal(plan, 1.0F), diagonal(plan, 1.0F)},
                                             {diagonal(plan, 2.0F), diagonal(plan, 1.0F)}});
  const position::RotationShape expected{.table_heads = 2, .pairs = 32, .table_set = 1};
  EXPECT_EQ(encoding->rotation(1), expected);
  const Tables first = fill(*encoding, {.layer = 0, .first_position = 9, .count = 1});
  const Tables second = fill(*encoding, {.layer = 1, .first_position = 9, .count = 1});
  EXPECT_EQ(second.cos[0], 2.0F * first.cos[0]);
  EXPECT_EQ(second.sin[0], first.sin[0]);
}

TEST(Fope, FrequenciesDoNotFollowTheEvaluatedLength) {
  const PositionPlan plan = sized(fope_plan(64, 512));
  const auto encoding = with_identity(plan);
  EXPECT_EQ(encoding->length_use(), position::LengthUse::kNone);
  EXPECT_EQ(encoding->frequencies(512), encoding->frequencies(1'000'000));
  EXPECT_EQ(encoding->frequencies(0).size(), 16U);
}

TEST(Fope, SharedHeadsAndBasisServeEveryone) {
  PositionPlan plan = fope_plan(64, 512);
  plan.heads = 4;
  plan.kv_heads = 2;
  plan.fope.heads = Fope::Heads::kShared;
  plan.fope.basis = Fope::Basis::kShared;
  plan = sized(plan);
  const auto encoding = make_encoding(plan, {{diagonal(plan, 1.0F), {}}});
  EXPECT_EQ(encoding->rotation(0)->table_heads, 1);
  const Tables found = fill(*encoding, {.first_position = 3, .count = 1});
  EXPECT_EQ(found.cos[0], static_cast<float>(std::cos(3.0)));
  EXPECT_EQ(found.sin[0], static_cast<float>(std::sin(3.0)));
}

// The form of the one large public model: a matrix a key head, as many pairs as frequencies.
TEST(Fope, KeyHeadsHaveMatricesOfAllSurvivors) {
  PositionPlan plan = fope_plan(64, 512);
  plan.heads = 8;
  plan.kv_heads = 2;
  plan.fope.heads = Fope::Heads::kKeyHeads;
  plan.fope.outputs = Fope::Outputs::kAll;
  plan.floor_frequency = 2.0 * std::numbers::pi / 1024.0;
  plan = sized(plan);
  EXPECT_EQ(plan.fope.input_count, 18);  // of 32, as for a training length of 1024
  EXPECT_EQ(plan.fope.output_count, 18);
  const auto encoding = with_identity(plan);
  EXPECT_EQ(encoding->rotation(0)->table_heads, 2);
  // With the identity as coefficients FoPE is RoPE with padded pairs.
  const Tables found = fill(*encoding, {.first_position = 5, .count = 1});
  for (std::size_t j = 0; j < 18; ++j) {
    const double angle = 5.0 * std::pow(10000.0, -static_cast<double>(j) / 32.0);
    EXPECT_NEAR(found.cos[j], std::cos(angle), 1e-6) << j;
    EXPECT_NEAR(found.sin[j], std::sin(angle), 1e-6) << j;
  }
  for (std::size_t j = 18; j < 32; ++j) EXPECT_EQ(found.sin[j], 1.0F) << j;
}

TEST(Fope, NormalisedColumnsSumToOne) {
  PositionPlan plan = sized(fope_plan(64, 512));
  plan.fope.coefficients = Fope::Coefficients::kColumnNormalised;
  // Every column holds 16 equal entries, so each becomes the mean of the bank's waves.
  const std::vector<float> equal(2 * 16 * 16, 3.0F);
  const auto encoding = make_encoding(plan, {{equal, equal}});
  const Tables found = fill(*encoding, {.count = 1});
  for (std::size_t j = 0; j < 16; ++j) EXPECT_NEAR(found.cos[j], 1.0F, 1e-6);
}

TEST(Fope, RefusesAColumnThatCannotBeNormalised) {
  PositionPlan plan = sized(fope_plan(64, 512));
  plan.fope.coefficients = Fope::Coefficients::kColumnNormalised;
  EXPECT_THAT(model_error([&] {
                (void)make_encoding(plan, {{diagonal(plan, 0.0F), diagonal(plan, 1.0F)}});
              }),
              HasSubstr("layer 0: cosine coefficients: column 0 of head 0 sums to 0"));
}

TEST(Fope, KeptZerosFillTheWholeHead) {
  PositionPlan plan = fope_plan(64, 512);
  plan.fope.zeros = Fope::Zeros::kKept;
  plan = sized(plan);
  EXPECT_EQ(position::fope_counts(plan), (FopeCounts{32, 32}));
  const Tables found = fill(*with_identity(plan), {.first_position = 50, .count = 1});
  const std::vector<float> cos(found.cos.begin() + 16, found.cos.begin() + 32);
  const std::vector<float> sin(found.sin.begin() + 16, found.sin.begin() + 32);
  EXPECT_THAT(cos, Each(1.0F));
  EXPECT_THAT(sin, Each(0.0F));
}

TEST(Fope, WiderBankHasMoreFrequencies) {
  PositionPlan plan = fope_plan(64, 512);
  plan.fope.bank_dims = 128;
  EXPECT_EQ(position::fope_counts(plan), (FopeCounts{31, 16}));
}

TEST(Fope, RefusesCountsOfAnotherTrainingLengthAndSaysWhich) {
  PositionPlan plan = sized(fope_plan(64, 1024));
  plan.training_length = 8192;  // as if the evaluated length had been taken for the training length
  plan.floor_frequency = 2.0 * M_PI / 8192;
  EXPECT_THAT(model_error([&] { (void)with_identity(plan); }),
              AllOf(HasSubstr("are 18 x 16 (frequencies x pairs), which fits training lengths "
                              "838 to 1117; expected 25 x 16"),
                    HasSubstr("at training length 8192")));
}

TEST(Fope, RefusesAMatrixOfAnotherSize) {
  const PositionPlan plan = sized(fope_plan(64, 512));
  std::vector<float> cut = diagonal(plan, 1.0F);
  cut.pop_back();
  EXPECT_THAT(
      model_error([&] {
        (void)make_encoding(plan, {{diagonal(plan, 1.0F), cut}});
      }),
      HasSubstr("layer 0: sine coefficients: found 511 values; expected 512 = 2 x 16 x 16"));
}

TEST(Fope, NeverDrawsMissingCoefficients) {
  const PositionPlan plan = sized(fope_plan(64, 512));
  EXPECT_THAT(model_error([&] { (void)make_encoding(plan, {}); }),
              HasSubstr("no coefficients; expected one matrix"));
  EXPECT_THAT(model_error([&] {
                (void)make_encoding(plan, {{diagonal(plan, 1.0F), {}}});
              }),
              HasSubstr("sine coefficients: found 0 values"));
}

TEST(Fope, RefusesASineMatrixOfASharedBasis) {
  PositionPlan plan = sized(fope_plan(64, 512));
  plan.fope.basis = Fope::Basis::kShared;
  EXPECT_THAT(model_error([&] { (void)with_identity(plan); }),
              HasSubstr("expected none, for one basis serves cosine and sine"));
}

TEST(Fope, RefusesCoefficientsThatAreNotFinite) {
  const PositionPlan plan = sized(fope_plan(64, 512));
  std::vector<float> bad = diagonal(plan, 1.0F);
  bad[5] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(model_error([&] {
                (void)make_encoding(plan, {{bad, diagonal(plan, 1.0F)}});
              }),
              HasSubstr("layer 0: cosine coefficients: element 5 is inf"));
}

TEST(Fope, RefusesGroupedKeyHeadsWithCoefficientsPerQueryHead) {
  PositionPlan plan = sized(fope_plan(64, 512));
  plan.kv_heads = 1;
  EXPECT_THAT(model_error([&] { (void)with_identity(plan); }),
              HasSubstr("kv_heads is 1; expected 2, the query heads"));
}

TEST(Fope, RefusesScalingsThatFollowTheEvaluatedLength) {
  PositionPlan plan = sized(fope_plan(64, 512));
  plan.scaling.kind = position::ScalingKind::kDynamicNtk;
  plan.scaling.original_length = 512;
  EXPECT_THAT(model_error([&] { (void)with_identity(plan); }),
              HasSubstr("scaling 'dynamic' depends on the evaluated length"));
}

TEST(Fope, RefusesAFloorThatNothingReaches) {
  PositionPlan plan = fope_plan(64, 4);
  EXPECT_THAT(model_error([&] { (void)with_identity(plan); }),
              HasSubstr("no frequency reaches the floor"));
}

}  // namespace
}  // namespace yardstick::test
