// Planning the prefix tree of 100,000 requests: 25,000 questions of four choices behind a few-shot
// preamble of 1,000 tokens.
#include <vector>

#include <benchmark/benchmark.h>

#include "core/random.hpp"
#include "models/engine/prefix_tree.hpp"

namespace yardstick::bench {
namespace {

std::vector<std::vector<TokenId>> questions(std::int64_t count) {
  Random random(1, "questions");
  const auto append = [&](std::vector<TokenId>& tokens, int more) {
    for (int i = 0; i < more; ++i) tokens.push_back(static_cast<TokenId>(random.below(32000)));
  };
  std::vector<TokenId> preamble;
  append(preamble, 1000);
  std::vector<std::vector<TokenId>> all;
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<TokenId> question = preamble;
    append(question, 50);
    for (int choice = 0; choice < 4; ++choice) {
      all.push_back(question);
      append(all.back(), 8);
    }
  }
  return all;
}

void prefix_tree(benchmark::State& state) {
  const std::vector<std::vector<TokenId>> all = questions(state.range(0) / 4);
  std::vector<models::TreeSequence> sequences;
  for (const auto& tokens : all) sequences.push_back({.tokens = tokens, .read_from = 1049});
  for (auto _ : state) {
    const models::PrefixTree tree(sequences, models::Sharing::kOn);
    benchmark::DoNotOptimize(tree.token_count());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(prefix_tree)->Arg(1000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace yardstick::bench
