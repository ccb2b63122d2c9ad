#include "tasks/metrics/meaning.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace yardstick::tasks {
namespace {

template <typename Value, std::size_t N>
using Words = std::array<std::pair<Value, std::string_view>, N>;

using Unit = Meaning::Unit;
constexpr Words<Unit, 9> kUnits = {{{Unit::kNumber, "number"},
                                    {Unit::kShare, "share"},
                                    {Unit::kPoints, "points"},
                                    {Unit::kPerplexity, "perplexity"},
                                    {Unit::kNats, "nats"},
                                    {Unit::kBits, "bits"},
                                    {Unit::kTokens, "tokens"},
                                    {Unit::kSamples, "samples"},
                                    {Unit::kDocuments, "documents"}}};
constexpr Words<Meaning::Better, 3> kBetter = {{{Meaning::Better::kHigher, "higher"},
                                                {Meaning::Better::kLower, "lower"},
                                                {Meaning::Better::kNeither, "neither"}}};
constexpr Words<Meaning::Scale, 2> kScales = {
    {{Meaning::Scale::kLinear, "linear"}, {Meaning::Scale::kLogarithmic, "logarithmic"}}};

template <typename Value, std::size_t N>
std::string_view word_of(const Words<Value, N>& words, Value value) {
  return std::find_if(words.begin(), words.end(),
                      [&](const auto& row) { return row.first == value; })
      ->second;
}

template <typename Value, std::size_t N>
std::optional<Value> value_of(const Words<Value, N>& words, std::string_view word) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const auto& row) { return row.second == word; });
  if (found == words.end()) return std::nullopt;
  return found->first;
}

}  // namespace

std::string_view to_string(Meaning::Unit unit) { return word_of(kUnits, unit); }
std::string_view to_string(Meaning::Better better) { return word_of(kBetter, better); }
std::string_view to_string(Meaning::Scale scale) { return word_of(kScales, scale); }

std::optional<Meaning> parse_meaning(std::string_view unit, std::string_view better,
                                     std::string_view scale) {
  const auto known_unit = value_of(kUnits, unit);
  const auto known_better = value_of(kBetter, better);
  const auto known_scale = value_of(kScales, scale);
  if (!known_unit || !known_better || !known_scale) return std::nullopt;
  return Meaning{.unit = *known_unit, .better = *known_better, .scale = *known_scale};
}

}  // namespace yardstick::tasks
