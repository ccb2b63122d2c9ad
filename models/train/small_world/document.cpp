#include "models/train/small_world/document.hpp"

#include <cmath>
#include <optional>

#include "models/train/small_world/sentence.hpp"
#include "models/train/small_world/world.hpp"

namespace yardstick::small_world {
namespace {

/// Tokens of an average sentence: the shortest distance that a recall can have.
constexpr double kShortestDistance = 8;

/// The known fact whose last mention is nearest, in logarithm, to a log-uniformly drawn distance.
std::size_t nearest_to_drawn_distance(const std::vector<Fact>& facts, std::int64_t position,
                                      Random& random) {
  const double longest = std::max(static_cast<double>(position), kShortestDistance);
  const double wanted = std::log(kShortestDistance) +
                        random.uniform() * (std::log(longest) - std::log(kShortestDistance));
  std::size_t best = 0;
  double best_gap = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const std::int64_t distance = std::max<std::int64_t>(position - facts[i].last_mention, 1);
    const double gap = std::abs(std::log(static_cast<double>(distance)) - wanted);
    if (gap < best_gap) {
      best_gap = gap;
      best = i;
    }
  }
  return best;
}

class Writer {
 public:
  Writer(const DocumentStyle& style, Random& random)
      : style_(style), random_(random), world_(style.topics) {}

  std::vector<Sentence> write() {
    while (position_ < style_.tokens) add_one();
    return std::move(sentences_);
  }

 private:
  void add_one() {
    const bool is_opening = static_cast<std::int64_t>(world_.facts().size()) < style_.first_facts;
    const double fact_share = is_opening ? 0.8 : style_.fact_share;
    const double recall_share = is_opening ? 0.1 : style_.recall_share;
    const double draw = random_.uniform();
    if (draw < fact_share) {
      World::Stated stated = world_.state_fact(random_);
      append(std::move(stated.text), stated.index);
    } else if (draw < fact_share + recall_share && !world_.facts().empty()) {
      recall();
    } else {
      append(small_talk(random_), std::nullopt);
    }
  }

  void recall() {
    const std::vector<Fact>& facts = world_.facts();
    const std::size_t index = style_.distance == DocumentStyle::Distance::kAnyFact
                                  ? random_.below(facts.size())
                                  : nearest_to_drawn_distance(facts, position_, random_);
    const Fact& fact = facts[index];
    std::string text = random_.uniform() < style_.question_share
                           ? question(fact) + " " + statement(fact)
                           : mention_in_passing(fact, random_);
    append(std::move(text), index);
  }

  void append(std::string text, std::optional<std::size_t> mentioned) {
    const std::int64_t tokens = count_tokens(text);
    position_ += tokens;
    if (mentioned) world_.mention(*mentioned, position_);
    sentences_.push_back({.text = std::move(text), .tokens = tokens});
  }

  const DocumentStyle& style_;
  Random& random_;
  World world_;
  std::int64_t position_ = 0;
  std::vector<Sentence> sentences_;
};

}  // namespace

std::vector<Sentence> make_document(const DocumentStyle& style, Random& random) {
  return Writer(style, random).write();
}

std::string join_sentences(const std::vector<Sentence>& sentences, std::size_t begin,
                           std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin) text += ' ';
    text += sentences[i].text;
  }
  return text;
}

DocumentStyle narrative_style(std::int64_t tokens) {
  return {.tokens = tokens,
          .first_facts = 4,
          .fact_share = 0.25,
          .recall_share = 0.55,
          .distance = DocumentStyle::Distance::kLogUniform};
}

DocumentStyle question_style(std::int64_t tokens, Random& random) {
  return {.tokens = tokens,
          .first_facts = random.between(3, 6),
          .fact_share = 0.1,
          .recall_share = 0.82,
          .distance = DocumentStyle::Distance::kAnyFact};
}

DocumentStyle list_style(std::int64_t tokens, Random& random) {
  return {.tokens = tokens,
          .first_facts = random.between(1, 3),
          .fact_share = 0.05,
          .recall_share = 0.93,
          .question_share = 0.4,
          .topics = Topics::kLists,
          .distance = DocumentStyle::Distance::kAnyFact};
}

}  // namespace yardstick::small_world
