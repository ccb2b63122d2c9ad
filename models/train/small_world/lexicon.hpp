// The words of the small-world language. Every word, number and punctuation mark of a generated
// document is one token of the small world's tokenizer, so that tiny models work at word level.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::small_world {

inline constexpr std::array<std::string_view, 16> kPeople = {
    "Anna", "Ben",  "Clara", "David", "Emma", "Frank", "Grace", "Henry",
    "Ida",  "Jack", "Kate",  "Leo",   "Mary", "Nora",  "Oscar", "Paul"};

inline constexpr std::array<std::string_view, 24> kObjects = {
    "lamp", "book",  "coin",  "ring", "cup",   "clock", "drum",  "flute",
    "rope", "knife", "map",   "doll", "kite",  "bell",  "brush", "vase",
    "comb", "hat",   "glove", "boot", "scarf", "stone", "shell", "letter"};

inline constexpr std::array<std::string_view, 20> kPlaces = {
    "attic",  "cellar", "kitchen", "garden", "barn",   "tower",  "library",
    "garage", "hall",   "stable",  "chapel", "market", "harbor", "forest",
    "meadow", "cave",   "school",  "mill",   "castle", "office"};

inline constexpr std::array<std::string_view, 10> kColours = {
    "red", "blue", "green", "yellow", "white", "black", "brown", "pink", "gray", "purple"};

inline constexpr std::array<std::string_view, 8> kAnimals = {"dog",  "cat", "bird",  "horse",
                                                             "goat", "fox", "mouse", "duck"};

inline constexpr std::array<std::string_view, 8> kDoings = {"slept", "played", "waited", "sang",
                                                            "ran",   "hid",    "danced", "rested"};

inline constexpr std::array<std::string_view, 6> kTimes = {"morning", "evening", "night",
                                                           "spring",  "summer",  "winter"};

/// Codes and pass keys lie in [kLowestKey, kHighestKey]: two digits, so that each is one token.
inline constexpr int kLowestKey = 10;
inline constexpr int kHighestKey = 99;

inline constexpr std::string_view kEndOfText = "<|endoftext|>";

/// Every word that a generated text may hold, sorted and unique, as it is written (capitals count).
/// Numbers and punctuation are not among them.
[[nodiscard]] std::vector<std::string> all_words();

}  // namespace yardstick::small_world
