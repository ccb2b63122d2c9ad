#include "tasks/metrics/corpus_metric.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/metrics/bleu.hpp"
#include "tasks/metrics/characters.hpp"
#include "tasks/metrics/chrf.hpp"
#include "tasks/metrics/summarize.hpp"

namespace yardstick::tasks {
namespace {

// Each of the two: counts of a sample, the score of their sum, and the counts as named numbers.
struct Bleu {
  using Counts = BleuCounts;
  static constexpr std::string_view kDefinition =
      "bleu (corpus, 13a, exponential smoothing, case counts, 0..100)";
  static Counts count(std::string_view prediction, std::span<const std::string> references) {
    return count_bleu(prediction, references);
  }
  static double score(const Counts& corpus) { return bleu(corpus); }
  template <typename Visit>
  static void for_each_number(Counts& counts, const Visit& visit) {
    for (std::size_t n = 0; n < kBleuOrder; ++n) {
      visit(fmt::format("match_{}", n + 1), counts.match[n]);
      visit(fmt::format("total_{}", n + 1), counts.total[n]);
    }
    visit("prediction_length", counts.prediction_length);
    visit("reference_length", counts.reference_length);
  }
};

struct Chrf {
  using Counts = ChrfCounts;
  static constexpr std::string_view kDefinition =
      "chrf (corpus, characters 1..6, beta 2, case counts, 0..100)";
  static Counts count(std::string_view prediction, std::span<const std::string> references) {
    return count_chrf(prediction, references);
  }
  static double score(const Counts& corpus) { return chrf(corpus); }
  template <typename Visit>
  static void for_each_number(Counts& counts, const Visit& visit) {
    for (std::size_t n = 0; n < kChrfOrder; ++n) {
      visit(fmt::format("predicted_{}", n + 1), counts.predicted[n]);
      visit(fmt::format("expected_{}", n + 1), counts.expected[n]);
      visit(fmt::format("match_{}", n + 1), counts.match[n]);
    }
  }
};

template <typename Kind>
class CorpusMetric final : public GenerationMetric {
 public:
  CorpusMetric(std::string name, Task::Headline::Better better)
      : name_(std::move(name)), better_(better) {
    typename Kind::Counts none;
    Kind::for_each_number(none, [&](const std::string& number, std::int64_t&) {
      numbers_.push_back(fmt::format("{}/{}", name_, number));
    });
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::string definition() const override { return std::string(Kind::kDefinition); }
  [[nodiscard]] Task::Headline::Better better() const override { return better_; }

  [[nodiscard]] std::optional<std::string> problem(
      std::span<const std::string> references) const override {
    if (references.empty()) return "there is no right answer";
    const bool all_blank = std::all_of(references.begin(), references.end(),
                                       [](const std::string& text) { return trim(text).empty(); });
    if (!all_blank) return std::nullopt;
    return fmt::format("the right answer is empty, so that {} cannot score against it", name_);
  }

  [[nodiscard]] std::map<std::string, double> values(
      std::string_view prediction, std::span<const std::string> references) const override {
    typename Kind::Counts counts = Kind::count(prediction, references);
    std::map<std::string, double> values;
    std::size_t i = 0;
    Kind::for_each_number(counts, [&](const std::string&, std::int64_t& count) {
      values.emplace(numbers_[i++], static_cast<double>(count));
    });
    return values;
  }

  [[nodiscard]] std::optional<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                     std::uint64_t seed) const override {
    const std::vector<Observation> observations = observe(scores, numbers_);
    if (observations.empty()) return std::nullopt;
    const auto statistic = [this](std::span<const Observation* const> drawn) {
      std::vector<double> sums(numbers_.size(), 0.0);
      for (const Observation* observation : drawn) {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += observation->numbers[i];
      }
      typename Kind::Counts corpus;
      std::size_t i = 0;
      Kind::for_each_number(corpus, [&](const std::string&, std::int64_t& count) {
        count = static_cast<std::int64_t>(sums[i++]);
      });
      return Kind::score(corpus);
    };
    return summarize(
        {.name = name_, .meaning = {.unit = Meaning::Unit::kPoints, .better = meaning_of(better_)}},
        observations, statistic, seed);
  }

 private:
  std::string name_;
  Task::Headline::Better better_;
  std::vector<std::string> numbers_;
};

}  // namespace

std::unique_ptr<const GenerationMetric> make_bleu_metric(std::string name,
                                                         Task::Headline::Better better) {
  return std::make_unique<CorpusMetric<Bleu>>(std::move(name), better);
}

std::unique_ptr<const GenerationMetric> make_chrf_metric(std::string name,
                                                         Task::Headline::Better better) {
  return std::make_unique<CorpusMetric<Chrf>>(std::move(name), better);
}

}  // namespace yardstick::tasks
