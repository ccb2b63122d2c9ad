#include "models/engine/prefix_tree.hpp"

#include <algorithm>
#include <numeric>

namespace yardstick::models {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  // The multiplier of splitmix64.
  hash = (hash ^ value) * 0xBF58476D1CE4E5B9U;
  return hash ^ (hash >> 31U);
}

}  // namespace

PrefixTree::PrefixTree(std::span<const TreeSequence> sequences, Sharing sharing)
    : ends_(sequences.size(), PrefixNode::kNone) {
  std::vector<std::size_t> order(sequences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Longest first: a sequence that is the beginning of another finds that one there.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sequences[a].tokens.size() > sequences[b].tokens.size();
  });
  for (const std::size_t index : order) {
    const TreeSequence& sequence = sequences[index];
    if (sequence.tokens.empty()) continue;
    if (sharing == Sharing::kOn) {
      insert(index, sequence);
    } else {
      add_leaf({.group = sequence.group}, sequence.tokens, 0, index);
    }
  }
  add_readers(sequences);
}

std::int64_t PrefixTree::token_count() const {
  return std::accumulate(
      nodes_.begin(), nodes_.end(), std::int64_t{0},
      [](std::int64_t sum, const PrefixNode& node) { return sum + node.count(); });
}

void PrefixTree::insert(std::size_t index, const TreeSequence& sequence) {
  const std::span<const TokenId> tokens = sequence.tokens;
  const std::int64_t size = std::ssize(tokens);
  Branch branch{.group = sequence.group};
  std::int64_t position = 0;
  while (true) {
    const std::size_t found = find(branch, tokens, position);
    if (found == PrefixNode::kNone) break;
    const std::span<const TokenId> path = nodes_[found].path;
    const std::int64_t least = std::min(size, std::ssize(path));
    const auto from = static_cast<std::ptrdiff_t>(position);
    const auto parted =
        std::mismatch(tokens.begin() + from, tokens.begin() + least, path.begin() + from);
    position = parted.first - tokens.begin();
    const bool is_inside = position < std::ssize(path);
    if (position == size && (!is_inside || sequence.end == TreeSequence::End::kFree)) {
      ends_[index] = found;
      return;
    }
    if (is_inside && !nodes_[found].children.empty()) {
      // What is left of an edge that leads on must be long enough to be found again.
      position = std::min(position, std::ssize(path) - kLeastShared);
    }
    if (position - nodes_[found].first < kLeastShared) {
      position = nodes_[found].first;
      break;
    }
    const std::size_t node = is_inside ? split(found, position) : found;
    if (position == size) {
      ends_[index] = node;
      return;
    }
    branch = {.parent = node, .group = sequence.group};
  }
  add_leaf(branch, tokens, position, index);
}

void PrefixTree::add_leaf(const Branch& branch, std::span<const TokenId> path, std::int64_t first,
                          std::size_t index) {
  const std::size_t node = nodes_.size();
  nodes_.push_back({.parent = branch.parent, .path = path, .first = first, .group = branch.group});
  branches_.push_back(branch);
  (branch.parent == PrefixNode::kNone ? roots_ : nodes_[branch.parent].children).push_back(node);
  ends_[index] = node;
  remember(node);
}

std::size_t PrefixTree::split(std::size_t node, std::int64_t end) {
  const std::size_t upper = nodes_.size();
  nodes_.push_back({.parent = nodes_[node].parent,
                    .path = nodes_[node].path.first(static_cast<std::size_t>(end)),
                    .first = nodes_[node].first,
                    .group = nodes_[node].group,
                    .children = {node}});
  const Branch branch = branches_[node];
  branches_.push_back(branch);
  std::vector<std::size_t>& siblings =
      branch.parent == PrefixNode::kNone ? roots_ : nodes_[branch.parent].children;
  std::replace(siblings.begin(), siblings.end(), node, upper);
  nodes_[node].parent = upper;
  nodes_[node].first = end;
  branches_[node] = {.parent = upper, .group = branch.group};
  remember(upper);
  remember(node);
  return upper;
}

std::uint64_t PrefixTree::key(const Branch& branch, std::span<const TokenId> tokens,
                              std::int64_t first) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(branch.group), branch.parent);
  for (std::int64_t i = first; i < first + kLeastShared; ++i)
    hash = mix(hash, static_cast<std::uint32_t>(tokens[static_cast<std::size_t>(i)]));
  return hash;
}

void PrefixTree::remember(std::size_t node) {
  const PrefixNode& entry = nodes_[node];
  if (entry.count() < kLeastShared) return;
  index_.emplace(key(branches_[node], entry.path, entry.first), node);
}

std::size_t PrefixTree::find(const Branch& branch, std::span<const TokenId> tokens,
                             std::int64_t first) const {
  if (std::ssize(tokens) - first < kLeastShared) return PrefixNode::kNone;
  const auto [begin, end] = index_.equal_range(key(branch, tokens, first));
  const auto found = std::find_if(begin, end, [&](const auto& entry) {
    const PrefixNode& node = nodes_[entry.second];
    // A node that was split since is remembered under its old branch, too.
    if (branches_[entry.second] != branch || node.first != first) return false;
    const auto from = tokens.begin() + static_cast<std::ptrdiff_t>(first);
    return std::equal(from, from + kLeastShared,
                      node.path.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return found == end ? PrefixNode::kNone : found->second;
}

void PrefixTree::add_readers(std::span<const TreeSequence> sequences) {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    // A sequence that ended within an edge which was split later ends in its upper part.
    std::size_t node = ends_[i];
    const std::int64_t size = std::ssize(sequences[i].tokens);
    while (node != PrefixNode::kNone && nodes_[node].first >= size) node = nodes_[node].parent;
    ends_[i] = node;
    const std::int64_t from = sequences[i].read_from;
    for (; node != PrefixNode::kNone && nodes_[node].end() > from; node = nodes_[node].parent)
      nodes_[node].readers.push_back(i);
  }
}

}  // namespace yardstick::models
