// Tokens to the rows that the first layer reads, on the CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/decoder/cpu_layers.hpp"

namespace yardstick::models::cpu {

class Embedding {
 public:
  /// `head`: the packed head where it is the embedding as well, else null. Encoding and head
  /// outlive this.
  Embedding(const Builder& builder, const StackParts& parts, const PackedMatrix* head);

  /// Fills the batch's rows [begin, begin + x.count): token embeddings times their scale, normed,
  /// plus what positions add. `room` [E] is written over. Safe from several threads at once.
  void operator()(const PackedBatch& batch, std::int64_t begin, const Rows& x, float* room) const;

 private:
  void look_up(std::int64_t token, float* row) const;
  void add_positions(const PackedSequence& sequence, std::int64_t begin, const Rows& x,
                     float* room) const;

  std::int64_t width_;
  at::Tensor table_;          // [V, E] f32 or bf16; undefined if the head is read instead
  const PackedMatrix* head_;  // null if the table is read
  float scale_;
  std::optional<NormLayer> norm_;
  std::vector<float> positions_;  // [rows, E], or empty
  const position::Encoding& encoding_;
};

}  // namespace yardstick::models::cpu
