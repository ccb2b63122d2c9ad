#include "models/train/small_world/evaluation.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/random.hpp"
#include "models/train/small_world/document.hpp"
#include "models/train/small_world/sentence.hpp"
#include "models/train/small_world/world.hpp"

namespace yardstick::small_world {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kChoices = 4;
/// Tokens of a window that the question, its answer and what a model puts in front leave free.
constexpr std::int64_t kSpareTokens = 4;

/// Facts stated one after another with small talk between them, none of them changed.
struct Scene {
  World world{Topics::kAll};
  std::string context;
  std::int64_t tokens = 0;
};

Scene make_scene(std::int64_t tokens, Random& random) {
  Scene scene;
  while (true) {
    std::string text;
    std::optional<std::size_t> stated;
    World world = scene.world;
    if (random.uniform() < 0.7) {
      World::Stated fact = world.state_fact(random);
      const bool is_new = world.facts().size() > scene.world.facts().size();
      if (!is_new || is_list(world.facts().back().relation)) continue;
      text = std::move(fact.text);
      stated = fact.index;
    } else {
      text = small_talk(random);
    }
    const std::int64_t count = count_tokens(text);
    if (scene.tokens + count > tokens) return scene;
    scene.tokens += count;
    if (stated) world.mention(*stated, scene.tokens);
    scene.world = std::move(world);
    scene.context += (scene.context.empty() ? "" : " ") + text;
  }
}

/// The right value and three wrong ones, first those that other facts of the scene have.
std::vector<std::string> draw_choices(const Fact& fact, const std::vector<Fact>& facts,
                                      Random& random) {
  std::vector<std::string> choices{fact.value};
  const auto take = [&](const std::string& value) {
    const bool is_known = std::find(choices.begin(), choices.end(), value) != choices.end();
    if (!is_known && choices.size() < kChoices) choices.push_back(value);
  };
  std::vector<std::string> possible = possible_words(fact.relation);
  for (const Fact& other : facts) {
    const bool fits = std::find(possible.begin(), possible.end(), other.value) != possible.end();
    if (fits) take(other.value);
  }
  random.shuffle(std::span(possible));
  for (const std::string& value : possible) take(value);
  random.shuffle(std::span(choices));
  return choices;
}

OrderedJson make_question(std::int64_t tokens, std::int64_t index, Random& random) {
  constexpr std::int64_t kQuestionTokens = 16;
  const Scene scene = make_scene(tokens - kQuestionTokens - kSpareTokens, random);
  const std::vector<Fact>& facts = scene.world.facts();
  check(!facts.empty(), "a scene states facts");
  const Fact& fact = facts[random.below(facts.size())];
  const std::vector<std::string> choices = draw_choices(fact, facts, random);
  const std::string asked = question(fact) + " " + answer_stem(fact);
  const auto answer = std::find(choices.begin(), choices.end(), fact.value) - choices.begin();
  return {{"id", fmt::format("question-{:03}", index)},
          {"context", scene.context},
          {"question", asked},
          {"choices", choices},
          {"answer", answer},
          {"distance", scene.tokens + count_tokens(asked) - fact.last_mention}};
}

}  // namespace

std::string documents_jsonl(std::uint64_t seed, std::int64_t count, std::int64_t tokens) {
  std::string lines;
  for (std::int64_t i = 0; i < count; ++i) {
    Random random(seed, "small world/document", static_cast<std::uint64_t>(i));
    const std::vector<Sentence> sentences = make_document(narrative_style(tokens), random);
    const OrderedJson line = {{"id", fmt::format("document-{:02}", i)},
                              {"text", join_sentences(sentences, 0, sentences.size())}};
    lines += line.dump() + "\n";
  }
  return lines;
}

std::string questions_jsonl(std::uint64_t seed, std::int64_t count, std::int64_t tokens) {
  std::string lines;
  for (std::int64_t i = 0; i < count; ++i) {
    Random random(seed, "small world/question", static_cast<std::uint64_t>(i));
    lines += make_question(tokens, i, random).dump() + "\n";
  }
  return lines;
}

}  // namespace yardstick::small_world
