#include "models/train/small_world/lexicon.hpp"

#include <array>
#include <set>
#include <span>
#include <utility>

#include "models/train/small_world/passkey.hpp"

namespace yardstick::small_world {
namespace {

/// Words of the sentence patterns in document.cpp that stand in no list.
constexpr auto kFunctionWords = std::to_array<std::string_view>(
    {"The",    "the",    "is",      "in",      "of",     "to",    "and",  "by",   "at",
     "a",      "it",     "It",      "In",      "Then",   "on",    "What", "Who",  "Where",
     "keeps",  "kept",   "belongs", "took",    "went",   "saw",   "used", "code", "colour",
     "things", "places", "friends", "numbers", "are",    "again", "was",  "all",  "day",
     "with",   "stayed", "All",     "A",       "rained", "old"});

void add_words_of(std::string_view text, std::set<std::string>& words) {
  std::string word;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_letter) {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.insert(word);
}

}  // namespace

std::vector<std::string> all_words() {
  std::set<std::string> words;
  const auto add = [&](std::span<const std::string_view> list) {
    words.insert(list.begin(), list.end());
  };
  add(kPeople);
  add(kObjects);
  add(kPlaces);
  add(kColours);
  add(kAnimals);
  add(kDoings);
  add(kTimes);
  add(kFunctionWords);
  for (const std::string_view line : {kTaskLine, kNoise, kNeedleWords, kFinalQuestion}) {
    add_words_of(line, words);
  }
  return {words.begin(), words.end()};
}

}  // namespace yardstick::small_world
