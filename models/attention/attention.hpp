// Attention over packed sequences: one interface, several backends. No backend but the reference
// ever holds an N x N matrix, and no sequence is padded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/kernels/scoring.hpp"

namespace yardstick::attention {

namespace kernels = models::kernels;

/// Keys and values of consecutive tokens that were computed before.
struct Segment {
  at::Tensor keys;    ///< [versions, n, G, D]
  at::Tensor values;  ///< [n, G, D]
};

/// One sequence of a packed batch: its queries are rows [row_begin, row_begin + row_count) of the
/// batch, and so are the keys and values of the same tokens (its suffix). Before them it may have
/// a read-only prefix of P tokens in segments, which several sequences can share. Query i of the
/// sequence sits at place P + i and sees what the reach shows it of the prefix and suffix tokens
/// 0 .. i.
struct Sequence {
  std::int64_t row_begin = 0;
  std::int64_t row_count = 0;
  std::vector<Segment> prefix;

  [[nodiscard]] std::int64_t prefix_count() const {
    std::int64_t count = 0;
    for (const Segment& segment : prefix) count += segment.values.size(0);
    return count;
  }
};

/// A packed batch of one layer; rows may lie apart (parts of a fused projection). Rows that no
/// sequence owns get zeros.
struct Inputs {
  /// [versions, T, H, D] f32|bf16|f16, rotated in each version that the reach asks for.
  at::Tensor queries;
  /// [versions, T, G, D], likewise, same dtype and device; head h reads key head h / (H / G).
  at::Tensor keys;
  at::Tensor values;        ///< [T, G, D]
  at::Tensor query_scales;  ///< [T] f32 factors on the queries, or undefined
  const std::vector<Sequence>* sequences = nullptr;
  const kernels::Scoring* scoring = nullptr;
  std::int64_t tile_tokens = 256;  ///< keys a tile; read by tiled backends only
};

/// What a backend is asked to do before it is chosen.
struct Need {
  at::Device device = at::kCPU;
  at::ScalarType dtype = at::kFloat;
  std::int64_t head_dim = 0;
  enum class Gradient { kNone, kNeeded } gradient = Gradient::kNone;
};

/// Stateless and thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Nothing if it can, or the reason why not ("computes no gradients").
  [[nodiscard]] virtual std::optional<std::string> refuses(const Need& need) const = 0;

  /// softmax(scores) v over the keys that each query sees -> [T, H, D], contiguous, in the queries'
  /// dtype. Scores, softmax and sums are f32. A sequence's rows depend on nothing but that
  /// sequence.
  [[nodiscard]] virtual at::Tensor attend(const Inputs& inputs) const = 0;
};

[[nodiscard]] const Backend& reference_backend();
[[nodiscard]] const Backend& tiled_backend();

/// All backends, fastest first.
[[nodiscard]] std::vector<const Backend*> backends();

/// The first backend that does not refuse. @throws Error(kDevice) with every backend's reason.
[[nodiscard]] const Backend& choose_backend(const Need& need);

}  // namespace yardstick::attention
