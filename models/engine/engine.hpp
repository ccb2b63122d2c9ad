// The engine seen from outside: requests in, responses out. Free of torch; the implementation lives
// in the backend library, which is loaded only by the commands that compute.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/engine/request.hpp"
#include "models/profile.hpp"

namespace yardstick::models {

enum class ComputeType { kFloat32, kBFloat16, kFloat16 };

/// "float32", "bfloat16", "float16" (aliases f32, fp32, bf16, f16, half are read, not written).
[[nodiscard]] std::string_view to_string(ComputeType type);
/// @throws Error(kConfig) listing the valid names.
[[nodiscard]] ComputeType parse_compute_type(std::string_view text);

/// Whether tokens that several requests begin with are computed once.
enum class Sharing { kOn, kOff };

struct EngineOptions {
  std::string device = "cpu";  ///< "cpu", "cuda" or "cuda:N"
  ComputeType dtype = ComputeType::kFloat32;
  int threads = 1;                           ///< intra-op threads on the CPU
  std::int64_t batch_tokens = 4096;          ///< packed tokens a forward pass at most
  std::int64_t attention_tile_tokens = 256;  ///< keys a tile of the online softmax
  Sharing sharing = Sharing::kOn;
  /// Of keys and values kept for shared prefixes and for generation. Unset: where no number depends
  /// on it (float32 and bfloat16 on the CPU) a quarter of the memory that is available when
  /// respond() is called, at least 1 GiB; elsewhere 1 GiB. A sequence that needs more gets it.
  std::optional<std::int64_t> cache_bytes;
};

/// Called between forward passes with the tokens computed since the last call; a true return asks
/// the engine to stop. Called from the thread that called respond().
enum class Continue { kYes, kStop };
using EngineProgress = std::function<Continue(std::int64_t tokens_done)>;

/// A loaded model on one device. One thread at a time may call respond(); several engines may run
/// side by side.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Answers every request, in order. A response does not depend on what else is in the list.
  /// @throws Error(kModel) naming the request for an id >= the vocabulary or a sequence longer than
  /// a learned position table; Error(kMemory) if one sequence does not fit; nothing is returned if
  /// `progress` asks to stop (empty vector).
  [[nodiscard]] virtual std::vector<Response> respond(std::span<const Request> requests,
                                                      const EngineProgress& progress) = 0;

  /// Receives float32 logits [rows, V] of consecutive positions from `first_position` on.
  using LogitsSink = std::function<void(std::int64_t first_position, std::span<const float> rows)>;

  /// All logits of one sequence, handed over in chunks of rows (memory does not grow with T x V).
  virtual void logits(std::span<const TokenId> tokens, const LogitsSink& sink) = 0;

  /// Receives rows [rows, E] f32 of consecutive positions from `first_position` on, of hidden state
  /// `state`: 0 is what the first block reads, i what block i - 1 leaves and block i reads, L the
  /// output of the final norm. The states of a pass come in order; a long sequence takes several.
  using StatesSink = std::function<void(std::int64_t state, std::int64_t first_position,
                                        std::span<const float> rows)>;

  /// The hidden states of one sequence, L + 1 of each position.
  virtual void hidden_states(std::span<const TokenId> tokens, const StatesSink& sink) = 0;

  /// What ran: device name, dtype, attention backend, library versions; stored with each result.
  [[nodiscard]] virtual std::string description() const = 0;

  /// Where the time of respond() and logits() went so far; nothing where it is not measured (all
  /// but float32 and bfloat16 on the CPU).
  [[nodiscard]] virtual std::optional<Profile> profile() const { return std::nullopt; }
};

}  // namespace yardstick::models
