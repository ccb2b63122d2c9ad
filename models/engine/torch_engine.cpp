// Scoring, generation and raw logits over packed forward passes.
#include "models/engine/torch_engine.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "models/engine/check_requests.hpp"
#include "models/engine/device.hpp"
#include "models/engine/forward.hpp"
#include "models/engine/generation.hpp"

namespace yardstick::models {
namespace {

// Keys and values of sequences that are generated together, at most (one sequence always fits).
constexpr std::int64_t kGenerationCacheBytes = std::int64_t{1} << 30;
constexpr std::int64_t kLogitsChunkRows = 256;

/// Runs `work` and turns LibTorch's exceptions into ours.
template <typename Work>
auto translating(const Work& work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    const bool memory = text.find("out of memory") != std::string::npos ||
                        text.find("allocate memory") != std::string::npos;
    if (!memory) throw Error(ErrorKind::kInternal, "LibTorch: " + text);
    throw Error(ErrorKind::kMemory,
                "a forward pass does not fit into memory; lower batch_tokens, or the length (" +
                    text.substr(0, text.find('\n')) + ")");
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::kMemory,
                "a forward pass does not fit into memory; lower batch_tokens, or the length");
  }
}

class TorchEngine final : public Engine {
 public:
  explicit TorchEngine(EngineParts parts) : parts_(std::move(parts)) {}

  std::vector<Response> respond(std::span<const Request> requests,
                                const EngineProgress& progress) override {
    check_requests(requests, limits());
    set_compute_threads(parts_.options.threads);
    const c10::InferenceMode inference;
    return translating([&] { return answer(requests, progress); });
  }

  void logits(std::span<const TokenId> tokens, const LogitsSink& sink) override {
    const Request request{.tokens = {tokens.begin(), tokens.end()},
                          .score_from = std::ssize(tokens)};
    check_requests({&request, 1}, limits());
    set_compute_threads(parts_.options.threads);
    const c10::InferenceMode inference;
    translating([&] { send_logits(tokens, sink); });
  }

  std::string description() const override {
    return fmt::format("{}, {}, attention {}, {}", parts_.device.str(),
                       to_string(parts_.options.dtype), parts_.decoder.attention_backend().name(),
                       library_description());
  }

 private:
  [[nodiscard]] RequestLimits limits() const {
    return {.vocabulary = parts_.decoder.config().vocabulary,
            .longest_sequence = parts_.encoding->longest_sequence()};
  }

  [[nodiscard]] ForwardOptions forward_options() const {
    return {.device = parts_.device, .batch_tokens = parts_.options.batch_tokens};
  }

  [[nodiscard]] Continuation continuation() const {
    return parts_.encoding->length_use() == position::LengthUse::kTotal ? Continuation::kRecomputed
                                                                        : Continuation::kCached;
  }

  [[nodiscard]] std::int64_t cache_bytes(const Request& request) const {
    const DecoderConfig& config = parts_.decoder.config();
    const std::int64_t element = parts_.options.dtype == ComputeType::kFloat32 ? 4 : 2;
    return (std::ssize(request.tokens) + request.max_new_tokens) * config.layers * config.kv_heads *
           config.head_dim * 2 * element;
  }

  /// Indices of requests that run together: all that only score, then groups that generate.
  [[nodiscard]] std::vector<std::vector<std::size_t>> rounds(
      std::span<const Request> requests) const {
    std::vector<std::vector<std::size_t>> rounds(1);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (requests[i].max_new_tokens == 0) rounds.front().push_back(i);
    }
    std::int64_t bytes = kGenerationCacheBytes;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (requests[i].max_new_tokens == 0) continue;
      bytes += cache_bytes(requests[i]);
      if (bytes > kGenerationCacheBytes) {
        rounds.emplace_back();
        bytes = cache_bytes(requests[i]);
      }
      rounds.back().push_back(i);
    }
    return rounds;
  }

  std::vector<Response> answer(std::span<const Request> requests, const EngineProgress& progress) {
    std::vector<Response> responses(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto scored =
          static_cast<std::size_t>(std::ssize(requests[i].tokens) - requests[i].score_from);
      responses[i].nll.resize(scored);
      responses[i].is_greedy.resize(scored);
    }
    for (const std::vector<std::size_t>& round : rounds(requests)) {
      if (answer_round(requests, round, responses, progress) == Continue::kStop) return {};
    }
    for (Response& response : responses) {
      if (response.status == ResponseStatus::kNonFinite) invalidate(response);
    }
    return responses;
  }

  /// No number of such a response may be used, so there are none.
  static void invalidate(Response& response) {
    std::fill(response.nll.begin(), response.nll.end(), std::numeric_limits<double>::quiet_NaN());
    std::fill(response.is_greedy.begin(), response.is_greedy.end(), std::uint8_t{0});
    response.generated.clear();
    response.generated_nll.clear();
  }

  Continue answer_round(std::span<const Request> requests, const std::vector<std::size_t>& round,
                        std::vector<Response>& responses, const EngineProgress& progress) {
    std::vector<ForwardSequence> sequences;
    std::vector<Generating> generating(round.size());
    for (std::size_t i = 0; i < round.size(); ++i) {
      const Request& request = requests[round[i]];
      const std::span<const TokenId> tokens(request.tokens);
      ForwardSequence sequence{.tokens = tokens, .total_length = std::ssize(tokens)};
      if (request.max_new_tokens > 0) {
        generating[i].request = &request;
        generating[i].response = &responses[round[i]];
        generating[i].tokens = request.tokens;
        if (continuation() == Continuation::kCached) {
          generating[i].cache = std::make_unique<KvCache>(
              parts_.decoder.make_cache(std::ssize(tokens) + request.max_new_tokens));
          sequence.cache = generating[i].cache.get();
        }
      } else {
        // The last token predicts nothing that is asked for.
        const bool scores = request.score_from < std::ssize(tokens);
        sequence.tokens = scores ? tokens.first(tokens.size() - 1) : tokens.first(0);
      }
      sequences.push_back(sequence);
    }
    const auto on_batch = [&](const ForwardBatch& batch) {
      score_batch(batch, requests, round, responses, generating);
      return progress ? progress(batch.hidden.size(0)) : Continue::kYes;
    };
    if (forward(parts_.decoder, sequences, forward_options(), on_batch) == Continue::kStop)
      return Continue::kStop;
    std::erase_if(generating,
                  [](const Generating& sequence) { return sequence.request == nullptr; });
    return generate(parts_.decoder, std::move(generating), continuation(), forward_options(),
                    parts_.loss, progress);
  }

  /// Fills in the losses that the batch's rows decide.
  void score_batch(const ForwardBatch& batch, std::span<const Request> requests,
                   const std::vector<std::size_t>& round, std::vector<Response>& responses,
                   std::vector<Generating>& generating) const {
    struct Owner {
      std::size_t item = 0;       // index into round
      std::int64_t position = 0;  // of the row's token
    };
    std::vector<ScoredRow> rows;
    std::vector<Owner> owners;
    for (std::size_t i = 0; i < batch.pieces.size(); ++i) {
      const Piece& piece = batch.pieces[i];
      const Request& request = requests[round[piece.sequence]];
      const std::int64_t size = std::ssize(request.tokens);
      const std::int64_t end = piece.first + piece.count;
      for (std::int64_t p = std::max(piece.first, request.score_from - 1); p < end; ++p) {
        const bool is_last = p + 1 == size;
        if (is_last && request.max_new_tokens == 0) continue;
        rows.push_back({.row = batch.row_begin[i] + p - piece.first,
                        .target = is_last ? -1 : request.tokens[static_cast<std::size_t>(p + 1)]});
        owners.push_back({piece.sequence, p});
      }
    }
    const std::vector<TokenLoss> losses = parts_.loss(parts_.decoder, batch.hidden, rows);
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const Owner& owner = owners[i];
      Response& response = responses[round[owner.item]];
      if (!losses[i].is_finite) response.status = ResponseStatus::kNonFinite;
      if (rows[i].target < 0) {
        generating[owner.item].next = losses[i];
        continue;
      }
      const auto index =
          static_cast<std::size_t>(owner.position + 1 - requests[round[owner.item]].score_from);
      response.nll[index] = losses[i].nll;
      response.is_greedy[index] = losses[i].is_greedy ? 1 : 0;
    }
  }

  void send_logits(std::span<const TokenId> tokens, const LogitsSink& sink) {
    const ForwardSequence sequence{.tokens = tokens, .total_length = std::ssize(tokens)};
    forward(parts_.decoder, {&sequence, 1}, forward_options(), [&](const ForwardBatch& batch) {
      const std::int64_t count = batch.hidden.size(0);
      for (std::int64_t begin = 0; begin < count; begin += kLogitsChunkRows) {
        const std::int64_t rows = std::min(kLogitsChunkRows, count - begin);
        const at::Tensor logits =
            parts_.decoder.logits(batch.hidden.narrow(0, begin, rows)).cpu().contiguous();
        sink(batch.pieces.front().first + begin,
             {logits.data_ptr<float>(), static_cast<std::size_t>(logits.numel())});
      }
      return Continue::kYes;
    });
  }

  EngineParts parts_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(EngineParts parts) {
  return std::make_unique<TorchEngine>(std::move(parts));
}

}  // namespace yardstick::models
