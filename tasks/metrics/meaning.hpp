// What a metric's number means: its unit, which direction is better, and the scale that it is drawn
// on. The task that makes a metric says it; the store keeps it, and reports go by nothing else.
#pragma once

#include <optional>
#include <string_view>

namespace yardstick::tasks {

struct Meaning {
  enum class Unit {
    kNumber,      ///< a number with no unit: a correlation, a Brier score, a sum of credits
    kShare,       ///< from 0 to 1, shown in per cent
    kPoints,      ///< from 0 to 100 (BLEU, chrF)
    kPerplexity,  ///< exp of a mean loss
    kNats,
    kBits,
    kTokens,
    kSamples,
    kDocuments,
  } unit = Unit::kNumber;
  enum class Better { kHigher, kLower, kNeither } better = Better::kNeither;
  enum class Scale { kLinear, kLogarithmic } scale = Scale::kLinear;

  bool operator==(const Meaning&) const = default;
};

inline constexpr Meaning kShareMeaning{.unit = Meaning::Unit::kShare,
                                       .better = Meaning::Better::kHigher};
inline constexpr Meaning kPerplexityMeaning{.unit = Meaning::Unit::kPerplexity,
                                            .better = Meaning::Better::kLower,
                                            .scale = Meaning::Scale::kLogarithmic};
/// A loss in nats or bits: less is better.
inline constexpr Meaning kNatsMeaning{.unit = Meaning::Unit::kNats,
                                      .better = Meaning::Better::kLower};
inline constexpr Meaning kBitsMeaning{.unit = Meaning::Unit::kBits,
                                      .better = Meaning::Better::kLower};
/// How many tokens or documents there were, which is neither good nor bad.
inline constexpr Meaning kTokensMeaning{.unit = Meaning::Unit::kTokens};
inline constexpr Meaning kDocumentsMeaning{.unit = Meaning::Unit::kDocuments};

/// The words of the store: "share", "higher", "logarithmic".
[[nodiscard]] std::string_view to_string(Meaning::Unit unit);
[[nodiscard]] std::string_view to_string(Meaning::Better better);
[[nodiscard]] std::string_view to_string(Meaning::Scale scale);

/// The meaning that has these words; nothing if one of them is not known.
[[nodiscard]] std::optional<Meaning> parse_meaning(std::string_view unit, std::string_view better,
                                                   std::string_view scale);

}  // namespace yardstick::tasks
