// One decoder, described by data: every supported architecture is a configuration of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/hash.hpp"
#include "models/position/plan.hpp"

namespace yardstick::models {

enum class NormKind { kRms, kLayer };

/// Whether a norm has learned parameters: none, a weight, or weight and bias.
enum class NormParameters { kNone, kWeight, kWeightAndBias };

struct Norm {
  NormKind kind = NormKind::kRms;
  NormParameters parameters = NormParameters::kWeight;
  double epsilon = 1e-5;
  double weight_offset = 0.0;  ///< added to the stored weight (Gemma stores w - 1)

  bool operator==(const Norm&) const = default;
};

/// Where a block's norms stand: before its attention and MLP, behind them (on what is added to the
/// residual stream), or both.
enum class NormPlacement { kBefore, kAfter, kAround };

/// How attention and MLP of a block follow each other.
enum class BlockForm {
  kSequential,
  kParallel,            ///< both read the block's input, each through its own norm
  kParallelSharedNorm,  ///< both read the input through attn_norm; there is no mlp_norm
};

/// What attention and MLP are added to: their own input, or the norm of it (BLOOM's option).
enum class Residual { kInput, kNormedInput };

/// Extra normalisation of q and k.
struct QkNorm {
  enum class Over {
    kNone,
    kWholeProjection,  ///< before it is split in heads; weights [H*D] and [G*D]
    kHead,             ///< of each head; weights [D], the same for all heads
    kHeadOwnWeights,   ///< of each head; weights [H*D] and [G*D], each head its own
  } over = Over::kNone;
  enum class Order { kBeforeRotation, kAfterRotation } order = Order::kBeforeRotation;
  Norm norm;

  bool operator==(const QkNorm&) const = default;
};

/// kGelu is the exact (erf) form, kGeluTanh the approximation by tanh.
enum class Activation { kSilu, kGelu, kGeluTanh, kRelu, kReluSquared };

/// down(act(gate x) * up x), or down(act(up x)).
enum class MlpForm { kGated, kPlain };

enum class Biases { kAbsent, kPresent };
enum class Head { kSeparate, kTied };

/// A further divisor of attention scores: none, or the number of the layer, counted from 1.
enum class LayerDivisor { kNone, kLayerNumber };

struct DecoderConfig {
  std::string architecture;     ///< registry name: "llama", "olmo_fope", "yardstick"
  std::int64_t vocabulary = 0;  ///< V: rows of embedding and head, padding rows included
  std::int64_t width = 0;       ///< E
  std::int64_t layers = 0;      ///< L
  std::int64_t heads = 0;       ///< H query heads
  std::int64_t kv_heads = 0;    ///< G; query head h reads key head h / (H / G)
  std::int64_t head_dim = 0;    ///< D
  std::int64_t mlp_width = 0;   ///< F: columns of the MLP's output projection
  Norm norm;                    ///< of attention and MLP, of the embedding, and the final norm
  NormPlacement norm_placement = NormPlacement::kBefore;
  BlockForm block = BlockForm::kSequential;
  Residual residual = Residual::kInput;
  QkNorm qk_norm;
  Activation activation = Activation::kSilu;
  MlpForm mlp = MlpForm::kGated;
  Biases attention_biases = Biases::kAbsent;  ///< of q, k, v
  Biases attention_out_bias = Biases::kAbsent;
  Biases mlp_biases = Biases::kAbsent;
  Biases head_bias = Biases::kAbsent;
  std::optional<double> clip_qkv;  ///< q, k, v are limited to [-clip, clip]
  enum class EmbeddingNorm { kAbsent, kPresent } embedding_norm = EmbeddingNorm::kAbsent;
  Head head = Head::kSeparate;
  double embedding_scale = 1.0;           ///< multiplies token embeddings
  double residual_scale = 1.0;            ///< multiplies what attention and MLP add
  double logit_scale = 1.0;               ///< multiplies logits, before the soft cap
  std::optional<double> logit_soft_cap;   ///< logits become cap tanh(logit / cap)
  std::optional<double> attention_scale;  ///< multiplies q.k; absent: 1 / sqrt(D)
  LayerDivisor attention_divisor = LayerDivisor::kNone;
  std::optional<double> attention_soft_cap;  ///< scaled scores become cap tanh(score / cap)
  position::PositionPlan position;
  position::LayerPlans layer_plans;  ///< where layers differ from `position`

  bool operator==(const DecoderConfig&) const = default;
};

/// Adds every field that can change a result, the position plan included.
void describe(const DecoderConfig& config, Fingerprint& fingerprint);

}  // namespace yardstick::models
