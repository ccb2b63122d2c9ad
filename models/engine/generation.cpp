// Token by token, all sequences in one pass a step.
#include "models/engine/generation.hpp"

#include <algorithm>

namespace yardstick::models {
namespace {

/// Takes the token that `next` proposes; whether the sequence goes on.
bool accept(Generating& sequence) {
  Response& response = *sequence.response;
  const Request& request = *sequence.request;
  if (!sequence.next.is_finite) {
    response.status = ResponseStatus::kNonFinite;
    return false;
  }
  const auto token = static_cast<TokenId>(sequence.next.token);
  const auto& stops = request.stop_tokens;
  if (std::find(stops.begin(), stops.end(), token) != stops.end()) return false;
  response.generated.push_back(token);
  response.generated_nll.push_back(sequence.next.nll);
  sequence.tokens.push_back(token);
  const auto& ends = request.end_tokens;
  if (std::binary_search(ends.begin(), ends.end(), token)) return false;
  return std::ssize(response.generated) < request.max_new_tokens;
}

}  // namespace

Continue generate(Decoder& decoder, std::vector<Generating> sequences, Continuation continuation,
                  const ForwardOptions& options, const VocabularyLoss& loss,
                  const EngineProgress& progress) {
  while (true) {
    std::erase_if(sequences, [](Generating& sequence) { return !accept(sequence); });
    if (sequences.empty()) return Continue::kYes;
    std::vector<ForwardSequence> inputs;
    for (const Generating& sequence : sequences) {
      const std::span<const TokenId> all(sequence.tokens);
      const bool cached = continuation == Continuation::kCached;
      ForwardSequence& input = inputs.emplace_back();
      input.tokens = cached ? all.last(1) : all;
      input.total_length = std::ssize(all);
      if (!cached) continue;
      for (const auto& cache : sequence.prefix) input.prefix.push_back(cache.get());
      input.cache = sequence.cache.get();
    }
    const Continue answer = forward(decoder, inputs, options, [&](const ForwardBatch& batch) {
      std::vector<ScoredRow> rows;
      std::vector<std::size_t> owners;
      for (std::size_t i = 0; i < batch.pieces.size(); ++i) {
        const Piece& piece = batch.pieces[i];
        if (piece.first + piece.count < std::ssize(inputs[piece.sequence].tokens)) continue;
        const Generating& sequence = sequences[piece.sequence];
        rows.push_back({.row = batch.row_begin[i] + piece.count - 1,
                        .draw = draw_of(sequence.request->sampling,
                                        std::ssize(sequence.response->generated))});
        owners.push_back(piece.sequence);
      }
      const std::vector<TokenLoss> losses = loss(decoder, batch.hidden, rows);
      for (std::size_t i = 0; i < losses.size(); ++i) sequences[owners[i]].next = losses[i];
      return progress ? progress(batch.hidden.size(0)) : Continue::kYes;
    });
    if (answer == Continue::kStop) return Continue::kStop;
  }
}

}  // namespace yardstick::models
