#include "models/engine/tree_run.hpp"

#include <algorithm>
#include <optional>

namespace yardstick::models {
namespace {

class TreeRun {
 public:
  TreeRun(Decoder& decoder, const PrefixTree& tree, const std::vector<bool>& kept,
          const TreeRunOptions& options, const TreeEvents& events)
      : decoder_(decoder),
        tree_(tree),
        kept_(kept),
        options_(options),
        events_(events),
        states_(tree.nodes().size()),
        ready_(tree.roots().rbegin(), tree.roots().rend()) {}

  Continue run() {
    while (!ready_.empty()) {
      const std::vector<TreePiece> pieces = next_pieces();
      if (events_.on_batch(compute(pieces)) == Continue::kStop) return Continue::kStop;
      for (const TreePiece& piece : pieces) {
        if (piece.first + piece.count < node(piece.node).end()) continue;
        if (finish(piece.node) == Continue::kStop) return Continue::kStop;
      }
    }
    return Continue::kYes;
  }

 private:
  struct State {
    std::int64_t start = 0;          // position of the first token that is computed here
    std::int64_t done = 0;           // tokens computed from there on
    std::size_t open_children = 0;   // that still need the cache
    std::shared_ptr<KvCache> cache;  // of the tokens computed here
    enum class Lookup { kPath, kNothing } prefix = Lookup::kPath;
    bool is_started = false;
  };

  [[nodiscard]] const PrefixNode& node(std::size_t index) const { return tree_.nodes()[index]; }

  [[nodiscard]] std::int64_t bytes(const KvCache& cache) const {
    return decoder_.cache_bytes(cache.first(), cache.capacity());
  }

  /// Caches of the tokens before the node's own.
  [[nodiscard]] CachePath path_to(std::size_t index) const {
    CachePath path;
    while (states_[index].prefix == State::Lookup::kPath &&
           node(index).parent != PrefixNode::kNone) {
      index = node(index).parent;
      path.push_back(states_[index].cache);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  /// Rows of a pass that begins with the node: one that nothing continues may run whole.
  [[nodiscard]] std::int64_t most_rows(std::size_t index) const {
    const std::int64_t usual = options_.forward.batch_tokens;
    if (kept_[index] || !node(index).children.empty()) return usual;
    const std::int64_t count = node(index).end() - states_[index].start;
    const std::optional<std::int64_t> bytes = decoder_.pass_bytes(count);
    return bytes && *bytes <= options_.cache_bytes ? std::max(usual, count) : usual;
  }

  /// Decides where the node starts, and gives it a cache if it needs and may have one. False if it
  /// has to wait until others have freed theirs.
  bool start(std::size_t index, bool may_wait) {
    State& state = states_[index];
    if (state.is_started) return true;
    const std::size_t parent = node(index).parent;
    const bool from_parent = parent != PrefixNode::kNone && states_[parent].cache != nullptr;
    state.prefix = from_parent ? State::Lookup::kPath : State::Lookup::kNothing;
    state.start = from_parent ? node(index).first : 0;
    const std::int64_t count = node(index).end() - state.start;
    const bool is_chunked = count > most_rows(index);
    const bool has_children = !node(index).children.empty();
    if (!is_chunked && !kept_[index] && !has_children) return state.is_started = true;
    const std::int64_t own = decoder_.cache_bytes(state.start, count);
    std::int64_t on_path = own;
    for (const auto& cache : path_to(index)) on_path += bytes(*cache);
    const bool fits_alone = on_path <= options_.cache_bytes;
    if (fits_alone && may_wait && live_bytes_ + own > options_.cache_bytes) return false;
    if (!fits_alone && !is_chunked && !kept_[index]) return state.is_started = true;
    state.cache = std::make_shared<KvCache>(decoder_.make_cache(state.start, count));
    live_bytes_ += own;
    return state.is_started = true;
  }

  /// What the next forward pass computes: from the top of the stack down, while it fits.
  std::vector<TreePiece> next_pieces() {
    std::vector<TreePiece> pieces;
    std::int64_t rows = 0;
    std::int64_t most = options_.forward.batch_tokens;
    for (std::size_t i = ready_.size(); i-- > 0 && rows < most;) {
      const std::size_t index = ready_[i];
      // The first must run, or nothing would.
      if (!start(index, !pieces.empty())) break;
      if (pieces.empty()) most = most_rows(index);
      const State& state = states_[index];
      const std::int64_t first = state.start + state.done;
      const std::int64_t left = node(index).end() - first;
      if (left > most - rows && !pieces.empty()) break;
      const std::int64_t count = std::min(left, most);
      pieces.push_back({.node = index, .first = first, .count = count, .row_begin = rows});
      rows += count;
    }
    return pieces;
  }

  TreeBatch compute(const std::vector<TreePiece>& pieces) {
    std::vector<ForwardSequence> sequences;
    std::vector<CachePath> paths;  // keeps what the sequences point at
    for (const TreePiece& piece : pieces) {
      State& state = states_[piece.node];
      paths.push_back(path_to(piece.node));
      ForwardSequence sequence{.tokens = node(piece.node)
                                             .path.subspan(static_cast<std::size_t>(piece.first),
                                                           static_cast<std::size_t>(piece.count)),
                               .total_length = node(piece.node).group,
                               .cache = state.cache.get()};
      for (const auto& cache : paths.back()) sequence.prefix.push_back(cache.get());
      sequences.push_back(std::move(sequence));
      state.done += piece.count;
    }
    return {.hidden = forward_pass(decoder_, sequences, options_.forward), .pieces = pieces};
  }

  Continue finish(std::size_t index) {
    // Near the top of a stack that may be long.
    ready_.erase(std::next(std::find(ready_.rbegin(), ready_.rend(), index)).base());
    State& state = states_[index];
    Continue answer = Continue::kYes;
    if (kept_[index]) {
      CachePath path = path_to(index);
      path.push_back(state.cache);
      answer = events_.on_kept(index, std::move(path));
    }
    const std::vector<std::size_t>& children = node(index).children;
    ready_.insert(ready_.end(), children.rbegin(), children.rend());
    state.open_children = children.size();
    // A chunked node may have had a cache for itself alone, and then its children use it too.
    if (children.empty() || state.cache == nullptr) release(index);
    return answer;
  }

  /// The node's cache, and its hold on its parent's, are needed no more.
  void release(std::size_t index) {
    State& state = states_[index];
    if (state.cache != nullptr) live_bytes_ -= bytes(*state.cache);
    state.cache.reset();
    const std::size_t parent = node(index).parent;
    if (state.prefix == State::Lookup::kNothing || parent == PrefixNode::kNone) return;
    if (--states_[parent].open_children == 0) release(parent);
  }

  Decoder& decoder_;
  const PrefixTree& tree_;
  const std::vector<bool>& kept_;
  const TreeRunOptions& options_;
  const TreeEvents& events_;
  std::vector<State> states_;
  std::vector<std::size_t> ready_;  // a stack
  std::int64_t live_bytes_ = 0;
};

}  // namespace

Continue run_tree(Decoder& decoder, const PrefixTree& tree, const std::vector<bool>& kept,
                  const TreeRunOptions& options, const TreeEvents& events) {
  return TreeRun(decoder, tree, kept, options, events).run();
}

}  // namespace yardstick::models
