// A position encoding as a strategy with two jobs and no others: tables that rotate q and k, and a
// bias that attention adds from distances. Pure and immutable: one object serves all threads, and
// what depends on the total length takes it as an argument.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/position/plan.hpp"

namespace yardstick::position {

/// The shape of the tables that an encoding fills. A rotated pair (a, b) becomes
/// (a cos - b sin, b cos + a sin); pairs as PositionPlan::layout; elements from rotary_dims on are
/// left alone.
struct RotationShape {
  std::int64_t table_heads = 0;  ///< 1 (all heads share a table), or H: one table a query head
  std::int64_t pairs = 0;        ///< rotary_dims / 2
  enum class Layers { kShared, kSeparate } layers = Layers::kShared;

  bool operator==(const RotationShape&) const = default;
};

/// Whether the numbers depend on the total length of the sequence (dynamic NTK, LongRoPE): then a
/// prefix may be shared only between sequences of one total length.
enum class LengthUse { kNone, kTotal };

struct RotationQuery {
  std::int64_t layer = 0;
  std::int64_t first_position = 0;  ///< 0-based position of the first row
  std::int64_t count = 0;           ///< rows: positions first .. first + count - 1
  std::int64_t total_length = 0;    ///< tokens of the whole sequence; read only with kTotal
};

class Encoding {
 public:
  virtual ~Encoding() = default;

  [[nodiscard]] virtual const PositionPlan& plan() const = 0;

  /// The rotation's shape, or nothing for an encoding that does not rotate.
  [[nodiscard]] virtual std::optional<RotationShape> rotation() const = 0;

  /// Fills cos and sin, each [table_heads, count, pairs] f32 row-major.
  /// Frequencies in f64, rounded to f32; the angle position x frequency is rounded to f32 as the
  /// reference implementations do, then sin and cos are exact to f32 rounding.
  virtual void fill_rotation(const RotationQuery& query, std::span<float> cos,
                             std::span<float> sin) const = 0;

  /// ALiBi slopes [H] (positive; the bias is -slope x distance), or empty for no bias.
  [[nodiscard]] virtual std::vector<double> bias_slopes() const = 0;

  [[nodiscard]] virtual LengthUse length_use() const = 0;

  /// Longest sequence the encoding can number (a learned table), or nothing for no limit.
  [[nodiscard]] virtual std::optional<std::int64_t> longest_sequence() const = 0;

  /// Frequencies in radians a token, after scaling and clamping, for a sequence of `total_length`:
  /// [pairs], or FoPE's bank [input_count]. Empty for an encoding that does not rotate.
  [[nodiscard]] virtual std::vector<double> frequencies(std::int64_t total_length) const = 0;
};

/// FoPE's coefficient matrices of one layer, f32 row-major [heads or 1, n, d], as the checkpoint
/// holds them. With a shared basis `sin` is empty and `cos` serves both.
struct FopeCoefficients {
  std::vector<float> cos;
  std::vector<float> sin;
};

/// Builds the encoding that `plan` describes. `coefficients` has one entry a layer for FoPE, and is
/// empty otherwise. @throws Error(kModel) naming the field or matrix that does not fit, with the
/// shape found, the shape that the plan implies and the lengths that explain it.
[[nodiscard]] std::unique_ptr<const Encoding> make_encoding(
    PositionPlan plan, std::vector<FopeCoefficients> coefficients);

/// Names of the encodings that make_encoding builds, sorted: "alibi", "fope", "learned", ...
[[nodiscard]] std::vector<std::string> encoding_names();

}  // namespace yardstick::position
