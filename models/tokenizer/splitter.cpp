#include "models/tokenizer/splitter.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace yardstick::tokenizer {
namespace {

using Kind = Stretch::Kind;

void flip(std::vector<Stretch>& stretches) {
  for (Stretch& stretch : stretches)
    stretch.kind = stretch.kind == Kind::kMatch ? Kind::kGap : Kind::kMatch;
}

// Joins a delimiter to the neighbour in front of it, unless that is a delimiter, too.
void merge_with_previous(std::vector<Stretch>& stretches) {
  std::vector<Stretch> merged;
  Kind previous = Kind::kGap;
  for (const Stretch& stretch : stretches) {
    if (stretch.kind == Kind::kMatch && previous == Kind::kGap && !merged.empty()) {
      merged.back().end = stretch.end;
    } else {
      merged.push_back(stretch);
    }
    previous = stretch.kind;
  }
  stretches = std::move(merged);
}

void merge_with_next(std::vector<Stretch>& stretches) {
  std::vector<Stretch> merged;
  Kind next = Kind::kGap;
  for (auto it = stretches.rbegin(); it != stretches.rend(); ++it) {
    if (it->kind == Kind::kMatch && next == Kind::kGap && !merged.empty()) {
      merged.back().begin = it->begin;
    } else {
      merged.push_back(*it);
    }
    next = it->kind;
  }
  std::reverse(merged.begin(), merged.end());
  stretches = std::move(merged);
}

void merge_contiguous(std::vector<Stretch>& stretches) {
  std::vector<Stretch> merged;
  for (const Stretch& stretch : stretches) {
    if (!merged.empty() && merged.back().kind == stretch.kind) {
      merged.back().end = stretch.end;
    } else {
      merged.push_back(stretch);
    }
  }
  stretches = std::move(merged);
}

void arrange(std::vector<Stretch>& stretches, SplitBehavior behavior) {
  switch (behavior) {
    case SplitBehavior::kIsolated: return;
    case SplitBehavior::kRemoved:
      std::erase_if(stretches, [](const Stretch& s) { return s.kind == Kind::kMatch; });
      return;
    case SplitBehavior::kMergedWithPrevious: return merge_with_previous(stretches);
    case SplitBehavior::kMergedWithNext: return merge_with_next(stretches);
    case SplitBehavior::kContiguous: return merge_contiguous(stretches);
  }
}

}  // namespace

void Splitter::apply(Pieces& pieces) const {
  RegexSearch search(regex_);
  const std::string_view text = pieces.text.text();
  std::vector<Piece> parts;
  parts.reserve(pieces.parts.size() + text.size() / 4);
  std::vector<Stretch> stretches;
  for (const Piece& part : pieces.parts) {
    if (part.token) {
      parts.push_back(part);
      continue;
    }
    stretches.clear();
    search.partition(text.substr(part.begin, part.end - part.begin), stretches);
    if (on_ == SplitOn::kGaps) flip(stretches);
    arrange(stretches, behavior_);
    for (const Stretch& stretch : stretches) {
      if (stretch.begin == stretch.end) continue;
      parts.push_back({part.begin + stretch.begin, part.begin + stretch.end, std::nullopt});
    }
  }
  pieces.parts = std::move(parts);
}

}  // namespace yardstick::tokenizer
