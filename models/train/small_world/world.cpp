#include "models/train/small_world/world.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "models/train/small_world/lexicon.hpp"

namespace yardstick::small_world {
namespace {

std::string pick(std::span<const std::string_view> words, Random& random) {
  return std::string(words[random.below(words.size())]);
}

Relation draw_relation(Topics topics, Random& random) {
  constexpr std::array kLists = {Relation::kPersonThings, Relation::kPersonPlaces,
                                 Relation::kPersonFriends, Relation::kPersonNumbers};
  constexpr std::array kSingle = {Relation::kObjectPlace,  Relation::kObjectPlace,
                                  Relation::kObjectKeeper, Relation::kObjectColour,
                                  Relation::kPersonPlace,  Relation::kPersonCode};
  const bool is_list = topics == Topics::kLists || random.below(4) == 0;
  return is_list ? kLists[random.below(kLists.size())] : kSingle[random.below(kSingle.size())];
}

bool is_about_person(Relation relation) {
  return relation == Relation::kPersonPlace || relation == Relation::kPersonCode ||
         is_list(relation);
}

std::string draw_value(Relation relation, Topics topics, Random& random) {
  const std::vector<std::string> words = possible_words(relation);
  std::string value = words[random.below(words.size())];
  if (!is_list(relation)) return value;
  const std::int64_t more = topics == Topics::kLists ? random.between(5, 15) : random.between(3, 5);
  for (std::int64_t i = 0; i < more; ++i) value += " " + words[random.below(words.size())];
  return value;
}

/// "Ben took the lamp to the attic.": only what moves has a way to say that it moved.
std::string change(const Fact& fact, Random& random) {
  switch (fact.relation) {
    case Relation::kObjectPlace:
      return fmt::format("{} took the {} to the {}.", pick(kPeople, random), fact.subject,
                         fact.value);
    case Relation::kPersonPlace: return fmt::format("{} went to the {}.", fact.subject, fact.value);
    case Relation::kObjectKeeper:
    case Relation::kObjectColour:
    case Relation::kPersonCode:
    case Relation::kPersonThings:
    case Relation::kPersonPlaces:
    case Relation::kPersonFriends:
    case Relation::kPersonNumbers: break;
  }
  return statement(fact);
}

}  // namespace

World::Stated World::state_fact(Random& random) {
  const Relation relation = draw_relation(topics_, random);
  const std::string subject =
      is_about_person(relation) ? pick(kPeople, random) : pick(kObjects, random);
  const auto known = std::find_if(facts_.begin(), facts_.end(), [&](const Fact& fact) {
    return fact.relation == relation && fact.subject == subject;
  });
  if (known == facts_.end()) {
    facts_.push_back(
        {.relation = relation, .subject = subject, .value = draw_value(relation, topics_, random)});
    return {.text = first_statement(facts_.back()), .index = facts_.size() - 1};
  }
  if (relation == Relation::kObjectPlace || relation == Relation::kPersonPlace) {
    known->value = draw_value(relation, topics_, random);
  }
  return {.text = change(*known, random),
          .index = static_cast<std::size_t>(known - facts_.begin())};
}

/// "Anna keeps the lamp in the attic." if the keeper is known already.
std::string World::first_statement(const Fact& fact) const {
  if (fact.relation == Relation::kObjectPlace) {
    for (const Fact& other : facts_) {
      if (other.relation == Relation::kObjectKeeper && other.subject == fact.subject) {
        return fmt::format("{} keeps the {} in the {}.", other.value, fact.subject, fact.value);
      }
    }
  }
  return statement(fact);
}

std::string answer_stem(const Fact& fact) {
  switch (fact.relation) {
    case Relation::kObjectPlace: return fmt::format("The {} is in the", fact.subject);
    case Relation::kObjectKeeper: return fmt::format("The {} belongs to", fact.subject);
    case Relation::kObjectColour: return fmt::format("The colour of the {} is", fact.subject);
    case Relation::kPersonPlace: return fmt::format("{} is in the", fact.subject);
    case Relation::kPersonCode: return fmt::format("The code of {} is", fact.subject);
    case Relation::kPersonThings: return fmt::format("The things of {} are", fact.subject);
    case Relation::kPersonPlaces: return fmt::format("The places of {} are", fact.subject);
    case Relation::kPersonFriends: return fmt::format("The friends of {} are", fact.subject);
    case Relation::kPersonNumbers: return fmt::format("The numbers of {} are", fact.subject);
  }
  return {};
}

std::string statement(const Fact& fact) {
  return fmt::format("{} {}.", answer_stem(fact), fact.value);
}

std::string question(const Fact& fact) {
  switch (fact.relation) {
    case Relation::kObjectPlace: return fmt::format("Where is the {}?", fact.subject);
    case Relation::kObjectKeeper: return fmt::format("Who keeps the {}?", fact.subject);
    case Relation::kObjectColour: return fmt::format("What is the colour of the {}?", fact.subject);
    case Relation::kPersonPlace: return fmt::format("Where is {}?", fact.subject);
    case Relation::kPersonCode: return fmt::format("What is the code of {}?", fact.subject);
    case Relation::kPersonThings: return fmt::format("What are the things of {}?", fact.subject);
    case Relation::kPersonPlaces: return fmt::format("What are the places of {}?", fact.subject);
    case Relation::kPersonFriends: return fmt::format("What are the friends of {}?", fact.subject);
    case Relation::kPersonNumbers: return fmt::format("What are the numbers of {}?", fact.subject);
  }
  return {};
}

std::string mention_in_passing(const Fact& fact, Random& random) {
  switch (fact.relation) {
    case Relation::kObjectPlace:
      return fmt::format("In the {} {} saw the {} in the {}.", pick(kTimes, random),
                         pick(kPeople, random), fact.subject, fact.value);
    case Relation::kPersonPlace:
      return fmt::format("{} stayed in the {}.", fact.subject, fact.value);
    case Relation::kPersonCode:
      return fmt::format("{} used the code {}.", fact.subject, fact.value);
    case Relation::kObjectKeeper:
    case Relation::kObjectColour:
    case Relation::kPersonThings:
    case Relation::kPersonPlaces:
    case Relation::kPersonFriends:
    case Relation::kPersonNumbers: break;
  }
  return statement(fact);
}

std::string small_talk(Random& random) {
  switch (random.below(4)) {
    case 0:
      return fmt::format("A {} {} {} by the {}.", pick(kColours, random), pick(kAnimals, random),
                         pick(kDoings, random), pick(kPlaces, random));
    case 1:
      return fmt::format("Then the {} {} all {}.", pick(kAnimals, random), pick(kDoings, random),
                         pick(kTimes, random));
    case 2: return fmt::format("It rained all {}.", pick(kTimes, random));
    default:
      return fmt::format("{} {} with the old {}.", pick(kPeople, random), pick(kDoings, random),
                         pick(kAnimals, random));
  }
}

std::vector<std::string> possible_words(Relation relation) {
  const auto all = [](std::span<const std::string_view> words) {
    return std::vector<std::string>(words.begin(), words.end());
  };
  switch (relation) {
    case Relation::kObjectPlace:
    case Relation::kPersonPlace:
    case Relation::kPersonPlaces: return all(kPlaces);
    case Relation::kObjectKeeper:
    case Relation::kPersonFriends: return all(kPeople);
    case Relation::kObjectColour: return all(kColours);
    case Relation::kPersonThings: return all(kObjects);
    case Relation::kPersonCode:
    case Relation::kPersonNumbers: break;
  }
  std::vector<std::string> codes;
  for (int code = kLowestKey; code <= kHighestKey; ++code) codes.push_back(std::to_string(code));
  return codes;
}

bool is_list(Relation relation) {
  switch (relation) {
    case Relation::kPersonThings:
    case Relation::kPersonPlaces:
    case Relation::kPersonFriends:
    case Relation::kPersonNumbers: return true;
    case Relation::kObjectPlace:
    case Relation::kObjectKeeper:
    case Relation::kObjectColour:
    case Relation::kPersonPlace:
    case Relation::kPersonCode: break;
  }
  return false;
}

}  // namespace yardstick::small_world
