// A position encoding as a strategy with two jobs and no others: tables that rotate q and k, and a
// bias that attention adds from distances. Pure and immutable: one object serves all threads, and
// what depends on the total length takes it as an argument.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/position/plan.hpp"

namespace yardstick::position {

/// The shape of the tables that a layer's encoding fills. A rotated pair (a, b) becomes
/// (a cos - b sin, b cos + a sin); elements from 2 x pairs on are left alone.
struct RotationShape {
  /// 1 (all heads share a table), H or G; query head h reads table h x table_heads / H, key head g
  /// reads table g x table_heads / G.
  std::int64_t table_heads = 0;
  std::int64_t pairs = 0;  ///< rotary_dims / 2
  PairLayout layout = PairLayout::kHalves;
  /// Layers with the same number have the same tables.
  std::int64_t table_set = 0;
  /// Whether queries and keys read the same tables. With several versions they do not.
  enum class Sides { kSame, kSeparate } sides = Sides::kSame;

  bool operator==(const RotationShape&) const = default;
};

/// Whether the numbers depend on the total length of the sequence (dynamic NTK, LongRoPE): then a
/// prefix may be shared only between sequences of one total length.
enum class LengthUse { kNone, kTotal };

struct RotationQuery {
  std::int64_t layer = 0;
  std::int64_t first_position = 0;  ///< 0-based place in the sequence of the first row
  std::int64_t count = 0;           ///< rows: places first .. first + count - 1
  std::int64_t total_length = 0;    ///< tokens of the whole sequence; read only with kTotal
  enum class Side { kQuery, kKey } side = Side::kQuery;  ///< either serves both with Sides::kSame
  int version = 0;  ///< of the reach's: turns places into positions
};

/// Biases of one query over consecutive keys.
struct BiasQuery {
  std::int64_t layer = 0;
  std::int64_t head = 0;
  std::int64_t query = 0;      ///< 0-based place of the query in its sequence
  std::int64_t first_key = 0;  ///< the keys first_key, first_key + 1, ... none behind the query
};

class Encoding {
 public:
  virtual ~Encoding() = default;

  /// The model's own plan: of layer kind 0.
  [[nodiscard]] virtual const PositionPlan& plan() const = 0;

  /// The rotation's shape, or nothing for a layer that does not rotate.
  [[nodiscard]] virtual std::optional<RotationShape> rotation(std::int64_t layer) const = 0;

  /// Fills cos and sin, each [table_heads, count, pairs] f32 row-major.
  /// Frequencies in f64, rounded to f32; the angle position x frequency is rounded to f32 as the
  /// reference implementations do, then sin and cos are exact to f32 rounding.
  virtual void fill_rotation(const RotationQuery& query, std::span<float> cos,
                             std::span<float> sin) const = 0;

  /// Factors on the queries at places first .. first + count - 1, [count] f32, or empty for none.
  [[nodiscard]] virtual std::vector<float> query_scales(std::int64_t layer, std::int64_t first,
                                                        std::int64_t count) const;

  /// ALiBi slopes [H] (positive; the bias is -slope x distance), or empty if the bias is none or
  /// another.
  [[nodiscard]] virtual std::vector<double> bias_slopes(std::int64_t layer) const = 0;

  /// Whether fill_bias() has a bias of another form than bias_slopes().
  [[nodiscard]] virtual bool has_bias(std::int64_t layer) const;

  /// Fills `bias` with what attention adds to the scaled scores. Safe to call from several threads
  /// at once.
  virtual void fill_bias(const BiasQuery& query, std::span<float> bias) const;

  /// Which keys a query of the layer sees.
  [[nodiscard]] const Reach& reach(std::int64_t layer) const;

  /// The plan of a layer.
  [[nodiscard]] virtual const PositionPlan& layer_plan(std::int64_t layer) const;

  /// Whether fill_embedding() has a row to add to each token's embedding (computed, not learned).
  [[nodiscard]] virtual bool adds_to_embedding() const { return false; }

  /// The row [E] f32 that is added to the embedding of the token at `position`.
  virtual void fill_embedding(std::int64_t position, std::span<float> row) const;

  [[nodiscard]] virtual LengthUse length_use() const = 0;

  /// Longest sequence the encoding can number (a learned table), or nothing for no limit.
  [[nodiscard]] virtual std::optional<std::int64_t> longest_sequence() const = 0;

  /// Frequencies in radians a token, after scaling and clamping, for a sequence of `total_length`:
  /// [pairs], or FoPE's bank [input_count]. Empty for an encoding that does not rotate.
  [[nodiscard]] virtual std::vector<double> frequencies(std::int64_t total_length) const = 0;
};

/// What a layer's encoding takes from the checkpoint, f32 row-major. FoPE: coefficient matrices
/// [heads or 1, n, d]; with a shared basis `sin` is empty and `cos` serves both. Biases: tensors by
/// name, as encoding_tensors() lists them.
struct LayerParameters {
  std::vector<float> cos;
  std::vector<float> sin;
  std::map<std::string, std::vector<float>, std::less<>> tensors;
};

/// Name and shape of a tensor that each layer's encoding needs beside FoPE's coefficients.
struct EncodingTensor {
  std::string name;  ///< "table": layers.N.position.table
  std::vector<std::int64_t> shape;
};
[[nodiscard]] std::vector<EncodingTensor> encoding_tensors(const PositionPlan& plan);

/// Builds the encoding that `plan` describes. `parameters` has one entry a layer for encodings that
/// need them, and is empty otherwise. @throws Error(kModel) naming the field or matrix that does
/// not fit, with the shape found, the shape that the plan implies and the lengths that explain it.
[[nodiscard]] std::unique_ptr<const Encoding> make_encoding(
    PositionPlan plan, std::vector<LayerParameters> parameters);

/// One encoding whose layers follow plans of several kinds. `parameters` as above, for all layers.
[[nodiscard]] std::unique_ptr<const Encoding> make_layered_encoding(
    PositionPlan plan, const LayerPlans& layers, std::vector<LayerParameters> parameters);

/// Names of the encodings that make_encoding builds, sorted: "alibi", "fope", "learned", ...
[[nodiscard]] std::vector<std::string> encoding_names();

}  // namespace yardstick::position
