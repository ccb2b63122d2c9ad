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

}  // namespace yardstick::models
