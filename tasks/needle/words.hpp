// Keys and values of needles: adjective-noun pairs, numbers, UUIDs; drawn so that none is repeated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash.hpp"
#include "core/random.hpp"

namespace yardstick::tasks {

/// Words to draw from: single ones, or all pairs "first-second". Immutable.
class WordPool {
 public:
  static WordPool pairs();    ///< of our own adjectives and nouns
  static WordPool singles();  ///< the same adjectives and nouns, each alone
  /// One word a line. @throws Error(kData) naming file and line for a word that stands twice or
  /// holds white space, or if there are fewer than two.
  static WordPool from_file(const std::filesystem::path& file);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::string at(std::size_t i) const;
  void describe(Fingerprint& fingerprint) const;

 private:
  WordPool(std::vector<std::string> first, std::vector<std::string> second);

  std::vector<std::string> first_;
  std::vector<std::string> second_;  ///< empty: the pool is `first_`
};

enum class NeedlePart {
  kNumbers,  ///< seven digits, the first not 0
  kWords,    ///< of a WordPool
  kUuids,    ///< version 4, lower case
};

/// "numbers", "words", "uuids".
[[nodiscard]] std::string_view to_string(NeedlePart part);

/// Draws keys and values of one sample, each only once. A drawn one is neither part of another one
/// that was drawn before nor holds one (of the first kGuarded, which are the ones asked for), and
/// does not stand in `haystack`.
class UniqueDraws {
 public:
  UniqueDraws(const WordPool& words, std::string_view haystack);

  /// @throws Error(kConfig) if, after many attempts, all that is drawn is taken.
  [[nodiscard]] std::string draw(NeedlePart part, Random& random);

 private:
  static constexpr std::size_t kGuarded = 96;

  [[nodiscard]] bool is_free(const std::string& text) const;

  const WordPool& words_;
  std::string_view haystack_;
  std::set<std::string, std::less<>> taken_;
  std::vector<std::string> guarded_;
};

}  // namespace yardstick::tasks
