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

  bool operator==(const Norm&) const = default;
};

/// Extra normalisation of q and k: none, or over the whole projection before it is split in heads.
enum class QkNorm { kNone, kWholeProjection };

/// out(act(gate x) * up x) for SwiGLU, out(act(up x)) for the others. kGelu is the exact (erf)
/// form.
enum class Mlp { kSwiGlu, kGelu, kRelu };

enum class Biases { kAbsent, kPresent };
enum class Head { kSeparate, kTied };
enum class LogitScale { kNone, kInverseSqrtWidth };

struct DecoderConfig {
  std::string architecture;     ///< registry name: "llama", "olmo_fope", "yardstick"
  std::int64_t vocabulary = 0;  ///< V: rows of embedding and head, padding rows included
  std::int64_t width = 0;       ///< E
  std::int64_t layers = 0;      ///< L
  std::int64_t heads = 0;       ///< H query heads
  std::int64_t kv_heads = 0;    ///< G; query head h reads key head h / (H / G)
  std::int64_t head_dim = 0;    ///< D
  std::int64_t mlp_width = 0;   ///< F: columns of the MLP's output projection
  Norm norm;                    ///< pre-norms of attention and MLP, and the final norm
  QkNorm qk_norm = QkNorm::kNone;
  NormParameters qk_norm_parameters = NormParameters::kWeight;
  Mlp mlp = Mlp::kSwiGlu;
  Biases attention_biases = Biases::kAbsent;  ///< of q, k, v
  Biases attention_out_bias = Biases::kAbsent;
  Biases mlp_biases = Biases::kAbsent;
  Biases head_bias = Biases::kAbsent;
  std::optional<double> clip_qkv;  ///< q, k, v are limited to [-clip, clip]
  enum class EmbeddingNorm { kAbsent, kPresent } embedding_norm = EmbeddingNorm::kAbsent;
  Head head = Head::kSeparate;
  LogitScale logit_scale = LogitScale::kNone;
  position::PositionPlan position;

  bool operator==(const DecoderConfig&) const = default;
};

/// Adds every field that can change a result, the position plan included.
void describe(const DecoderConfig& config, Fingerprint& fingerprint);

}  // namespace yardstick::models
