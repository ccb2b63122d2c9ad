// What the needle-in-a-haystack tasks share: from texts, units and answers to a sized prompt that
// knows where its needles stand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "tasks/needle/haystack.hpp"
#include "tasks/needle/prompt_maker.hpp"
#include "tasks/needle/words.hpp"

namespace yardstick::tasks {

/// A prompt that is complete but for its size.
struct Hiding {
  HidingPlace place;
  std::vector<Needle> needles;
  std::vector<std::size_t> asked;  ///< indices of the needles that hold the answers
  std::vector<std::string> answers;
  std::string continuation;
  std::int64_t length_tokens = 0;
  std::int64_t new_tokens = 0;
};

/// Fills the length with units and finds the needles. Facts: needle_tokens and depths of those
/// asked for (with the window's prefix), haystack_units.
/// @throws Error(kData) if a needle stands in the prompt twice.
[[nodiscard]] MadePrompt hide_and_ask(Hiding hiding, UnitRun& units, const TextCodec& codec);

/// `key`: numbers, words or uuids.
[[nodiscard]] NeedlePart read_needle_part(Fields& fields, std::string_view key,
                                          NeedlePart fallback);

/// "a", "a, and b", "a, b, and c": RULER's way to list.
[[nodiscard]] std::string list_words(const std::vector<std::string>& words);

}  // namespace yardstick::tasks
