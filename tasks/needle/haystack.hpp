// Haystacks and what is hidden in them: running text cut into words that know where sentences end,
// sentences or lines that are repeated, and the text with needles put whole between units.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/needle/fit.hpp"

namespace yardstick::tasks {

/// "The grass is green. ... There and back again.": the noise of RULER and of the pass-key task.
extern const std::string_view kNoiseLine;

/// The words of `text` with the white space behind each (a blank behind the last). A word ends a
/// sentence with '.', '!' or '?' and closing marks (not "Mr." and its like, nor an initial), with
/// an ideographic full stop, or before an empty line. Never empty. @throws Error(kData) if `text`
/// holds nothing but white space; `name` says which text.
[[nodiscard]] std::vector<Unit> split_words(std::string_view text, std::string_view name);

/// The sentences of `text` (runs of split_words() up to a boundary).
[[nodiscard]] std::vector<Unit> split_into_sentences(std::string_view text, std::string_view name);

/// `text` with each run of white space as one blank, none at its ends.
[[nodiscard]] std::string squeeze_white_space(std::string_view text);

enum class NeedleStyle {
  kSentence,  ///< blanks around it, or what white space the haystack has there
  kLine,      ///< a line of its own
};

/// How a depth from 0 to 1 becomes a place among n units.
enum class DepthUnit {
  kTokens,  ///< the boundary nearest to depth x tokens of the haystack; the nearest unit if no
            ///< boundary is within 3 % of the haystack's tokens, at most 64
  kUnits,   ///< the boundary at or before unit floor(depth x n)
};

struct Needle {
  std::string text;
  double depth = 0;  ///< 0: before the first unit, 1: behind the last
};

/// A prompt and where its parts stand, in bytes.
struct HiddenText {
  std::string text;
  std::size_t begin = 0;             ///< of the haystack
  std::size_t end = 0;               ///< behind it
  std::vector<std::size_t> needles;  ///< where each begins, in the order given
};

struct HidingPlace {
  std::string head;  ///< the prompt up to the haystack
  std::string tail;  ///< and behind it
  NeedleStyle style = NeedleStyle::kSentence;
  DepthUnit depth_unit = DepthUnit::kTokens;
};

/// head, the first n units with the needles between them, tail. Needles stand in the order of their
/// depths, those of equal depth in the order given.
[[nodiscard]] HiddenText hide(const HidingPlace& place, std::span<const Needle> needles,
                              UnitRun& units, std::int64_t n);

/// Where a needle stands in the tokens of a prompt.
struct FoundNeedle {
  std::int64_t token = 0;  ///< index of the first token that stands for it
  double depth = 0;        ///< share of the haystack's tokens, without this needle's, before it
};

[[nodiscard]] FoundNeedle find_needle(const HiddenText& hidden, std::size_t needle,
                                      std::string_view needle_text,
                                      std::span<const TokenSpan> spans);

}  // namespace yardstick::tasks
