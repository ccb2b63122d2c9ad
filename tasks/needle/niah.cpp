// A needle in a haystack: any needle, question and answer, in any text, on a grid of depths and
// lengths.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "tasks/kinds.hpp"
#include "tasks/needle/grid.hpp"
#include "tasks/needle/haystack.hpp"
#include "tasks/needle/needle_parts.hpp"
#include "tasks/needle/prompt_maker.hpp"
#include "tasks/needle/text_haystack.hpp"
#include "tasks/needle/words.hpp"
#include "tasks/template/template.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 2;  // raise it when the same parameters would give other samples
constexpr std::string_view kHaystackReference = "{{haystack}}";
constexpr std::string_view kPrompt = "{{haystack}}\n\nQuestion: {{question}}\nAnswer:";

enum class Start { kRandom, kBeginning };

struct Texts {
  Template head{"", ""};  ///< of the prompt, up to the haystack
  Template tail{"", ""};
  Template needle{"", ""};
  Template question{"", ""};
  std::vector<Template> answers;
  std::optional<Template> distractor;
  std::string delimiter;
};

struct Parameters {
  Texts texts;
  NeedlePart key = NeedlePart::kWords;
  NeedlePart value = NeedlePart::kNumbers;
  Start start = Start::kRandom;
  AnswerBudget budget;
  std::optional<TextHaystack> text;
  std::vector<Unit> filler;  ///< without a text

  /// What a key or a value must not stand in.
  [[nodiscard]] std::string fixed_haystack() const {
    if (text) return text->text();
    std::string out;
    for (const Unit& unit : filler) out += unit.body + unit.separator;
    return out;
  }
};

class NiahMaker final : public PromptMaker {
 public:
  explicit NiahMaker(Parameters parameters)
      : parameters_(std::move(parameters)),
        fixed_haystack_(parameters_.fixed_haystack()),
        words_(WordPool::pairs()) {}

  [[nodiscard]] std::string name() const override { return "niah"; }
  [[nodiscard]] std::string summary() const override;
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] Needed needed() const override { return Needed::kAny; }
  [[nodiscard]] MadePrompt make(const PromptKey& key, const TextCodec& codec) const override;

 private:
  [[nodiscard]] UnitRun units(const PromptKey& key, UniqueDraws& draws,
                              const TextCodec& codec) const;

  Parameters parameters_;
  std::string fixed_haystack_;
  WordPool words_;
};

std::string NiahMaker::summary() const {
  const std::string_view haystack = parameters_.text               ? "text"
                                    : parameters_.texts.distractor ? "other needles"
                                                                   : "repeated sentences";
  return fmt::format("niah v{}: needle in {}, depth in tokens, {}", kVersion, haystack,
                     parameters_.start == Start::kRandom
                         ? "another part of the haystack for each sample"
                         : "haystack from its beginning");
}

void NiahMaker::describe(Fingerprint& fingerprint) const {
  const Texts& texts = parameters_.texts;
  fingerprint.add("task.implementation", kVersion)
      .add("head", texts.head.text())
      .add("tail", texts.tail.text())
      .add("needle", texts.needle.text())
      .add("question", texts.question.text())
      .add("delimiter", texts.delimiter)
      .add("distractor", texts.distractor ? texts.distractor->text() : "")
      .add("key", to_string(parameters_.key))
      .add("value", to_string(parameters_.value))
      .add("start", static_cast<int>(parameters_.start))
      .add("max_new_tokens", parameters_.budget.fixed.value_or(0));
  for (const Template& answer : texts.answers) fingerprint.add("answer", answer.text());
  if (parameters_.text) parameters_.text->describe(fingerprint);
  for (const Unit& unit : parameters_.filler) fingerprint.add("filler", unit.body);
  words_.describe(fingerprint);
}

UnitRun NiahMaker::units(const PromptKey& key, UniqueDraws& draws, const TextCodec& codec) const {
  // Not the depth: the needles of one sample move through the same haystack.
  Random random(key.seed, fmt::format("niah/{}/haystack", key.length_tokens),
                static_cast<std::uint64_t>(key.index));
  if (parameters_.text) {
    const std::int64_t start =
        parameters_.start == Start::kRandom ? parameters_.text->random_start(random) : 0;
    return parameters_.text->run(codec, start);
  }
  if (parameters_.texts.distractor) {
    return {codec, [this, &draws, random](std::int64_t) mutable {
              const std::string other_key = draws.draw(parameters_.key, random);
              const std::string value = draws.draw(parameters_.value, random);
              return Unit{.body = parameters_.texts.distractor->render(
                              {{"key", other_key}, {"value", value}}),
                          .separator = "\n"};
            }};
  }
  const auto start = parameters_.start == Start::kRandom
                         ? static_cast<std::int64_t>(random.below(parameters_.filler.size()))
                         : 0;
  return repeat_units(codec, parameters_.filler, start);
}

MadePrompt NiahMaker::make(const PromptKey& key, const TextCodec& codec) const {
  const Texts& texts = parameters_.texts;
  // The same needle at every length and depth: cells compare the same questions.
  Random random(key.seed, "niah/needle", static_cast<std::uint64_t>(key.index));
  UniqueDraws draws(words_, fixed_haystack_);
  nlohmann::ordered_json fields = {{"key", draws.draw(parameters_.key, random)},
                                   {"value", draws.draw(parameters_.value, random)}};
  fields["question"] = texts.question.render(fields);
  const Needle needle{.text = texts.needle.render(fields), .depth = key.depth.value()};
  std::vector<std::string> answers;
  for (const Template& answer : texts.answers) answers.push_back(answer.render(fields));
  const std::string continuation = texts.delimiter + answers.front();
  const auto budget = new_tokens(parameters_.budget, continuation, codec);
  if (const auto* const infeasible = std::get_if<Infeasible>(&budget)) return *infeasible;
  const std::int64_t new_token_count = std::get<std::int64_t>(budget);

  UnitRun run = units(key, draws, codec);
  const HidingPlace place{.head = texts.head.render(fields),
                          .tail = texts.tail.render(fields),
                          .style = texts.distractor ? NeedleStyle::kLine : NeedleStyle::kSentence,
                          .depth_unit = DepthUnit::kTokens};
  return hide_and_ask({.place = place,
                       .needles = {needle},
                       .asked = {0},
                       .answers = std::move(answers),
                       .continuation = continuation,
                       .length_tokens = key.length_tokens,
                       .new_tokens = new_token_count},
                      run, codec);
}

using Words = std::span<const std::pair<std::string_view, Start>>;
constexpr std::array<std::pair<std::string_view, Start>, 2> kStarts = {
    {{"random", Start::kRandom}, {"beginning", Start::kBeginning}}};

Template read_template(Fields& fields, std::string_view key) {
  return {fields.text(key), fields.where(key)};
}

Texts read_texts(Fields& fields) {
  Texts texts;
  texts.needle = read_template(fields, "needle");
  texts.question = read_template(fields, "question");
  for (const std::string& answer : fields.texts("answer")) {
    if (answer.find_first_not_of(" \t\n") == std::string::npos) {
      throw fields.error("answer", "is empty, and would stand in every output; say what is right");
    }
    texts.answers.emplace_back(answer, fields.where("answer"));
  }
  if (texts.answers.empty()) throw fields.error("answer", "expected a text, or a list of them");
  const std::string prompt = fields.optional_text("prompt").value_or(std::string(kPrompt));
  const std::size_t at = prompt.find(kHaystackReference);
  if (at == std::string::npos || prompt.find(kHaystackReference, at + 1) != std::string::npos) {
    throw fields.error("prompt", "expected {{haystack}} in it exactly once");
  }
  texts.head = Template(prompt.substr(0, at), fields.where("prompt"));
  texts.tail = Template(prompt.substr(at + kHaystackReference.size()), fields.where("prompt"));
  texts.delimiter = fields.optional_text("delimiter").value_or(" ");
  if (fields.has("distractor")) texts.distractor = read_template(fields, "distractor");
  return texts;
}

void read_haystack(Fields& fields, const TaskDefinition& definition, Parameters& parameters) {
  const bool has_text = fields.has("haystack");
  const std::vector<std::string> filler = fields.texts("filler");
  if ((has_text ? 1 : 0) + (filler.empty() ? 0 : 1) + (parameters.texts.distractor ? 1 : 0) > 1) {
    throw fields.error(has_text ? "haystack" : "filler",
                       "a haystack is one of these: `haystack` (a text), `filler` (sentences that "
                       "are repeated) or `distractor` (other needles); remove the others");
  }
  if (has_text) {
    parameters.text.emplace(read_haystack_text(fields, "haystack", definition.base),
                            fields.where("haystack"));
  } else if (filler.size() > 1) {
    for (const std::string& sentence : filler) {
      parameters.filler.push_back({.body = sentence, .separator = " "});
    }
  } else {
    parameters.filler = split_into_sentences(
        filler.empty() ? kNoiseLine : std::string_view(filler.front()), fields.where("filler"));
  }
}

}  // namespace

std::unique_ptr<const Task> make_niah(Fields& fields, const TaskDefinition& definition) {
  Parameters parameters;
  parameters.texts = read_texts(fields);
  read_haystack(fields, definition, parameters);
  parameters.key = read_needle_part(fields, "key", parameters.key);
  parameters.value = read_needle_part(fields, "value", parameters.value);
  parameters.start = fields.choice("start", Start::kRandom, Words(kStarts));
  parameters.budget.fixed = fields.optional_integer("max_new_tokens", 1, 100'000);
  PromptTaskSettings settings{
      .kind = "niah",
      .lengths = fields.lengths("lengths"),
      .depths = read_depths(fields, {0, 0.25, 0.5, 0.75, 1}),
      .samples = fields.optional_integer("samples", 1, 1'000'000).value_or(20),
      .headline = "strict_match"};
  return make_prompt_task(std::move(settings), std::make_unique<NiahMaker>(std::move(parameters)));
}

}  // namespace yardstick::tasks
