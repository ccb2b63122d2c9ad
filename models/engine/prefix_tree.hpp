// Which tokens of many sequences are the same: a tree whose every edge needs to be computed once.
// Plain arithmetic, free of torch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "models/engine/engine.hpp"
#include "models/engine/request.hpp"

namespace yardstick::models {

/// A sequence to compute, and from where on its rows are read.
struct TreeSequence {
  std::span<const TokenId> tokens;
  std::int64_t read_from = 0;  ///< first position whose hidden state is asked for
  /// Only sequences of one group share; the total length where an encoding reads it.
  std::int64_t group = 0;
  enum class End { kFree, kNode } end = End::kFree;  ///< kNode: a node ends with the last token
};

/// An edge of the tree with the node at its end.
struct PrefixNode {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t parent = kNone;
  std::span<const TokenId> path;  ///< all tokens from position 0 to the end of the edge
  std::int64_t first = 0;         ///< position of the edge's first token
  std::int64_t group = 0;         ///< of its sequences
  std::vector<std::size_t> children;
  /// Sequences that read rows of this edge, in their order.
  std::vector<std::size_t> readers;

  [[nodiscard]] std::int64_t end() const { return std::ssize(path); }
  [[nodiscard]] std::int64_t count() const { return end() - first; }
};

/// The tree of some sequences. Two sequences part at the first token that differs; one that is the
/// beginning of another makes no node. Common parts shorter than kLeastShared are not shared: a
/// forward pass of few tokens costs more than it saves. So that no shorter edge leads to others, a
/// sequence may part up to kLeastShared tokens before it has to. Empty sequences have no node.
class PrefixTree {
 public:
  static constexpr std::int64_t kLeastShared = 32;

  /// The spans in `sequences` must outlive the tree.
  PrefixTree(std::span<const TreeSequence> sequences, Sharing sharing);

  [[nodiscard]] const std::vector<PrefixNode>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<std::size_t>& roots() const { return roots_; }

  /// Node with which sequence `index` ends (or within whose edge); kNone for an empty one.
  [[nodiscard]] std::size_t end_node(std::size_t index) const { return ends_[index]; }

  /// Tokens of all edges.
  [[nodiscard]] std::int64_t token_count() const;

 private:
  /// Where an edge may begin: behind a node, or at the root of a group.
  struct Branch {
    std::size_t parent = PrefixNode::kNone;
    std::int64_t group = 0;

    bool operator==(const Branch&) const = default;
  };

  void insert(std::size_t index, const TreeSequence& sequence);
  void add_leaf(const Branch& branch, std::span<const TokenId> path, std::int64_t first,
                std::size_t index);
  /// The edge at `branch` that begins with the kLeastShared tokens from `first` on, or kNone.
  [[nodiscard]] std::size_t find(const Branch& branch, std::span<const TokenId> tokens,
                                 std::int64_t first) const;
  /// Cuts the node's edge before position `end`; answers the new node of the upper part.
  std::size_t split(std::size_t node, std::int64_t end);
  void remember(std::size_t node);
  [[nodiscard]] static std::uint64_t key(const Branch& branch, std::span<const TokenId> tokens,
                                         std::int64_t first);
  void add_readers(std::span<const TreeSequence> sequences);

  std::vector<PrefixNode> nodes_;
  std::vector<Branch> branches_;  // of each node
  std::vector<std::size_t> roots_;
  std::vector<std::size_t> ends_;
  std::unordered_multimap<std::uint64_t, std::size_t> index_;  // by branch and first tokens
};

}  // namespace yardstick::models
