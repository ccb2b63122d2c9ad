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

at::Tensor forward_pass(Decoder& decoder, std::span<const ForwardSequence> sequences,
                        const ForwardOptions& options) {
  PackedBatch packed;
  packed.row_block = kRowBlock;
  packed.on_state = options.on_state;
  std::int64_t rows = 0;
  for (const ForwardSequence& sequence : sequences) {
    std::int64_t before = sequence.cache == nullptr ? 0 : sequence.cache->length();
    for (const KvCache* cache : sequence.prefix) before += cache->length();
    packed.sequences.push_back({.row_begin = rows,
                                .row_count = std::ssize(sequence.tokens),
                                .first_position = before,
                                .total_length = sequence.total_length,
                                .prefix = sequence.prefix,
                                .cache = sequence.cache});
    rows += std::ssize(sequence.tokens);
  }
  const at::Tensor tokens = at::empty({rows}, at::TensorOptions().dtype(at::kLong));
  auto* target = tokens.data_ptr<std::int64_t>();
  for (const ForwardSequence& sequence : sequences)
    target = std::copy(sequence.tokens.begin(), sequence.tokens.end(), target);
  packed.tokens = tokens.to(options.device);
  return decoder.hidden(packed);
}

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
    std::int64_t before = 0;
    for (const KvCache* cache : sequences[index].prefix) before += cache->length();
    return &own_caches.emplace(index, decoder.make_cache(before, lengths[index])).first->second;
  };
  for (std::vector<Piece>& pieces : plan_batches(lengths, options.batch_tokens)) {
    ForwardBatch batch;
    std::vector<ForwardSequence> parts;
    std::int64_t rows = 0;
    for (const Piece& piece : pieces) {
      ForwardSequence& part = parts.emplace_back(sequences[piece.sequence]);
      part.tokens = part.tokens.subspan(static_cast<std::size_t>(piece.first),
                                        static_cast<std::size_t>(piece.count));
      part.cache = cache_of(piece.sequence);
      batch.row_begin.push_back(rows);
      rows += piece.count;
    }
    batch.hidden = forward_pass(decoder, parts, options);
    for (const Piece& piece : pieces) {
      if (piece.first + piece.count == lengths[piece.sequence]) own_caches.erase(piece.sequence);
    }
    batch.pieces = std::move(pieces);
    if (on_batch(batch) == Continue::kStop) return Continue::kStop;
  }
  return Continue::kYes;
}

}  // namespace yardstick::models
