// Inside the room: the online softmax of one query over pages of keys (arXiv 1805.02867).
#pragma once

#include <cstdint>
#include <limits>

namespace yardstick::models::kernels {

/// A row of scores against one page of keys.
struct ScoreRow {
  float* scores = nullptr;    ///< [64]: q k^T / sqrt(D) in, weights out
  std::int64_t visible = 0;   ///< leading keys that the query sees, 1 .. 64
  std::int64_t distance = 0;  ///< from the page's first key to the query
  float slope = 0;            ///< ALiBi's, 0 without
};

/// The softmax so far.
struct Softmax {
  float maximum = -std::numeric_limits<float>::infinity();
  double sum = 0;
};

/// Turns scores into weights exp(score - maximum), and answers by what earlier weights shrink.
using TakePage = float (*)(const ScoreRow& row, Softmax& softmax);

/// The fastest for this CPU. All that have FMA give the same bits.
[[nodiscard]] TakePage take_page_function();

}  // namespace yardstick::models::kernels
