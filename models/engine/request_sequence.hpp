// What of a request has to be computed: the one rule that the engine computes by and plans count
// by.
#pragma once

#include "models/engine/prefix_tree.hpp"
#include "models/engine/request.hpp"
#include "models/position/encoding.hpp"

namespace yardstick::models {

/// The tokens of `request` whose rows are needed, and from where on they are read. The last token
/// predicts nothing that is asked for unless more tokens are to come. With LengthUse::kTotal only
/// requests of one size share. The request must outlive the sequence.
[[nodiscard]] TreeSequence request_sequence(const Request& request, position::LengthUse length_use);

/// Positions that the answer may take at most: one for each token that is fed. The last token of a
/// request that generates nothing is a target alone.
[[nodiscard]] std::int64_t positions_needed(const Request& request);

}  // namespace yardstick::models
