// Inside the room: one call of respond(), from requests to responses by way of their prefix tree.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "models/engine/generation.hpp"
#include "models/engine/torch_engine.hpp"
#include "models/engine/tree_run.hpp"

namespace yardstick::models {

class Answering {
 public:
  /// `responses` has one entry a request, with room for its scored tokens.
  Answering(EngineParts& parts, std::span<const Request> requests, std::vector<Response>& responses,
            const EngineProgress& progress);

  /// kStop if `progress` asked for it.
  Continue run();

 private:
  [[nodiscard]] bool reads_total_length() const;
  Continue score(const TreeBatch& batch);
  Continue keep(std::size_t node, CachePath path);
  void begin_generating(std::size_t request, CachePath path);
  Continue generate_waiting();

  EngineParts& parts_;
  std::span<const Request> requests_;
  std::vector<Response>& responses_;
  const EngineProgress& progress_;
  ForwardOptions options_;
  PrefixTree tree_;
  std::vector<std::vector<std::size_t>> prompts_;  // requests that generate behind each node
  std::vector<TokenLoss> next_;                    // of each request: about the first new token
  std::vector<Generating> waiting_;
  std::int64_t waiting_bytes_ = 0;           // that waiting_ keeps in memory
  std::set<const KvCache*> waiting_caches_;  // each counted once
};

}  // namespace yardstick::models
