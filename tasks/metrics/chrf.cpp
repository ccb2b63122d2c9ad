#include "tasks/metrics/chrf.hpp"

#include "core/error.hpp"
#include "tasks/metrics/characters.hpp"
#include "tasks/metrics/ngrams.hpp"

namespace yardstick::tasks {
namespace {

constexpr double kBetaSquared = 4;

std::u32string without_spaces(std::string_view text) {
  std::u32string points = code_points(text);
  std::erase_if(points, is_space);
  return points;
}

}  // namespace

ChrfCounts& ChrfCounts::operator+=(const ChrfCounts& other) {
  for (std::size_t n = 0; n < kChrfOrder; ++n) {
    predicted[n] += other.predicted[n];
    expected[n] += other.expected[n];
    match[n] += other.match[n];
  }
  return *this;
}

ChrfCounts count_chrf(std::string_view prediction, std::span<const std::string> references) {
  check(!references.empty(), "a prediction is compared to at least one reference");
  const std::u32string predicted = without_spaces(prediction);
  std::array<std::map<std::vector<char32_t>, std::int64_t>, kChrfOrder> ngrams;
  for (std::size_t n = 1; n <= kChrfOrder; ++n) {
    ngrams[n - 1] = count_ngrams<char32_t>(predicted, n);
  }
  ChrfCounts best;
  double best_score = -1;
  for (const std::string& reference : references) {
    const std::u32string expected = without_spaces(reference);
    ChrfCounts counts;
    for (std::size_t n = 1; n <= kChrfOrder; ++n) {
      const std::int64_t in_reference = ngrams_of(expected.size(), n);
      counts.expected[n - 1] = in_reference;
      // An order that the reference lacks does not count against the prediction.
      counts.predicted[n - 1] = in_reference > 0 ? ngrams_of(predicted.size(), n) : 0;
      counts.match[n - 1] = count_matches(ngrams[n - 1], count_ngrams<char32_t>(expected, n));
    }
    const double score = chrf(counts);
    if (score > best_score) {
      best_score = score;
      best = counts;
    }
  }
  return best;
}

double chrf(const ChrfCounts& corpus) {
  double precision = 0;
  double recall = 0;
  double orders = 0;
  for (std::size_t n = 0; n < kChrfOrder; ++n) {
    if (corpus.predicted[n] == 0 || corpus.expected[n] == 0) continue;
    const auto match = static_cast<double>(corpus.match[n]);
    precision += match / static_cast<double>(corpus.predicted[n]);
    recall += match / static_cast<double>(corpus.expected[n]);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return 100 * (1 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall);
}

}  // namespace yardstick::tasks
