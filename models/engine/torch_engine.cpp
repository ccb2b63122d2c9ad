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
#include "models/engine/answering.hpp"
#include "models/engine/check_requests.hpp"
#include "models/engine/device.hpp"
#include "models/engine/forward.hpp"

namespace yardstick::models {
namespace {

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
    check_tokens(tokens);
    set_compute_threads(parts_.options.threads);
    const c10::InferenceMode inference;
    translating([&] { send_logits(tokens, sink); });
  }

  void hidden_states(std::span<const TokenId> tokens, const StatesSink& sink) override {
    check_tokens(tokens);
    set_compute_threads(parts_.options.threads);
    const c10::InferenceMode inference;
    translating([&] { send_states(tokens, sink); });
  }

  std::string description() const override {
    return fmt::format("{}, {}, attention {}, {}", parts_.device.str(),
                       to_string(parts_.options.dtype), parts_.decoder.attention_name(),
                       library_description());
  }

  std::optional<Profile> profile() const override { return parts_.decoder.profile(); }

 private:
  [[nodiscard]] RequestLimits limits() const {
    return {.vocabulary = parts_.decoder.config().vocabulary,
            .longest_sequence = parts_.encoding->longest_sequence()};
  }

  void check_tokens(std::span<const TokenId> tokens) const {
    const Request request{.tokens = {tokens.begin(), tokens.end()},
                          .score_from = std::ssize(tokens)};
    check_requests({&request, 1}, limits());
  }

  [[nodiscard]] ForwardOptions forward_options() const {
    return {.device = parts_.device, .batch_tokens = parts_.options.batch_tokens};
  }

  std::vector<Response> answer(std::span<const Request> requests, const EngineProgress& progress) {
    std::vector<Response> responses;
    if (Answering(parts_, requests, responses, progress).run() == Continue::kStop) return {};
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

  void send_states(std::span<const TokenId> tokens, const StatesSink& sink) {
    const ForwardSequence sequence{.tokens = tokens, .total_length = std::ssize(tokens)};
    std::int64_t first = 0;  // position of the pass's first row
    ForwardOptions options = forward_options();
    options.on_state = [&](std::int64_t state, const at::Tensor& rows) {
      const at::Tensor here = rows.cpu().contiguous();
      sink(state, first, {here.data_ptr<float>(), static_cast<std::size_t>(here.numel())});
    };
    forward(parts_.decoder, {&sequence, 1}, options, [&](const ForwardBatch& batch) {
      first += batch.hidden.size(0);
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
