// What threads of the CPU's stack need for a block of rows.
#pragma once

#include <cstdint>
#include <vector>

#include "models/decoder/config.hpp"
#include "models/kernels/matrix_product.hpp"
#include "models/kernels/rows.hpp"
#include "models/profile.hpp"

namespace yardstick::models::cpu {

/// Buffers of one thread. All memory is taken at once, for inside a parallel region nothing may
/// throw.
class Buffers {
 public:
  /// @param key_versions the most rotations of a key that any layer keeps
  Buffers(const DecoderConfig& config, int key_versions, std::int64_t rows);

  /// The most rows for which a thread's buffers stay small.
  [[nodiscard]] static std::int64_t most_rows(const DecoderConfig& config);

  [[nodiscard]] std::int64_t rows() const { return rows_; }

  kernels::Rows normed(std::int64_t count) { return normed_.rows(count); }        ///< E
  kernels::Rows projected(std::int64_t count) { return projected_.rows(count); }  ///< q, k, v
  kernels::Rows hidden(std::int64_t count) { return hidden_.rows(count); }  ///< of gate and up
  kernels::Rows mlp(std::int64_t count) { return mlp_.rows(count); }        ///< F
  /// E: what attention or MLP adds, where something is done to it before (changes_branches).
  kernels::Rows branch(std::int64_t count) { return branch_.rows(count); }
  /// G*D: keys in another version; only if any layer has several.
  kernels::Rows turned(std::int64_t count) { return turned_.rows(count); }

  Profile profile;

 private:
  class Memory {
   public:
    Memory(std::int64_t rows, std::int64_t width)
        : stride_(kernels::padded_width(width)),
          floats_(static_cast<std::size_t>(rows * stride_)) {}
    kernels::Rows rows(std::int64_t count) { return {floats_.data(), count, stride_}; }

   private:
    std::int64_t stride_;
    std::vector<float> floats_;
  };

  std::int64_t rows_;
  Memory normed_;
  Memory projected_;
  Memory hidden_;
  Memory mlp_;
  Memory branch_;
  Memory turned_;
};

/// Whether what attention and MLP add is changed before it is added.
[[nodiscard]] bool changes_branches(const DecoderConfig& config);

}  // namespace yardstick::models::cpu
