// RULER's vt: chains of assignments hidden in noise; which variables have a value?
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
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
constexpr std::int64_t kNameLetters = 5;
constexpr std::int64_t kExampleLetters = 3;
constexpr std::int64_t kExampleTokens = 500;  // RULER's bound of its worked example
constexpr std::int64_t kExampleNoise = 5;     // units of noise in an example: strict, or at least
constexpr std::int64_t kMostExampleNoise = 500;  // a unit of noise has at least a token

enum class Haystack { kNoise, kEssay };
constexpr std::array<std::pair<std::string_view, Haystack>, 2> kHaystacks = {
    {{"noise", Haystack::kNoise}, {"essay", Haystack::kEssay}}};

struct Parameters {
  Haystack haystack = Haystack::kNoise;
  std::int64_t chains = 1;
  std::int64_t hops = 4;
  std::int64_t examples = 1;
};

/// The assignments of one sample; the first chain is asked for.
struct Chains {
  std::string value;               ///< of the first chain
  std::vector<std::string> names;  ///< of its variables, in order
  std::vector<Needle> statements;  ///< of all chains
};

class TrackingMaker final : public PromptMaker {
 public:
  TrackingMaker(RulerSettings settings, Parameters parameters, std::optional<TextHaystack> text)
      : settings_(std::move(settings)),
        parameters_(parameters),
        text_(std::move(text)),
        noise_(noise_units(settings_.preset)) {}

  [[nodiscard]] std::string name() const override { return "ruler/" + settings_.task; }
  [[nodiscard]] std::string summary() const override {
    return fmt::format("RULER {} v{} ({}): {} chains of {} hops, {} worked example", settings_.task,
                       kVersion, settings_.is_published() ? "as published" : "strict",
                       parameters_.chains, parameters_.hops, parameters_.examples);
  }
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] MadePrompt make(const PromptKey& key, const TextCodec& codec) const override;

 private:
  [[nodiscard]] Chains draw(Random& random, Random& depths, std::int64_t letters) const;
  [[nodiscard]] std::string statement(std::string_view assignment) const;
  [[nodiscard]] HidingPlace place(const Chains& chains, std::string head) const;
  [[nodiscard]] std::string example(const PromptKey& key, const TextCodec& codec) const;
  /// What stands between the question and the first name.
  [[nodiscard]] std::string gap() const { return settings_.is_published() ? "" : " "; }

  RulerSettings settings_;
  Parameters parameters_;
  std::optional<TextHaystack> text_;
  std::vector<Unit> noise_;
};

void TrackingMaker::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.implementation", kVersion)
      .add("haystack.type", static_cast<int>(parameters_.haystack))
      .add("num_chains", parameters_.chains)
      .add("num_hops", parameters_.hops)
      .add("num_fewshot", parameters_.examples);
  settings_.describe(fingerprint);
  if (text_) text_->describe(fingerprint);
}

std::string draw_name(Random& random, std::int64_t letters, std::set<std::string>& taken) {
  for (;;) {  // ends: far fewer names are taken than there are (see kMostNeedles)
    std::string name;
    for (std::int64_t i = 0; i < letters; ++i) {
      name += static_cast<char>('A' + static_cast<char>(random.below(26)));
    }
    if (taken.insert(name).second) return name;
  }
}

// Published, a copy ends in a blank, which does not matter in front of a full stop.
std::string TrackingMaker::statement(std::string_view assignment) const {
  std::string text(assignment);
  if (parameters_.haystack == Haystack::kEssay) {
    if (text.ends_with(' ')) text.pop_back();
    return text + ".";
  }
  return text;
}

Chains TrackingMaker::draw(Random& random, Random& depth_random, std::int64_t letters) const {
  Chains chains;
  std::set<std::string> taken;
  for (std::int64_t c = 0; c < parameters_.chains; ++c) {
    std::string value;
    do value = std::to_string(random.between(10000, 99998));
    while (!taken.insert(value).second);
    std::vector<double> depths =
        settings_.is_published() && parameters_.haystack == Haystack::kEssay
            ? published_depths(parameters_.hops + 1, depth_random)
            : uniform_depths(parameters_.hops + 1, depth_random);
    std::sort(depths.begin(), depths.end());
    std::string previous;
    for (std::int64_t i = 0; i <= parameters_.hops; ++i) {
      const std::string name = draw_name(random, letters, taken);
      const std::string_view end = settings_.is_published() ? " " : "";
      chains.statements.push_back(
          {.text = statement(i == 0 ? fmt::format("VAR {} = {}", name, value)
                                    : fmt::format("VAR {} = VAR {}{}", name, previous, end)),
           .depth = depths[static_cast<std::size_t>(i)]});
      if (c == 0) chains.names.push_back(name);
      previous = name;
    }
    if (c == 0) chains.value = value;
  }
  return chains;
}

HidingPlace TrackingMaker::place(const Chains& chains, std::string head) const {
  return {.head = std::move(head) +
                  "Memorize and track the chain(s) of variable assignment hidden in the following "
                  "text.\n\n",
          .tail = fmt::format(
              "\nQuestion: Find all variables that are assigned the value {0} in the text above. "
              "Answer: According to the chain(s) of variable assignment in the text above, {1} "
              "variables are assigned the value {0}, they are:{2}",
              chains.value, parameters_.hops + 1, settings_.is_published() ? " " : ""),
          .style = parameters_.haystack == Haystack::kEssay ? NeedleStyle::kSentence
                                                            : NeedleStyle::kLine,
          .depth_unit = settings_.is_published() ? DepthUnit::kUnits : DepthUnit::kTokens};
}

// A worked example with its answer: published, as much noise as 500 tokens hold; strict, a little.
std::string TrackingMaker::example(const PromptKey& key, const TextCodec& codec) const {
  Random random = settings_.stream(key, "example");
  Random depths = settings_.stream(key, "example depths");
  const Chains chains = draw(random, depths, kExampleLetters);
  const HidingPlace where = place(chains, "");
  UnitRun run = text_ ? text_->run(codec, 0) : repeat_units(codec, noise_, 0);
  std::string text = hide(where, chains.statements, run, kExampleNoise).text;
  if (settings_.is_published()) {
    const Growth growth{
        .least = kExampleNoise,
        .most = kMostExampleNoise,
        .compose = [&](std::int64_t n) { return hide(where, chains.statements, run, n).text; },
        .tokens = [&](std::int64_t n) { return run.tokens(n); }};
    auto fitted = fit_text(growth, kExampleTokens, codec);
    if (auto* const found = std::get_if<FittedText>(&fitted)) text = std::move(found->text);
  }
  // Published, the answer is joined with a blank to a text that ends in one.
  return fmt::format("{} {}\n\n", text, fmt::join(chains.names, " "));
}

MadePrompt TrackingMaker::make(const PromptKey& key, const TextCodec& codec) const {
  Random random = settings_.stream(key, "chains");
  Random depths = settings_.stream(key, "depths");
  Chains chains = draw(random, depths, kNameLetters);
  Hiding hiding;
  hiding.continuation = fmt::format("{}{}", gap(), fmt::join(chains.names, " "));
  const auto budget = new_tokens(settings_.budget, hiding.continuation, codec);
  if (const auto* const infeasible = std::get_if<Infeasible>(&budget)) return *infeasible;
  hiding.new_tokens = std::get<std::int64_t>(budget);
  hiding.place = place(chains, parameters_.examples > 0 ? example(key, codec) : "");
  hiding.needles = std::move(chains.statements);
  for (std::size_t i = 0; i < chains.names.size(); ++i) hiding.asked.push_back(i);
  hiding.answers = std::move(chains.names);
  hiding.length_tokens = key.length_tokens;
  Random start = settings_.stream_of_length(key, "haystack");
  UnitRun run = text_ ? text_->run(codec, settings_.is_published() ? 0 : text_->random_start(start))
                      : repeat_units(codec, noise_, 0);
  return hide_and_ask(std::move(hiding), run, codec);
}

}  // namespace

std::unique_ptr<const PromptMaker> make_ruler_tracking(Fields& fields, RulerSettings settings) {
  Parameters parameters;
  parameters.haystack =
      fields.choice("type_haystack", parameters.haystack,
                    std::span<const std::pair<std::string_view, Haystack>>(kHaystacks));
  parameters.chains =
      fields.optional_integer("num_chains", 1, kMostNeedles).value_or(parameters.chains);
  parameters.hops =
      fields.optional_integer("num_hops", 1, kMostNeedles - 1).value_or(parameters.hops);
  parameters.examples = fields.optional_integer("num_fewshot", 0, 1).value_or(parameters.examples);
  std::optional<TextHaystack> text;
  if (parameters.haystack == Haystack::kEssay) {
    text.emplace(read_essay(fields, settings));
  }
  return std::make_unique<TrackingMaker>(std::move(settings), parameters, std::move(text));
}

}  // namespace yardstick::tasks
