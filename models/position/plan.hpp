// The position plan: everything about how position enters a model, as plain data with the source of
// each value. Architectures fill it from a checkpoint, encodings are built from it, `inspect`
// prints it, the store keeps it and the cell key contains it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/hash.hpp"
#include "models/position/reach.hpp"

namespace yardstick::position {

enum class Kind {
  kNone,
  kRope,
  kXpos,
  kAlibi,
  kFope,
  kLearned,
  kSinusoidal,
  kT5Bias,
  kKerple,
  kFire,
};

/// Which elements of a head form a pair: (j, j + D/2), or (2j, 2j + 1).
enum class PairLayout { kHalves, kInterleaved };

enum class ScalingKind {
  kNone,
  kLinear,
  kNtk,
  kNtkByParts,
  kDynamicLinear,
  kDynamicNtk,
  kDynamicYarn,
  kYarn,
  kLlama3,
  kLongRope,
  kProportional,
};

/// A function from frequencies to frequencies plus a factor on cos and sin. Fields that a kind does
/// not use keep their defaults. `golden/rope_tables`-style formulas; sources at position/scaling.
struct Scaling {
  ScalingKind kind = ScalingKind::kNone;
  double factor = 1.0;
  std::int64_t original_length = 0;  ///< tokens; 0 where the kind needs none
  double low_frequency_factor = 1.0;
  double high_frequency_factor = 4.0;
  double beta_fast = 32.0;
  double beta_slow = 1.0;
  /// Whether YaRN's ramp ends at whole pair indices (truncate).
  enum class RampEnds { kWhole, kExact } ramp_ends = RampEnds::kWhole;
  double proportion = 1.0;  ///< proportional: share of the pairs that turn
  double yarn_mix = 1.0;    ///< OLMo fork's len_extra_yarn_factor: weight of the unscaled part
  std::optional<double> attention_factor;  ///< explicit; else the kind's own formula
  std::optional<double> mscale;
  std::optional<double> mscale_all_dim;
  std::vector<double> short_factor;
  std::vector<double> long_factor;
  std::optional<double> short_mscale;  ///< longrope's factor for the short list, else its formula
  std::optional<double> long_mscale;

  bool operator==(const Scaling&) const = default;
};

/// ALiBi slopes: as published (lower power of two, then interleaved), or 2^(-bias_max (h+1)/H).
enum class SlopeRule { kInterleaved, kGeometric };

struct Alibi {
  SlopeRule slopes = SlopeRule::kInterleaved;
  double bias_max = 8.0;
  /// Of -slope x distance exactly, or Falcon's: slope x key position, slope, position and product
  /// each rounded to bfloat16, the product divided by sqrt(head_dim).
  enum class Form { kDistance, kFalcon } form = Form::kDistance;

  bool operator==(const Alibi&) const = default;
};

/// What a pair without a Fourier series gets: the released code pads cos AND sin with 1; the
/// paper's text says cos 1, sin 0. A model is evaluated with what it was trained with.
enum class ZeroPairs { kCosOneSinOne, kCosOneSinZero };

/// Whether scaled frequencies are clamped at the floor after scaling, or clamped first.
enum class ClampOrder { kScaleThenClamp, kClampThenScale };

/// Fourier Position Embedding, arXiv 2412.17739 eq. 11-13 and its released code.
struct Fope {
  bool operator==(const Fope&) const = default;

  ZeroPairs zero_pairs = ZeroPairs::kCosOneSinOne;
  /// Coefficients for all heads, for each query head, or for each key head and its queries.
  enum class Heads { kShared, kSeparate, kKeyHeads } heads = Heads::kSeparate;
  /// Pairs with a series: as many as frequencies survive, but (in the paper's code) no more than a
  /// quarter of head_dim.
  enum class Outputs { kUpToQuarter, kAll } outputs = Outputs::kUpToQuarter;
  enum class Basis { kShared, kSeparate } basis = Basis::kSeparate;
  enum class Coefficients { kAsStored, kColumnNormalised } coefficients = Coefficients::kAsStored;
  enum class Zeros { kDropped, kKept } zeros = Zeros::kDropped;
  std::int64_t bank_dims = 0;     ///< fourier_dim; 0 = head_dim
  std::int64_t input_count = 0;   ///< n: surviving frequencies; rows of a coefficient matrix
  std::int64_t output_count = 0;  ///< d: pairs with a series; columns of a coefficient matrix
};

/// xPos, arXiv 2212.10554: RoPE whose queries grow and keys shrink by zeta^(position / scale_base).
struct Xpos {
  double scale_base = 512.0;

  bool operator==(const Xpos&) const = default;
};

/// T5's relative bias (arXiv 1910.10683), causal: a learned number for each bucket of distances.
struct T5Bias {
  std::int64_t buckets = 32;
  std::int64_t most_distance = 128;  ///< distances from here on share the last bucket

  bool operator==(const T5Bias&) const = default;
};

/// KERPLE, arXiv 2205.09921: -r1 ln(1 + r2 d), or -r1 d^r2, with learned r1, r2 of each head.
struct Kerple {
  enum class Form { kLogarithm, kPower } form = Form::kLogarithm;

  bool operator==(const Kerple&) const = default;
};

/// FIRE, arXiv 2310.04418: an MLP of ln(c d + 1) / ln(c max(i, L) + 1).
struct Fire {
  std::int64_t hidden_width = 32;

  bool operator==(const Fire&) const = default;
};

/// A factor on each query that grows with its position.
struct QueryScale {
  enum class Kind {
    kNone,
    kLlama4,  ///< 1 + beta ln(1 + floor(position / original_length))
    kLogN,    ///< max(1, ln(position + 1) / ln(original_length))
  } kind = Kind::kNone;
  double beta = 0.0;
  std::int64_t original_length = 0;  ///< tokens

  bool operator==(const QueryScale&) const = default;
};

/// Where a value of the plan came from: {"rope_theta", "config.json: rope_theta"}.
struct ValueSource {
  std::string field;
  std::string source;

  bool operator==(const ValueSource&) const = default;
};

struct PositionPlan {
  Kind kind = Kind::kNone;
  std::int64_t heads = 0;  ///< query heads
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t training_length = 0;  ///< tokens; 0 = unknown
  // RoPE and FoPE
  double theta = 10000.0;
  std::int64_t rotary_dims = 0;
  PairLayout layout = PairLayout::kHalves;
  /// Pairs turn by +angle, or by -angle (NanoChat).
  enum class Turn { kForward, kBackward } turn = Turn::kForward;
  Scaling scaling;
  /// Frequencies below this many radians a token become 0 (strictly below); 0 = no floor.
  /// FoPE: 2 pi / training_length x ratio. Depends on the training length, never on the evaluated.
  double floor_frequency = 0.0;
  ClampOrder clamp_order = ClampOrder::kClampThenScale;
  Fope fope;
  Alibi alibi;
  /// Learned table: rows = longest sequence.
  std::int64_t table_rows = 0;
  Xpos xpos;
  T5Bias t5;
  Kerple kerple;
  Fire fire;
  QueryScale query_scale;
  Reach reach;
  std::vector<ValueSource> sources;

  bool operator==(const PositionPlan&) const = default;
};

/// The plans of a model's layers: one for all, or a few kinds of layers with one each.
struct LayerPlans {
  /// What the kinds are called ("full_attention", "sliding_attention"); empty with one kind.
  std::vector<std::string> names;
  std::vector<PositionPlan> others;    ///< of the kinds from 1 on; kind 0 has the model's own plan
  std::vector<std::int64_t> of_layer;  ///< [L] kind of each layer; empty: all of kind 0
  std::string never_scaled;            ///< the kind that a scaling of the whole model leaves alone

  [[nodiscard]] std::int64_t kind(std::int64_t layer) const {
    return of_layer.empty() ? 0 : of_layer[static_cast<std::size_t>(layer)];
  }

  bool operator==(const LayerPlans&) const = default;
};

[[nodiscard]] std::string_view to_string(Kind kind);
[[nodiscard]] std::string_view to_string(ScalingKind kind);

/// The plan as JSON with HF-like field names: kind, rope_theta, scaling {rope_type, ...}, sources.
[[nodiscard]] nlohmann::json to_json(const PositionPlan& plan);

/// The same with "layers": the names of their kinds, the kind of each layer and the plans of the
/// kinds from 1 on; without it where all layers follow one plan.
[[nodiscard]] nlohmann::json to_json(const PositionPlan& plan, const LayerPlans& layers);

/// Adds every number that can change a result (not the sources) to `fingerprint`.
void describe(const PositionPlan& plan, Fingerprint& fingerprint);

}  // namespace yardstick::position
