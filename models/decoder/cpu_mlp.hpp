// The MLP on the CPU up to its output projection.
#pragma once

#include <cstdint>
#include <vector>

#include "models/decoder/cpu_buffers.hpp"
#include "models/decoder/cpu_layers.hpp"
#include "models/kernels/activations.hpp"

namespace yardstick::models::cpu {

/// Makes the middle of the MLP in groups of columns, so that gate and up are activated while they
/// lie in the cache and only their product leaves it.
class MlpMiddle {
 public:
  explicit MlpMiddle(const DecoderConfig& config);

  /// middle [count, F] = what mlp_in of x [count, E] becomes, by the calling thread alone.
  void alone(const Projection& mlp_in, const ConstRows& x, const Rows& middle, Buffers& own) const;

  /// The same by all threads, each with its buffers.
  void shared(const Projection& mlp_in, const ConstRows& x, const Rows& middle,
              std::vector<Buffers>& buffers) const;

 private:
  /// Group `index` of `step` columns.
  void group(const Projection& mlp_in, const ConstRows& x, std::int64_t index, std::int64_t step,
             const Rows& hidden, const Rows& middle, Profile& profile) const;

  std::int64_t width_;        // F
  std::int64_t alone_step_;   // columns at a time
  std::int64_t shared_step_;  // the same when threads share a block
  std::int64_t input_parts_;  // 2 for gate and up, else 1
  kernels::Activate activate_;
};

/// Numbers of a row of Buffers::hidden().
[[nodiscard]] std::int64_t hidden_width(const DecoderConfig& config);

}  // namespace yardstick::models::cpu
