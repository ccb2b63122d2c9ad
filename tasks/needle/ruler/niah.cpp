#include "tasks/needle/ruler/niah.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/needle/haystack.hpp"
#include "tasks/needle/needle_parts.hpp"
#include "tasks/needle/ruler/depths.hpp"
#include "tasks/needle/ruler/family.hpp"
#include "tasks/needle/ruler/haystacks.hpp"
#include "tasks/needle/text_haystack.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 2;  // raise it when the same parameters would give other samples

enum class Haystack { kNoise, kEssay, kNeedle };
constexpr std::array<std::pair<std::string_view, Haystack>, 3> kHaystacks = {
    {{"noise", Haystack::kNoise}, {"essay", Haystack::kEssay}, {"needle", Haystack::kNeedle}}};

struct Parameters {
  std::string_view task;
  Haystack haystack;
  NeedlePart key;
  NeedlePart value;
  std::int64_t keys;     ///< num_needle_k
  std::int64_t values;   ///< num_needle_v, of each key
  std::int64_t queries;  ///< num_needle_q, keys that are asked for
};

constexpr NeedlePart kWords = NeedlePart::kWords;
constexpr NeedlePart kNumbers = NeedlePart::kNumbers;
constexpr NeedlePart kUuids = NeedlePart::kUuids;
constexpr std::array<Parameters, 8> kPublished = {
    {{"niah_single_1", Haystack::kNoise, kWords, kNumbers, 1, 1, 1},
     {"niah_single_2", Haystack::kEssay, kWords, kNumbers, 1, 1, 1},
     {"niah_single_3", Haystack::kEssay, kWords, kUuids, 1, 1, 1},
     {"niah_multikey_1", Haystack::kEssay, kWords, kNumbers, 4, 1, 1},
     {"niah_multikey_2", Haystack::kNeedle, kWords, kNumbers, 1, 1, 1},
     {"niah_multikey_3", Haystack::kNeedle, kUuids, kUuids, 1, 1, 1},
     {"niah_multivalue", Haystack::kEssay, kWords, kNumbers, 1, 4, 1},
     {"niah_multiquery", Haystack::kEssay, kWords, kNumbers, 1, 1, 4}}};

/// Keys, their values and needles of one sample, in the order drawn.
struct Draws {
  std::vector<std::string> keys;
  std::vector<std::string> values;  ///< those of one key lie side by side
  std::vector<Needle> needles;      ///< of each value
};

class NiahMaker final : public PromptMaker {
 public:
  NiahMaker(RulerSettings settings, const Parameters& parameters, std::optional<TextHaystack> text)
      : settings_(std::move(settings)),
        parameters_(parameters),
        text_(std::move(text)),
        noise_(noise_units(settings_.preset)),
        words_(settings_.words ? *settings_.words : WordPool::pairs()) {}

  [[nodiscard]] std::string name() const override { return "ruler/" + settings_.task; }
  [[nodiscard]] std::string summary() const override;
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] MadePrompt make(const PromptKey& key, const TextCodec& codec) const override;

 private:
  [[nodiscard]] Draws draw(const PromptKey& key, UniqueDraws& unique) const;
  [[nodiscard]] UnitRun units(const PromptKey& key, UniqueDraws& unique,
                              const TextCodec& codec) const;

  RulerSettings settings_;
  Parameters parameters_;
  std::optional<TextHaystack> text_;
  std::vector<Unit> noise_;
  WordPool words_;
};

std::string NiahMaker::summary() const {
  return fmt::format("RULER {} v{} ({}): {} keys x {} values, {} asked", settings_.task, kVersion,
                     settings_.is_published() ? "as published" : "strict", parameters_.keys,
                     parameters_.values, parameters_.queries);
}

void NiahMaker::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.implementation", kVersion)
      .add("haystack.type", static_cast<int>(parameters_.haystack))
      .add("needle_k.type", to_string(parameters_.key))
      .add("needle_v.type", to_string(parameters_.value))
      .add("num_needle_k", parameters_.keys)
      .add("num_needle_v", parameters_.values)
      .add("num_needle_q", parameters_.queries);
  settings_.describe(fingerprint);
  if (text_) text_->describe(fingerprint);
  words_.describe(fingerprint);
}

Draws NiahMaker::draw(const PromptKey& key, UniqueDraws& unique) const {
  // Keys, values and depths do not depend on the length: lengths compare the same questions.
  Random random = settings_.stream(key, "needles");
  Random depth_random = settings_.stream(key, "depths");
  const std::vector<double> depths =
      settings_.is_published() && parameters_.haystack == Haystack::kEssay
          ? published_depths(parameters_.keys * parameters_.values, depth_random)
          : uniform_depths(parameters_.keys * parameters_.values, depth_random);
  Draws draws;
  for (std::int64_t k = 0; k < parameters_.keys; ++k) {
    draws.keys.push_back(unique.draw(parameters_.key, random));
    for (std::int64_t v = 0; v < parameters_.values; ++v) {
      draws.values.push_back(unique.draw(parameters_.value, random));
      draws.needles.push_back(
          {.text = ruler_niah_needle(parameters_.value, draws.keys.back(), draws.values.back()),
           .depth = depths[draws.needles.size()]});
    }
  }
  return draws;
}

UnitRun NiahMaker::units(const PromptKey& key, UniqueDraws& unique, const TextCodec& codec) const {
  Random random = settings_.stream_of_length(key, "haystack");
  switch (parameters_.haystack) {
    case Haystack::kEssay:
      return text_->run(codec, settings_.is_published() ? 0 : text_->random_start(random));
    case Haystack::kNeedle:
      return {codec, [this, &unique, random](std::int64_t) mutable {
                const std::string other_key = unique.draw(parameters_.key, random);
                const std::string value = unique.draw(parameters_.value, random);
                return Unit{.body = ruler_niah_needle(parameters_.value, other_key, value),
                            .separator = "\n"};
              }};
    case Haystack::kNoise: break;
  }
  return repeat_units(codec, noise_, 0);
}

MadePrompt NiahMaker::make(const PromptKey& key, const TextCodec& codec) const {
  UniqueDraws unique(words_, text_ ? std::string_view(text_->text()) : kNoiseLine);
  Draws draws = draw(key, unique);
  // The asked keys: the first of a shuffle.
  std::vector<std::size_t> order(draws.keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  settings_.stream(key, "asked").shuffle(std::span(order));
  order.resize(static_cast<std::size_t>(parameters_.queries));

  Hiding hiding;
  std::vector<std::string> queries;
  const auto values = static_cast<std::size_t>(parameters_.values);
  for (const std::size_t k : order) {
    queries.push_back(draws.keys[k]);
    std::vector<std::size_t> needles(values);
    std::iota(needles.begin(), needles.end(), k * values);
    // A key's values are told in the order of the text.
    std::stable_sort(needles.begin(), needles.end(), [&](std::size_t a, std::size_t b) {
      return draws.needles[a].depth < draws.needles[b].depth;
    });
    for (const std::size_t i : needles) {
      hiding.asked.push_back(i);
      hiding.answers.push_back(draws.values[i]);
    }
  }
  hiding.continuation = fmt::format(" {}", list_words(hiding.answers));
  const auto budget = new_tokens(settings_.budget, hiding.continuation, codec);
  if (const auto* const infeasible = std::get_if<Infeasible>(&budget)) return *infeasible;
  hiding.new_tokens = std::get<std::int64_t>(budget);
  NiahForm form =
      ruler_niah_form(parameters_.value, list_words(queries),
                      hiding.answers.size() == 1 ? Asked::kOneValue : Asked::kSeveralValues);
  hiding.place = {.head = std::move(form.head),
                  .tail = std::move(form.tail),
                  .style = parameters_.haystack == Haystack::kEssay ? NeedleStyle::kSentence
                                                                    : NeedleStyle::kLine,
                  .depth_unit = settings_.is_published() ? DepthUnit::kUnits : DepthUnit::kTokens};
  hiding.needles = std::move(draws.needles);
  hiding.length_tokens = key.length_tokens;
  UnitRun run = units(key, unique, codec);
  return hide_and_ask(std::move(hiding), run, codec);
}

}  // namespace

NiahForm ruler_niah_form(NeedlePart value, std::string_view query, Asked asked) {
  std::string_view kind = to_string(value);
  if (asked == Asked::kOneValue) {
    kind.remove_suffix(1);  // the plural's s
    return {.head = fmt::format("A special magic {0} is hidden within the following text. Make "
                                "sure to memorize it. I will quiz you about the {0} afterwards.\n",
                                kind),
            .tail = fmt::format("\nWhat is the special magic {0} for {1} mentioned in the provided "
                                "text? The special magic {0} for {1} mentioned in the provided "
                                "text is",
                                kind, query)};
  }
  return {.head = fmt::format("Some special magic {0} are hidden within the following text. Make "
                              "sure to memorize it. I will quiz you about the {0} afterwards.\n",
                              kind),
          .tail = fmt::format("\nWhat are all the special magic {0} for {1} mentioned in the "
                              "provided text? The special magic {0} for {1} mentioned in the "
                              "provided text are",
                              kind, query)};
}

std::string ruler_niah_needle(NeedlePart value_kind, std::string_view key, std::string_view value) {
  return fmt::format("One of the special magic {} for {} is: {}.", to_string(value_kind), key,
                     value);
}

std::unique_ptr<const PromptMaker> make_ruler_niah(Fields& fields, RulerSettings settings) {
  const auto* const published =
      std::find_if(kPublished.begin(), kPublished.end(),
                   [&](const Parameters& task) { return task.task == settings.task; });
  check(published != kPublished.end(), "a niah task of RULER has parameters");
  Parameters parameters = *published;
  parameters.haystack =
      fields.choice("type_haystack", parameters.haystack,
                    std::span<const std::pair<std::string_view, Haystack>>(kHaystacks));
  parameters.key = read_needle_part(fields, "type_needle_k", parameters.key);
  parameters.value = read_needle_part(fields, "type_needle_v", parameters.value);
  const auto count = [&](std::string_view key, std::int64_t fallback) {
    return fields.optional_integer(key, 1, kMostNeedles).value_or(fallback);
  };
  parameters.queries = count("num_needle_q", parameters.queries);
  parameters.values = count("num_needle_v", parameters.values);
  parameters.keys = std::max(count("num_needle_k", parameters.keys), parameters.queries);
  if (parameters.keys * parameters.values > kMostNeedles) {
    throw fields.error("num_needle_v",
                       fmt::format("{} keys of {} values are {} needles, at most "
                                   "{} can be hidden",
                                   parameters.keys, parameters.values,
                                   parameters.keys * parameters.values, kMostNeedles));
  }
  std::optional<TextHaystack> text;
  if (parameters.haystack == Haystack::kEssay) text.emplace(read_essay(fields, settings));
  return std::make_unique<NiahMaker>(std::move(settings), parameters, std::move(text));
}

}  // namespace yardstick::tasks
