// Packed forward passes.
#include "models/engine/forward.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include <ATen/ops/empty.h>

namespace yardstick::models {
namespace {

// Rows that token-wise layers take at a time: activations of a block stay in the cache, and
// products of this height are as fast as taller ones.
constexpr std::int64_t kRowBlock = 256;

}  // namespace

Continue forward(Decoder& decoder, std::span<const ForwardSequence> sequences,
                 const ForwardOptions& options, const OnBatch& on_batch) {
  std::vector<std::int64_t> lengths;
  for (const ForwardSequence& sequence : sequences) lengths.push_back(std::ssize(sequence.tokens));
  std::map<std::size_t, KvCache> own_caches;
  const auto cache_of = [&](std::size_t index) -> KvCache* {
    if (sequences[index].cache != nullptr) return sequences[index].cache;
    if (lengths[index] <= options.batch_tokens) return nullptr;
    const auto found = own_caches.find(index);
    if (found != own_caches.end()) return &found->second;
    return &own_caches.emplace(index, decoder.make_cache(lengths[index])).first->second;
  };
  for (std::vector<Piece>& pieces : plan_batches(lengths, options.batch_tokens)) {
    ForwardBatch batch;
    PackedBatch packed;
    packed.row_block = kRowBlock;
    std::int64_t rows = 0;
    for (const Piece& piece : pieces) {
      KvCache* cache = cache_of(piece.sequence);
      packed.sequences.push_back(
          {.row_begin = rows,
           .row_count = piece.count,
           .first_position = cache == nullptr ? piece.first : cache->length(),
           .total_length = sequences[piece.sequence].total_length,
           .cache = cache});
      batch.row_begin.push_back(rows);
      rows += piece.count;
    }
    const at::Tensor tokens = at::empty({rows}, at::TensorOptions().dtype(at::kLong));
    auto* target = tokens.data_ptr<std::int64_t>();
    for (const Piece& piece : pieces) {
      const auto source = sequences[piece.sequence].tokens.subspan(
          static_cast<std::size_t>(piece.first), static_cast<std::size_t>(piece.count));
      target = std::copy(source.begin(), source.end(), target);
    }
    packed.tokens = tokens.to(options.device);
    batch.hidden = decoder.hidden(packed);
    for (const Piece& piece : pieces) {
      if (piece.first + piece.count == lengths[piece.sequence]) own_caches.erase(piece.sequence);
    }
    batch.pieces = std::move(pieces);
    if (on_batch(batch) == Continue::kStop) return Continue::kStop;
  }
  return Continue::kYes;
}

}  // namespace yardstick::models
