// Cuts the parts of a text at the matches of a pattern, with the five ways of tokenizer.json to
// decide where a match itself goes.
#pragma once

#include <string>

#include "models/tokenizer/aligned_text.hpp"
#include "models/tokenizer/regex.hpp"

namespace yardstick::tokenizer {

enum class SplitBehavior {
  kRemoved,             ///< matches are dropped
  kIsolated,            ///< each match is a part
  kMergedWithPrevious,  ///< a match ends the part in front of it
  kMergedWithNext,      ///< a match begins the part behind it
  kContiguous,          ///< adjacent matches are one part
};

/// Which of the stretches count as delimiters.
enum class SplitOn { kMatches, kGaps };

class Splitter {
 public:
  /// @param pattern as PCRE2 spells it
  Splitter(const std::string& pattern, SplitBehavior behavior, SplitOn on)
      : regex_(pattern), behavior_(behavior), on_(on) {}

  /// Cuts every part of `pieces` that is not an added token. Each part is searched on its own: a
  /// lookaround does not see beyond it.
  void apply(Pieces& pieces) const;

 private:
  Regex regex_;
  SplitBehavior behavior_;
  SplitOn on_;
};

}  // namespace yardstick::tokenizer
