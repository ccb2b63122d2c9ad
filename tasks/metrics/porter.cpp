#include "tasks/metrics/porter.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace yardstick::tasks {
namespace {

struct Replacement {
  std::string_view suffix;
  std::string_view by;
};

// Words that the rules would treat wrongly.
constexpr std::array<Replacement, 16> kIrregular = {{{"sky", "sky"},
                                                     {"skies", "sky"},
                                                     {"dying", "die"},
                                                     {"lying", "lie"},
                                                     {"tying", "tie"},
                                                     {"news", "news"},
                                                     {"innings", "inning"},
                                                     {"inning", "inning"},
                                                     {"outings", "outing"},
                                                     {"outing", "outing"},
                                                     {"cannings", "canning"},
                                                     {"canning", "canning"},
                                                     {"howe", "howe"},
                                                     {"proceed", "proceed"},
                                                     {"exceed", "exceed"},
                                                     {"succeed", "succeed"}}};
constexpr std::array<Replacement, 21> kStep2 = {
    {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
     {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
     {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
     {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"},
     {"fulli", "ful"}}};
constexpr std::array<Replacement, 7> kStep3 = {{{"icate", "ic"},
                                                {"ative", ""},
                                                {"alize", "al"},
                                                {"iciti", "ic"},
                                                {"ical", "ic"},
                                                {"ful", ""},
                                                {"ness", ""}}};
constexpr std::array<std::string_view, 18> kStep4 = {"al",   "ance", "ence",  "er",   "ic",  "able",
                                                     "ible", "ant",  "ement", "ment", "ent", "ou",
                                                     "ism",  "ate",  "iti",   "ous",  "ive", "ize"};

bool ends_with(std::string_view word, std::string_view suffix) { return word.ends_with(suffix); }

std::string_view stem_of(std::string_view word, std::size_t suffix) {
  return word.substr(0, word.size() - suffix);
}

bool is_consonant(std::string_view word, std::size_t i) {
  switch (word[i]) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u': return false;
    case 'y': return i == 0 || !is_consonant(word, i - 1);
    default: return true;
  }
}

// Porter's m: how often a consonant follows a vowel.
int measure(std::string_view stem) {
  int changes = 0;
  for (std::size_t i = 1; i < stem.size(); ++i) {
    if (is_consonant(stem, i) && !is_consonant(stem, i - 1)) ++changes;
  }
  return changes;
}

bool has_vowel(std::string_view stem) {
  for (std::size_t i = 0; i < stem.size(); ++i) {
    if (!is_consonant(stem, i)) return true;
  }
  return false;
}

bool ends_in_double_consonant(std::string_view word) {
  const std::size_t n = word.size();
  return n >= 2 && word[n - 1] == word[n - 2] && is_consonant(word, n - 1);
}

bool ends_in_short_syllable(std::string_view word) {
  const std::size_t n = word.size();
  if (n == 2) return !is_consonant(word, 0) && is_consonant(word, 1);
  if (n < 3) return false;
  const char last = word[n - 1];
  return is_consonant(word, n - 3) && !is_consonant(word, n - 2) && is_consonant(word, n - 1) &&
         last != 'w' && last != 'x' && last != 'y';
}

std::string with_suffix(std::string_view stem, std::string_view suffix) {
  return std::string(stem).append(suffix);
}

// The first rule whose suffix the word has decides, whether its condition holds or not.
std::string replace_first(std::string_view word, std::span<const Replacement> rules) {
  for (const auto& [suffix, by] : rules) {
    if (!ends_with(word, suffix)) continue;
    const std::string_view stem = stem_of(word, suffix.size());
    return measure(stem) > 0 ? with_suffix(stem, by) : std::string(word);
  }
  return std::string(word);
}

std::string drop_plural(std::string_view word) {
  if (ends_with(word, "ies") && word.size() == 4) return with_suffix(stem_of(word, 3), "ie");
  if (ends_with(word, "sses") || ends_with(word, "ies")) return std::string(stem_of(word, 2));
  if (ends_with(word, "ss") || !ends_with(word, "s")) return std::string(word);
  return std::string(stem_of(word, 1));
}

std::string repair_stem(std::string_view stem) {
  for (const std::string_view ending : {"at", "bl", "iz"}) {
    if (ends_with(stem, ending)) return with_suffix(stem, "e");
  }
  if (ends_in_double_consonant(stem)) {
    const char last = stem.back();
    const bool stays = last == 'l' || last == 's' || last == 'z';
    return std::string(stays ? stem : stem_of(stem, 1));
  }
  if (measure(stem) == 1 && ends_in_short_syllable(stem)) return with_suffix(stem, "e");
  return std::string(stem);
}

std::string drop_past(std::string_view word) {
  if (ends_with(word, "ied")) {
    return with_suffix(stem_of(word, 3), word.size() == 4 ? "ie" : "i");
  }
  if (ends_with(word, "eed")) {
    const bool shortened = measure(stem_of(word, 3)) > 0;
    return std::string(shortened ? stem_of(word, 1) : word);
  }
  for (const std::string_view suffix : {"ed", "ing"}) {
    if (!ends_with(word, suffix)) continue;
    const std::string_view stem = stem_of(word, suffix.size());
    if (has_vowel(stem)) return repair_stem(stem);
  }
  return std::string(word);
}

std::string soften_y(std::string_view word) {
  if (!ends_with(word, "y")) return std::string(word);
  const std::string_view stem = stem_of(word, 1);
  const bool softened = stem.size() > 1 && is_consonant(stem, stem.size() - 1);
  return softened ? with_suffix(stem, "i") : std::string(word);
}

std::string shorten_double_suffix(std::string_view word) {
  if (ends_with(word, "alli") && measure(stem_of(word, 4)) > 0) {
    return shorten_double_suffix(with_suffix(stem_of(word, 4), "al"));
  }
  // "logi" counts its own l as part of the stem, so that "geologi" qualifies.
  if (ends_with(word, "logi")) {
    return measure(stem_of(word, 3)) > 0 ? std::string(stem_of(word, 1)) : std::string(word);
  }
  return replace_first(word, kStep2);
}

std::string drop_suffix(std::string_view word) {
  const auto dropped = [&](std::size_t suffix, bool fits) {
    const std::string_view stem = stem_of(word, suffix);
    return std::string(fits && measure(stem) > 1 ? stem : word);
  };
  // Order as published: "ement" before "ment" before "ent", "ion" between "ent" and "ou".
  for (std::size_t i = 0; i < kStep4.size(); ++i) {
    if (kStep4[i] == "ou" && ends_with(word, "ion")) {
      const std::string_view stem = stem_of(word, 3);
      return dropped(3, ends_with(stem, "s") || ends_with(stem, "t"));
    }
    if (ends_with(word, kStep4[i])) return dropped(kStep4[i].size(), true);
  }
  return std::string(word);
}

std::string drop_final_e(std::string_view word) {
  if (!ends_with(word, "e")) return std::string(word);
  const std::string_view stem = stem_of(word, 1);
  const int m = measure(stem);
  return std::string(m > 1 || (m == 1 && !ends_in_short_syllable(stem)) ? stem : word);
}

std::string drop_double_l(std::string_view word) {
  const bool doubled = ends_with(word, "ll") && measure(stem_of(word, 1)) > 1;
  return std::string(doubled ? stem_of(word, 1) : word);
}

}  // namespace

std::string porter_stem(std::string_view word) {
  for (const auto& [irregular, stem] : kIrregular) {
    if (word == irregular) return std::string(stem);
  }
  if (word.size() <= 2) return std::string(word);
  std::string stem = soften_y(drop_past(drop_plural(word)));
  stem = drop_suffix(replace_first(shorten_double_suffix(stem), kStep3));
  return drop_double_l(drop_final_e(stem));
}

}  // namespace yardstick::tasks
