#include "harness/plan/chunks.hpp"

#include <algorithm>
#include <optional>

#include "models/engine/prefix_tree.hpp"

namespace yardstick::harness {
namespace {

constexpr std::int64_t kRecomputed = 8;    // tokens beyond the limit for one that is computed again
constexpr std::int64_t kMostTokens = 4;    // times the limit, or what the next sample shares
constexpr std::int64_t kMostSamples = 16;  // times the limit

/// A sample in the order of computing.
struct Entry {
  PlannedChunk::Ref ref;
  const tasks::Sample* sample = nullptr;
  std::int64_t tokens = 0;  // that it takes alone
  std::int64_t shared = 0;  // of those, what the entry before has as well
};

std::span<const TokenId> opening(const tasks::Sample& sample) {
  if (sample.requests.empty()) return {};
  return sample.requests.front().tokens;
}

/// Tokens that two requests share, none if they are too few to be worth it.
std::int64_t shared_tokens(std::span<const TokenId> a, std::span<const TokenId> b,
                           const ShareRule& rule) {
  if (rule.sharing == models::Sharing::kOff) return 0;
  if (rule.length_use == position::LengthUse::kTotal && a.size() != b.size()) return 0;
  const auto common = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  return common >= models::PrefixTree::kLeastShared ? common : 0;
}

std::int64_t tokens_alone(const tasks::Sample& sample, const ShareRule& rule) {
  std::int64_t tokens = request_tokens(sample);
  for (std::size_t i = 1; i < sample.requests.size(); ++i)
    tokens -= shared_tokens(sample.requests[i - 1].tokens, sample.requests[i].tokens, rule);
  return tokens;
}

std::vector<Entry> in_order(std::span<const ChunkCell> cells, const ShareRule& rule) {
  std::vector<Entry> entries;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for (const std::size_t i : cells[c].wanted) {
      const tasks::Sample& sample = cells[c].samples[i];
      entries.push_back({.ref = {c, i}, .sample = &sample, .tokens = tokens_alone(sample, rule)});
    }
  }
  if (rule.sharing == models::Sharing::kOff) return entries;
  // In the order of their tokens, each sample stands behind the one that it shares most with.
  std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    const std::span<const TokenId> left = opening(*a.sample);
    const std::span<const TokenId> right = opening(*b.sample);
    if (rule.length_use == position::LengthUse::kTotal && left.size() != right.size())
      return left.size() < right.size();
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    entries[i].shared =
        shared_tokens(opening(*entries[i - 1].sample), opening(*entries[i].sample), rule);
  }
  return entries;
}

/// A limit that leaves work for every slot.
std::int64_t token_limit(const std::vector<Entry>& entries, const ChunkLimits& limits) {
  if (limits.slots < 2) return limits.tokens;
  std::int64_t total = 0;
  for (const Entry& entry : entries) total += entry.tokens - entry.shared;
  const std::int64_t fair = total / (2 * static_cast<std::int64_t>(limits.slots));
  return std::clamp(fair, std::max<std::int64_t>(1, limits.tokens / 4), limits.tokens);
}

/// Where the chunk that begins with entry `begin` ends, and what it takes.
struct Cut {
  std::size_t end = 0;
  std::int64_t tokens = 0;
};
Cut next_cut(const std::vector<Entry>& entries, std::size_t begin, const ChunkLimits& limits) {
  Cut now{.end = begin + 1, .tokens = entries[begin].tokens};
  std::optional<Cut> cheapest;  // the last where least is computed again
  for (; now.end < entries.size(); ++now.end) {
    const Entry& next = entries[now.end];
    const auto samples = static_cast<std::int64_t>(now.end - begin);
    if (samples >= limits.samples || now.tokens >= limits.tokens) {
      if (next.shared == 0 || now.tokens - limits.tokens >= kRecomputed * next.shared) return now;
      if (!cheapest || next.shared <= entries[cheapest->end].shared) cheapest = now;
      const std::int64_t most_tokens = kMostTokens * std::max(limits.tokens, next.shared);
      if (samples >= kMostSamples * limits.samples || now.tokens >= most_tokens) return *cheapest;
    }
    now.tokens += next.tokens - next.shared;
  }
  return now;
}

}  // namespace

ChunkLimits chunk_limits(const Suite& suite) {
  return {.tokens = 4 * suite.batch_tokens, .slots = suite.devices.size()};
}

std::vector<PlannedChunk> plan_chunks(std::span<const ChunkCell> cells, const ChunkLimits& limits,
                                      const ShareRule& rule) {
  const std::vector<Entry> entries = in_order(cells, rule);
  ChunkLimits fair = limits;
  fair.tokens = token_limit(entries, limits);
  std::vector<PlannedChunk> chunks;
  for (std::size_t begin = 0; begin < entries.size();) {
    const Cut cut = next_cut(entries, begin, fair);
    PlannedChunk& chunk = chunks.emplace_back();
    chunk.tokens = cut.tokens;
    for (; begin < cut.end; ++begin) chunk.samples.push_back(entries[begin].ref);
    std::sort(chunk.samples.begin(), chunk.samples.end());
  }
  return chunks;
}

}  // namespace yardstick::harness
