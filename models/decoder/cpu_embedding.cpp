#include "models/decoder/cpu_embedding.hpp"

#include <algorithm>

#include "models/position/encoding.hpp"

namespace yardstick::models::cpu {

Embedding::Embedding(const Builder& builder, const StackParts& parts, const PackedMatrix* head)
    : width_(parts.config.width),
      table_(head == nullptr ? builder.find("embed.weight").contiguous() : at::Tensor()),
      head_(head),
      scale_(static_cast<float>(parts.config.embedding_scale)),
      positions_(numbers(builder.find("positions.weight"))),
      encoding_(parts.encoding) {
  if (parts.config.embedding_norm == DecoderConfig::EmbeddingNorm::kPresent)
    norm_ = builder.norm("embed_norm");
}

void Embedding::look_up(std::int64_t token, float* row) const {
  const std::int64_t first = token * width_;
  if (head_ != nullptr) {
    head_->copy_row(token, row);
  } else if (table_.scalar_type() == at::kFloat) {
    std::copy_n(table_.data_ptr<float>() + first, width_, row);
  } else {
    std::copy_n(table_.data_ptr<at::BFloat16>() + first, width_, row);
  }
}

void Embedding::operator()(const PackedBatch& batch, std::int64_t begin, const Rows& x,
                           float* room) const {
  const auto* const tokens = batch.tokens.data_ptr<std::int64_t>() + begin;
  for (std::int64_t row = 0; row < x.count; ++row) look_up(tokens[row], x[row]);
  if (scale_ != 1.0F) kernels::scale(x, width_, scale_);
  if (norm_) (*norm_)(x, x);
  if (positions_.empty() && !encoding_.adds_to_embedding()) return;
  for (const PackedSequence& sequence : batch.sequences) add_positions(sequence, begin, x, room);
}

/// Of those rows of the sequence that lie in x.
void Embedding::add_positions(const PackedSequence& sequence, std::int64_t begin, const Rows& x,
                              float* room) const {
  const std::int64_t first = std::max(sequence.row_begin, begin);
  const std::int64_t last = std::min(sequence.row_begin + sequence.row_count, begin + x.count);
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t position = sequence.first_position + row - sequence.row_begin;
    const Rows own{x[row - begin], 1, x.stride};
    if (!positions_.empty()) kernels::add_row(own, width_, positions_.data() + position * width_);
    if (!encoding_.adds_to_embedding()) continue;
    encoding_.fill_embedding(position, {room, static_cast<std::size_t>(width_)});
    kernels::add_row(own, width_, room);
  }
}

}  // namespace yardstick::models::cpu
