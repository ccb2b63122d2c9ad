// Fourier position embedding: the cosine and the sine of a pair are series over a bank of
// frequencies, with coefficients of their own for each layer and head; frequencies below the floor
// of the training length are left out, and the pairs without a series are padded.
// Source: Hua et al. 2024 (arXiv 2412.17739), eq. 11-13, as its released code computes them; the
// coefficients come from the checkpoint, for they were drawn at random.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "models/position/factories.hpp"
#include "models/position/frequencies.hpp"
#include "models/position/scaling/scaling.hpp"
#include "models/position/tables.hpp"

namespace yardstick::position {
namespace {

/// Columns of a coefficient matrix are summed in tiles of this width, so that the innermost loop
/// has a fixed length and vectorises.
constexpr std::int64_t kTile = 16;
/// Positions whose bank of waves is held at a time.
constexpr std::int64_t kBlock = 64;

/// Coefficients of one layer, f32 [heads or 1, n, columns], columns = d rounded up to whole tiles.
struct Matrices {
  std::vector<float> cos;
  std::vector<float> sin;
};

struct Shape {
  std::int64_t heads = 0;    ///< tables: 1 or H
  std::int64_t input = 0;    ///< n
  std::int64_t output = 0;   ///< d
  std::int64_t columns = 0;  ///< d in whole tiles
  std::int64_t pairs = 0;    ///< D/2
};

/// Which coefficient matrix of which layer, for messages.
struct Place {
  std::size_t layer = 0;
  std::string_view wave;
};

/// The training lengths for which `count` frequencies survive the floor: ", which fits training
/// lengths 838 to 1117", or "" where the plan does not say how the floor follows the length.
std::string fitting_lengths(const PositionPlan& plan, std::int64_t count) {
  const bool floor_sees_unscaled =
      plan.clamp_order == ClampOrder::kClampThenScale || plan.scaling.kind == ScalingKind::kNone;
  if (plan.training_length < 1 || plan.floor_frequency <= 0.0 || !floor_sees_unscaled) return "";
  const std::vector<float> list = frequency_table(plan, 0).unscaled;  // falls with the index
  const auto bank = static_cast<std::int64_t>(list.size());
  if (count < 1 || count > bank) return "";
  const double cycle = plan.floor_frequency * static_cast<double>(plan.training_length);
  const double shortest = std::ceil(cycle / static_cast<double>(list[count - 1]));
  if (count == bank) return fmt::format(", which fits training lengths from {:.0f}", shortest);
  const double longest = std::ceil(cycle / static_cast<double>(list[count])) - 1.0;
  return fmt::format(", which fits training lengths {:.0f} to {:.0f}", shortest, longest);
}

void validate_counts(const PositionPlan& plan) {
  const FopeCounts expected = fope_counts(plan);
  const FopeCounts found{plan.fope.input_count, plan.fope.output_count};
  if (expected.input == 0) {
    throw Error(ErrorKind::kModel,
                fmt::format("position plan: fope: no frequency reaches the floor of {:.6g} radians "
                            "a token (training length {}); at least one has to survive",
                            plan.floor_frequency, plan.training_length));
  }
  if (found == expected) return;
  throw Error(
      ErrorKind::kModel,
      fmt::format("position plan: fope: coefficient matrices are {} x {} (frequencies x pairs){}; "
                  "expected {} x {}, for at training length {} the floor is {:.6g} radians a token "
                  "and keeps {} of {} frequencies. The floor follows the length of training, never "
                  "the evaluated length: correct the training length or take the checkpoint that "
                  "fits it",
                  found.input, found.output, fitting_lengths(plan, found.input), expected.input,
                  expected.output, plan.training_length, plan.floor_frequency, expected.input,
                  frequency_table(plan, 0).values.size()));
}

void validate_plan(const PositionPlan& plan) {
  if (plan.rotary_dims != plan.head_dim) {
    throw field_error(plan, "rotary_dims", fmt::to_string(plan.rotary_dims),
                      fmt::format("head_dim ({}): FoPE covers the whole head", plan.head_dim));
  }
  if (plan.fope.heads == Fope::Heads::kSeparate && plan.kv_heads != plan.heads) {
    throw field_error(
        plan, "kv_heads", fmt::to_string(plan.kv_heads),
        fmt::format("{}, the query heads: coefficients are per query head, so grouped "
                    "key heads have none; share them over heads instead",
                    plan.heads));
  }
  if (scaling_rule(plan.scaling.kind).length_use != LengthUse::kNone) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("position plan: fope: scaling '{}' depends on the evaluated length, but "
                    "FoPE's frequencies are fixed by the training length; expected "
                    "default, linear, yarn or llama3",
                    to_string(plan.scaling.kind)));
  }
  validate_counts(plan);
}

void validate_size(const std::vector<float>& values, const Shape& shape, const Place& place) {
  const std::int64_t size = shape.heads * shape.input * shape.output;
  if (static_cast<std::int64_t>(values.size()) != size) {
    throw Error(ErrorKind::kModel,
                fmt::format("fope: layer {}: {} coefficients: found {} values; expected {} = {} x "
                            "{} x {} (heads x frequencies x pairs)",
                            place.layer, place.wave, values.size(), size, shape.heads, shape.input,
                            shape.output));
  }
  const auto odd = std::ranges::find_if(values, [](float v) { return !std::isfinite(v); });
  if (odd == values.end()) return;
  throw Error(ErrorKind::kModel,
              fmt::format("fope: layer {}: {} coefficients: element {} is {}; expected a finite "
                          "number",
                          place.layer, place.wave, odd - values.begin(), *odd));
}

/// Divides every column by its sum over the frequencies (the code's fourier_norm), in place.
void normalise_columns(std::vector<float>& values, const Shape& shape, const Place& place) {
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    float* const matrix = values.data() + head * shape.input * shape.output;
    for (std::int64_t j = 0; j < shape.output; ++j) {
      double sum = 0.0;
      for (std::int64_t i = 0; i < shape.input; ++i) sum += matrix[i * shape.output + j];
      if (sum == 0.0) {
        throw Error(ErrorKind::kModel,
                    fmt::format("fope: layer {}: {} coefficients: column {} of head {} sums to 0 "
                                "and cannot be normalised",
                                place.layer, place.wave, j, head));
      }
      for (std::int64_t i = 0; i < shape.input; ++i) {
        float& value = matrix[i * shape.output + j];
        value = static_cast<float>(value / sum);
      }
    }
  }
}

/// Checks, normalises and widens one matrix to whole tiles.
std::vector<float> prepare(std::vector<float> values, const PositionPlan& plan, const Shape& shape,
                           const Place& place) {
  validate_size(values, shape, place);
  if (plan.fope.coefficients == Fope::Coefficients::kColumnNormalised) {
    normalise_columns(values, shape, place);
  }
  std::vector<float> wide(static_cast<std::size_t>(shape.heads * shape.input * shape.columns));
  for (std::int64_t row = 0; row < shape.heads * shape.input; ++row) {
    std::copy_n(values.begin() + row * shape.output, shape.output,
                wide.begin() + row * shape.columns);
  }
  return wide;
}

/// out[j] = sum_i waves[i] matrix[i, j] for the d columns of one row, f32.
void sum_series(std::span<const float> waves, const float* matrix, const Shape& shape, float* out) {
  for (std::int64_t tile = 0; tile < shape.columns; tile += kTile) {
    std::array<float, kTile> sums{};
    for (std::int64_t i = 0; i < shape.input; ++i) {
      const float wave = waves[i];
      const float* const row = matrix + i * shape.columns + tile;
      for (std::int64_t j = 0; j < kTile; ++j) sums[j] += wave * row[j];
    }
    std::copy_n(sums.begin(), std::min(kTile, shape.output - tile), out + tile);
  }
}

std::int64_t fope_heads(const PositionPlan& plan) {
  switch (plan.fope.heads) {
    case Fope::Heads::kShared: return 1;
    case Fope::Heads::kSeparate: return plan.heads;
    case Fope::Heads::kKeyHeads: return plan.kv_heads;
  }
  throw Error(ErrorKind::kInternal, "FoPE's coefficients belong to no heads");
}

class FopeEncoding final : public Encoding {
 public:
  FopeEncoding(PositionPlan plan, std::vector<LayerParameters> coefficients)
      : plan_(std::move(plan)) {
    validate_plan(plan_);
    const FrequencyTable table = frequency_table(plan_, 0);
    factor_ = table.attention_factor;
    for (const float frequency : table.values) {
      if (frequency != 0.0F || plan_.fope.zeros == Fope::Zeros::kKept) bank_.push_back(frequency);
    }
    shape_.heads = fope_heads(plan_);
    shape_.input = plan_.fope.input_count;
    shape_.output = plan_.fope.output_count;
    shape_.columns = (shape_.output + kTile - 1) / kTile * kTile;
    shape_.pairs = plan_.head_dim / 2;
    take(std::move(coefficients));
  }

  const PositionPlan& plan() const override { return plan_; }

  std::optional<RotationShape> rotation(std::int64_t layer) const override {
    return RotationShape{.table_heads = shape_.heads,
                         .pairs = shape_.pairs,
                         .layout = plan_.layout,
                         .table_set = layer,
                         .sides = sides_of(plan_.reach)};
  }

  void fill_rotation(const RotationQuery& query, std::span<float> cos,
                     std::span<float> sin) const override {
    check_query(query, *rotation(query.layer), LengthUse::kNone, cos, sin);
    check(query.layer >= 0 && query.layer < static_cast<std::int64_t>(layers_.size()),
          "the layer asked for has coefficients");
    const Matrices& layer = layers_[static_cast<std::size_t>(query.layer)];
    const std::vector<float>& sin_matrix = shares_basis() ? layer.cos : layer.sin;
    const std::size_t waves =
        static_cast<std::size_t>(std::min(kBlock, query.count)) * bank_.size();
    std::vector<float> cos_waves(waves);
    std::vector<float> sin_waves(waves);
    for (std::int64_t start = 0; start < query.count; start += kBlock) {
      const std::int64_t rows = std::min(kBlock, query.count - start);
      RotationQuery part = query;
      part.first_position += start;
      part.count = rows;
      fill_waves(positions(part, plan_.reach), bank_, factor_, cos_waves, sin_waves);
      const Block block{start, rows, query.count};
      fill_block(block, cos_waves, layer.cos, static_cast<float>(factor_), cos);
      fill_block(block, sin_waves, sin_matrix, padded_sine(), sin);
    }
  }

  std::vector<double> bias_slopes(std::int64_t /*layer*/) const override { return {}; }

  LengthUse length_use() const override { return LengthUse::kNone; }

  std::optional<std::int64_t> longest_sequence() const override { return std::nullopt; }

  std::vector<double> frequencies(std::int64_t /*total_length*/) const override {
    return {bank_.begin(), bank_.end()};
  }

 private:
  /// Rows start .. start + rows - 1 of tables with `count` rows a head.
  struct Block {
    std::int64_t start = 0;
    std::int64_t rows = 0;
    std::int64_t count = 0;
  };

  bool shares_basis() const { return plan_.fope.basis == Fope::Basis::kShared; }

  float padded_sine() const {
    return plan_.fope.zero_pairs == ZeroPairs::kCosOneSinOne ? static_cast<float>(factor_) : 0.0F;
  }

  void take(std::vector<LayerParameters> coefficients) {
    if (coefficients.empty()) {
      throw Error(ErrorKind::kModel,
                  "fope: no coefficients; expected one matrix (or pair of matrices) a layer, as "
                  "the checkpoint holds them");
    }
    for (std::size_t layer = 0; layer < coefficients.size(); ++layer) {
      LayerParameters& found = coefficients[layer];
      Matrices matrices;
      matrices.cos = prepare(std::move(found.cos), plan_, shape_, {layer, "cosine"});
      if (!shares_basis()) {
        matrices.sin = prepare(std::move(found.sin), plan_, shape_, {layer, "sine"});
      } else if (!found.sin.empty()) {
        throw Error(
            ErrorKind::kModel,
            fmt::format("fope: layer {}: sine coefficients: found {} values; expected none, "
                        "for one basis serves cosine and sine",
                        layer, found.sin.size()));
      }
      layers_.push_back(std::move(matrices));
    }
  }

  /// Series, then padding, of every head for one block of positions.
  void fill_block(const Block& block, std::span<const float> waves, std::span<const float> matrix,
                  float padding, std::span<float> out) const {
    for (std::int64_t head = 0; head < shape_.heads; ++head) {
      const float* const coefficients = matrix.data() + head * shape_.input * shape_.columns;
      for (std::int64_t row = 0; row < block.rows; ++row) {
        float* const to = out.data() + (head * block.count + block.start + row) * shape_.pairs;
        sum_series(waves.subspan(static_cast<std::size_t>(row) * bank_.size(), bank_.size()),
                   coefficients, shape_, to);
        std::fill(to + shape_.output, to + shape_.pairs, padding);
      }
    }
  }

  PositionPlan plan_;
  std::vector<float> bank_;  ///< [n] radians a token
  double factor_ = 1.0;      ///< on every cosine and sine, the padded pairs included
  Shape shape_;
  std::vector<Matrices> layers_;
};

}  // namespace

std::unique_ptr<const Encoding> make_fope(PositionPlan plan,
                                          std::vector<LayerParameters> coefficients) {
  return std::make_unique<FopeEncoding>(std::move(plan), std::move(coefficients));
}

}  // namespace yardstick::position
