// Inside the room: the online softmax of queries over pages of keys (arXiv 1805.02867).
#pragma once

#include <cstdint>
#include <limits>

namespace yardstick::models::kernels {

/// The keys [begin, end) of a page that a query sees; none if they are equal.
struct SeenKeys {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  [[nodiscard]] bool is_empty() const { return begin >= end; }
};

/// Scores of consecutive queries against one page of keys. They are in base 2, for 2^x is cheaper
/// than e^x: log2(e) q k^T / divisor.
struct ScoreRows {
  float* scores = nullptr;         ///< [count, 64]; weights come out
  std::int64_t stride = 0;         ///< numbers from row to row
  std::int64_t count = 0;          ///< 1 .. kMostTileRows
  const SeenKeys* seen = nullptr;  ///< [count]
  std::int64_t distance = 0;       ///< from the page's first key to the first query
  float slope = 0;                 ///< ALiBi's times log2(e), 0 without
};

/// The softmax of one query so far.
struct Softmax {
  float maximum = -std::numeric_limits<float>::infinity();
  float shrink = 1;  ///< what the last page multiplied the weights before it by
  double sum = 0;    ///< of weights
};

/// Turns scores into weights 2^(score - maximum), 0 where a query does not see, and brings the
/// softmax [count] up to date; that of a query which sees nothing stays, with a shrink of 1.
using TakePage = void (*)(const ScoreRows& rows, Softmax* softmax);

/// The fastest for this CPU. All that have FMA give the same bits.
[[nodiscard]] TakePage take_page_function();

}  // namespace yardstick::models::kernels
