// Greedy and sampled continuation of many sequences together.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "models/engine/forward.hpp"
#include "models/engine/tree_run.hpp"
#include "models/engine/vocabulary_loss.hpp"

namespace yardstick::models {

/// How the state of a sequence is carried from one token to the next.
enum class Continuation {
  kCached,      ///< one new token against the KV cache
  kRecomputed,  ///< the whole sequence again: its encoding depends on the total length
};

/// One sequence being continued.
struct Generating {
  const Request* request = nullptr;
  Response* response = nullptr;
  std::vector<TokenId> tokens;     ///< prompt and generated tokens
  CachePath prefix;                ///< with kCached: all of the prompt
  std::shared_ptr<KvCache> cache;  ///< with kCached: the generated tokens
  TokenLoss next;                  ///< about the token behind `tokens`
};

/// Appends tokens until each sequence meets a stop token, its budget or a number that is not
/// finite. Sequences start with `next` set. kStop if `progress` asked for it.
Continue generate(Decoder& decoder, std::vector<Generating> sequences, Continuation continuation,
                  const ForwardOptions& options, const VocabularyLoss& loss,
                  const EngineProgress& progress);

}  // namespace yardstick::models
