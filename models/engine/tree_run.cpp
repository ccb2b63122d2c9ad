#include "models/engine/tree_run.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

namespace yardstick::models {
namespace {

class TreeRun {
 public:
  TreeRun(Decoder& decoder, const PrefixTree& tree, const std::vector<std::int64_t>& kept_bytes,
          CacheBudget& budget, const ForwardOptions& options, const TreeEvents& events)
      : decoder_(decoder),
        tree_(tree),
        kept_bytes_(kept_bytes),
        budget_(budget),
        options_(options),
        events_(events),
        states_(tree.nodes().size()),
        ready_(tree.roots().rbegin(), tree.roots().rend()) {}

  Continue run() {
    while (!ready_.empty()) {
      const std::size_t top = ready_.back();
      if (lacks_room(top) && events_.on_full() == Continue::kStop) return Continue::kStop;
      if (is_of_no_use(top)) {
        hand_on(top);
        continue;
      }
      const std::vector<TreePiece> pieces = next_pieces();
      if (events_.on_batch(compute(pieces)) == Continue::kStop) return Continue::kStop;
      for (const TreePiece& piece : pieces) {
        State& state = states_[piece.node];
        state.done += piece.count;
        if (left_of(piece.node) > 0) continue;
        if (state.cache != nullptr) extend_path(state);
        if (piece.first + piece.count < node(piece.node).end()) continue;
        if (finish(piece.node) == Continue::kStop) return Continue::kStop;
      }
    }
    return Continue::kYes;
  }

 private:
  struct State {
    CachePath path;                  // of the tokens before those that are computed here
    std::shared_ptr<KvCache> cache;  // of the tokens computed here, or of the first of them
    std::int64_t done = 0;           // tokens computed behind the path
    std::int64_t most_rows = 0;      // of a pass that begins with the node; 0: not started
  };

  [[nodiscard]] const PrefixNode& node(std::size_t index) const { return tree_.nodes()[index]; }

  /// Position of the first token to compute: the end of what is cached.
  [[nodiscard]] std::int64_t start_of(std::size_t index) const {
    const CachePath& path = states_[index].path;
    return path.empty() ? 0 : path.back()->first() + path.back()->capacity();
  }

  [[nodiscard]] std::int64_t count_of(std::size_t index) const {
    return node(index).end() - start_of(index);
  }

  /// Bytes of a cache of all tokens to compute.
  [[nodiscard]] std::int64_t cache_bytes(std::size_t index) const {
    return decoder_.cache_bytes(start_of(index), count_of(index));
  }

  /// Whether all tokens to compute may run as one pass. A long one needs memory of its own,
  /// which may be what is left, or what the cache would take that chunks need.
  [[nodiscard]] bool may_run_whole(std::size_t index) const {
    if (count_of(index) <= options_.batch_tokens) return true;
    const std::optional<std::int64_t> bytes = decoder_.pass_bytes(count_of(index));
    return bytes && *bytes <= std::max(room(), cache_bytes(index));
  }

  [[nodiscard]] bool is_started(std::size_t index) const { return states_[index].most_rows > 0; }
  [[nodiscard]] bool is_kept(std::size_t index) const { return kept_bytes_[index] > 0; }
  [[nodiscard]] bool has_children(std::size_t index) const { return !node(index).children.empty(); }

  /// Whether the node's cache is of use once the node is complete.
  [[nodiscard]] bool is_wanted(std::size_t index) const {
    return is_kept(index) || has_children(index);
  }

  /// Bytes that are neither taken nor promised.
  [[nodiscard]] std::int64_t room() const {
    return std::max<std::int64_t>(budget_.left() - promised_, 0);
  }

  /// Bytes that the node takes, and those that are taken behind it.
  [[nodiscard]] std::int64_t needed_bytes(std::size_t index) const {
    return cache_bytes(index) + kept_bytes_[index];
  }

  [[nodiscard]] bool lacks_room(std::size_t index) const {
    return !is_started(index) && (is_wanted(index) || !may_run_whole(index)) &&
           needed_bytes(index) > room();
  }

  /// Whether a node would be computed for a cache alone that it does not get.
  [[nodiscard]] bool is_of_no_use(std::size_t index) const {
    return !is_started(index) && has_children(index) && node(index).readers.empty() &&
           cached_tokens(index) == 0;
  }

  /// Whether a node may start beside others. If more nodes come behind it, as much as it takes has
  /// to be left to them, or the budget would be full of siblings when the first goes deeper.
  [[nodiscard]] bool may_join(std::size_t index) const {
    if (!is_wanted(index)) return true;
    return needed_bytes(index) <= (has_children(index) ? room() / 2 : room());
  }

  /// Tokens, from the node's first on, that get a cache.
  [[nodiscard]] std::int64_t cached_tokens(std::size_t index) const {
    const std::int64_t count = count_of(index);
    if (is_kept(index) || !may_run_whole(index)) return count;
    if (!is_wanted(index)) return 0;
    const std::int64_t left = room();
    const auto sizes = std::views::iota(std::int64_t{0}, count + 1);
    const auto too_many = std::ranges::partition_point(sizes, [&](std::int64_t size) {
      return decoder_.cache_bytes(start_of(index), size) <= left;
    });
    const auto fitting = static_cast<std::int64_t>(too_many - sizes.begin()) - 1;
    return fitting == count || fitting >= PrefixTree::kLeastShared ? fitting : 0;
  }

  void start(std::size_t index) {
    if (is_started(index)) return;
    State& state = states_[index];
    const std::int64_t cached = cached_tokens(index);
    if (cached > 0) state.cache = budget_.make(start_of(index), cached);
    promised_ += kept_bytes_[index];
    state.most_rows =
        cached > 0 ? options_.batch_tokens : std::max(options_.batch_tokens, count_of(index));
  }

  /// Tokens that are computed next, in one pass or in chunks.
  [[nodiscard]] std::int64_t left_of(std::size_t index) const {
    const State& state = states_[index];
    return (state.cache == nullptr ? count_of(index) : state.cache->capacity()) - state.done;
  }

  /// What the next forward pass computes: from the top of the stack down, while it fits.
  std::vector<TreePiece> next_pieces() {
    std::vector<TreePiece> pieces;
    std::int64_t rows = 0;
    std::int64_t most = options_.batch_tokens;
    for (std::size_t i = ready_.size(); i-- > 0 && rows < most;) {
      const std::size_t index = ready_[i];
      const State& state = states_[index];
      if (!pieces.empty() && (left_of(index) > most - rows || !may_join(index))) break;
      start(index);
      if (pieces.empty()) most = state.most_rows;
      const std::int64_t count = std::min(left_of(index), most);
      pieces.push_back({.node = index,
                        .first = start_of(index) + state.done,
                        .count = count,
                        .row_begin = rows});
      rows += count;
    }
    return pieces;
  }

  TreeBatch compute(const std::vector<TreePiece>& pieces) {
    std::vector<ForwardSequence> sequences;
    for (const TreePiece& piece : pieces) {
      const State& state = states_[piece.node];
      ForwardSequence sequence{.tokens = node(piece.node)
                                             .path.subspan(static_cast<std::size_t>(piece.first),
                                                           static_cast<std::size_t>(piece.count)),
                               .total_length = node(piece.node).group,
                               .cache = state.cache.get()};
      for (const auto& cache : state.path) sequence.prefix.push_back(cache.get());
      sequences.push_back(std::move(sequence));
    }
    return {.hidden = forward_pass(decoder_, sequences, options_), .pieces = pieces};
  }

  /// The cache is full: what is left of the node, if anything, starts behind it like a new one.
  static void extend_path(State& state) {
    state.path.push_back(std::exchange(state.cache, {}));
    state.done = 0;
    state.most_rows = 0;
  }

  Continue finish(std::size_t index) {
    CachePath path = hand_on(index);
    if (!is_kept(index)) return Continue::kYes;
    promised_ -= kept_bytes_[index];
    return events_.on_kept(index, std::move(path));
  }

  /// Makes the node's children ready, behind its caches, which it holds no more.
  CachePath hand_on(std::size_t index) {
    // Near the top of a stack that may be long.
    ready_.erase(std::next(std::find(ready_.rbegin(), ready_.rend(), index)).base());
    CachePath path = std::exchange(states_[index].path, {});
    const std::vector<std::size_t>& children = node(index).children;
    for (const std::size_t child : children) states_[child].path = path;
    ready_.insert(ready_.end(), children.rbegin(), children.rend());
    return path;
  }

  Decoder& decoder_;
  const PrefixTree& tree_;
  const std::vector<std::int64_t>& kept_bytes_;
  CacheBudget& budget_;
  const ForwardOptions& options_;
  const TreeEvents& events_;
  std::vector<State> states_;
  std::vector<std::size_t> ready_;  // a stack
  std::int64_t promised_ = 0;       // bytes that will be taken behind started nodes
};

}  // namespace

Continue run_tree(Decoder& decoder, const PrefixTree& tree,
                  const std::vector<std::int64_t>& kept_bytes, CacheBudget& budget,
                  const ForwardOptions& options, const TreeEvents& events) {
  return TreeRun(decoder, tree, kept_bytes, budget, options, events).run();
}

}  // namespace yardstick::models
