// The facts of one small world: what is true now, when it was last mentioned, and the sentences
// that state it, mention it again or ask for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"

namespace yardstick::small_world {

/// What facts are about. Each sentence names the subject before the value, and a value is one word,
/// so that retrieving it is one step of induction; or it is a list, where each word but the first
/// follows from the one before it.
enum class Relation {
  kObjectPlace,
  kObjectKeeper,
  kObjectColour,
  kPersonPlace,
  kPersonCode,
  kPersonThings,   ///< a list of objects
  kPersonPlaces,   ///< a list of places
  kPersonFriends,  ///< a list of people
  kPersonNumbers   ///< a list of codes
};

/// What a world talks about: everything, or lists alone, and longer ones.
enum class Topics { kAll, kLists };

struct Fact {
  Relation relation = Relation::kObjectPlace;
  std::string subject;            ///< "lamp", "Anna"
  std::string value;              ///< "attic", "Ben", "red", "47"
  std::int64_t last_mention = 0;  ///< token position where its value was last given
};

class World {
 public:
  explicit World(Topics topics) : topics_(topics) {}

  [[nodiscard]] const std::vector<Fact>& facts() const { return facts_; }

  /// States a fact about a subject that had none in its relation, or a change of one that had; the
  /// fact's index in facts() is `index`.
  struct Stated {
    std::string text;
    std::size_t index = 0;
  };
  [[nodiscard]] Stated state_fact(Random& random);

  /// Marks a fact as mentioned at a token position.
  void mention(std::size_t index, std::int64_t position) { facts_[index].last_mention = position; }

 private:
  [[nodiscard]] std::string first_statement(const Fact& fact) const;

  Topics topics_;
  std::vector<Fact> facts_;
};

/// "The lamp is in the attic."
[[nodiscard]] std::string statement(const Fact& fact);
/// "Where is the lamp?"
[[nodiscard]] std::string question(const Fact& fact);
/// The statement up to the value, without a space at its end: "The lamp is in the".
[[nodiscard]] std::string answer_stem(const Fact& fact);
/// A sentence that mentions the fact in passing: "In the evening Ben saw the lamp in the attic."
[[nodiscard]] std::string mention_in_passing(const Fact& fact, Random& random);
/// A sentence about nothing that is asked for.
[[nodiscard]] std::string small_talk(Random& random);
/// All words that the relation's values are made of.
[[nodiscard]] std::vector<std::string> possible_words(Relation relation);
[[nodiscard]] bool is_list(Relation relation);

}  // namespace yardstick::small_world
