// Inside the room: one call of respond(), from requests to responses by way of their prefix tree.
#pragma once

#include <span>
#include <vector>

#include "models/engine/cache_budget.hpp"
#include "models/engine/generation.hpp"
#include "models/engine/torch_engine.hpp"
#include "models/engine/tree_run.hpp"

namespace yardstick::models {

class Answering {
 public:
  /// `responses` becomes one a request, with room for its scored tokens; run() fills it.
  Answering(EngineParts& parts, std::span<const Request> requests, std::vector<Response>& responses,
            const EngineProgress& progress);

  /// kStop if `progress` asked for it.
  Continue run();

  /// Of the keys and values kept so far, those that a sequence generates included.
  [[nodiscard]] const CacheBudget& cache_budget() const { return budget_; }

 private:
  [[nodiscard]] bool reads_total_length() const;
  /// Bytes of the cache of the request's new tokens.
  [[nodiscard]] std::int64_t new_bytes(std::size_t request) const;
  Continue score(const TreeBatch& batch);
  Continue keep(std::size_t node, CachePath path);
  void begin_generating(std::size_t request, CachePath path);
  Continue generate_waiting();

  EngineParts& parts_;
  std::span<const Request> requests_;
  std::vector<Response>& responses_;
  const EngineProgress& progress_;
  ForwardOptions options_;
  CacheBudget budget_;
  PrefixTree tree_;
  std::vector<std::vector<std::size_t>> prompts_;  // requests that generate behind each node
  std::vector<TokenLoss> next_;                    // of each request: about the first new token
  std::vector<Generating> waiting_;
};

}  // namespace yardstick::models
