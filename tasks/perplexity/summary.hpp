// From losses to figures: losses by position, and a cell's perplexity with intervals.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tasks/task.hpp"

namespace yardstick::tasks {

/// How finely losses by token index in the window are kept.
enum class Positions {
  kBuckets,  ///< [1,1], [2,3], [4,7], [8,15], ...
  kEvery,    ///< [1,1], [2,2], [3,3], ...
};

/// Losses by token index, summed over windows.
class PositionSums {
 public:
  explicit PositionSums(Positions positions) : positions_(positions) {}

  /// @param nll  nats of the tokens at indices first_index, first_index + 1, ...; first_index >= 1
  void add(std::span<const double> nll, std::int64_t first_index);

  /// In the order of the indices.
  [[nodiscard]] std::vector<PositionLoss> take() const;

 private:
  Positions positions_;
  std::map<std::int64_t, PositionLoss> sums_;  // by their first index
};

/// A sample's value: how much Hugging Face's script weighs its window's mean loss.
inline constexpr const char* kHfWeight = "hf_weight";

/// What a summary shows beside the token-weighted figures.
struct SummaryPlan {
  enum class Samples { kWindows, kMeanOfWindows, kHfScript } samples = Samples::kWindows;
  enum class Documents { kJoined, kSeparate } documents = Documents::kJoined;
};

/// perplexity = exp(sum nll / sum tokens), nll_per_token; where the text is known bits_per_byte =
/// sum nll / ln 2 / sum bytes, byte_perplexity = exp(sum nll / sum bytes), word_perplexity =
/// exp(sum nll / sum words); tokens_scored, tokens_skipped, documents_skipped.
/// kMeanOfWindows: perplexity_mean_of_windows = exp(mean over samples of their mean nll).
/// kHfScript: perplexity_hf_script = exp(sum w m / sum w), m a window's mean nll and w its
/// kHfWeight. kSeparate: document_perplexity_mean = mean over documents of their own perplexities.
/// Intervals: bootstrap over documents; over samples where there is one document. Samples that are
/// not kOk add to the counts of what was skipped only.
[[nodiscard]] std::vector<MetricValue> summarize_losses(std::span<const SampleScore> scores,
                                                        const SummaryPlan& plan,
                                                        std::uint64_t seed);

}  // namespace yardstick::tasks
