// `disjoint` (also `fope`, `olmo`): windows side by side, as FoPE's and OLMo's evaluators cut a
// stream.
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/perplexity/protocols/window.hpp"

namespace yardstick::tasks {

/// What happens to the stream's last part, which does not fill a window.
enum class Tail { kDrop, kScore };

struct DisjointPlan {
  std::int64_t length = 0;  ///< positions of a window, at least 2
  Tail tail = Tail::kDrop;
};

/// Windows side by side. One that the opening begins holds length - opening tokens and scores them
/// all; one without, or whose first token is the BOS already, holds `length` tokens and scores all
/// but its first: length - 1 scored tokens either way.
[[nodiscard]] Windows cut_disjoint(std::span<const TokenId> stream,
                                   std::span<const TokenId> opening, const DisjointPlan& plan);

/// Reads `tail`.
[[nodiscard]] std::unique_ptr<const WindowProtocol> make_disjoint(Fields& fields);

}  // namespace yardstick::tasks
