#include "tasks/needle/passkey.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "tasks/build_each.hpp"
#include "tasks/kinds.hpp"
#include "tasks/needle/answered_prompt.hpp"
#include "tasks/needle/grid.hpp"
#include "tasks/needle/haystack.hpp"
#include "tasks/needle/passkey_prompt.hpp"
#include "tasks/sample_score.hpp"
#include "tasks/template/template.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 3;  // raise it when the same parameters would give other numbers
constexpr std::string_view kTaskLine =
    "There is an important info hidden inside a lot of irrelevant text. Find it and memorize them. "
    "I will quiz you about the important information there.";
constexpr std::string_view kNeedle =
    "The pass key is {{key}}. Remember it. {{key}} is the pass key.";
constexpr std::string_view kQuestion = "What is the pass key? The pass key is";
constexpr std::int64_t kMostKey = 1'000'000'000'000;
constexpr int kMostDraws = 1000;

enum class Sizing {
  kSentences,   ///< whole ones; prompt + answer fill the length
  kCharacters,  ///< YaRN's script: filler cut by 128 characters, the prompt alone below the length
};

struct Parameters {
  Sizing sizing = Sizing::kSentences;
  std::vector<std::int64_t> lengths;  ///< in place of the suite's, if not empty
  std::vector<double> depths;         ///< empty: uniform placement
  std::int64_t samples = 20;
  std::int64_t lowest_key = 1;
  std::int64_t highest_key = 50000;
  std::int64_t max_new_tokens = 10;
  std::string task;
  std::vector<std::string> filler;
  Template needle{"", ""};
  std::string question;
  std::string answer_prefix;
};

class PasskeyTask final : public Task {
 public:
  explicit PasskeyTask(Parameters parameters) : parameters_(std::move(parameters)) {}

  [[nodiscard]] std::string_view kind() const override { return "passkey"; }
  [[nodiscard]] std::string protocol() const override;
  [[nodiscard]] Headline headline() const override {
    return {.metric = "accuracy", .better = Headline::Better::kHigher};
  }
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override;
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override;
  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& codec) const override;
  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t seed) const override;

 private:
  struct Drawn {
    std::string id;
    std::string key;
    double share = 0;  ///< of `placement: uniform`
    PasskeyTexts texts;
  };
  [[nodiscard]] Drawn draw(const CellAxes& cell, std::uint64_t seed, std::int64_t index) const;
  [[nodiscard]] std::variant<PasskeyPrompt, TooLong> fill(const Drawn& drawn, const CellAxes& cell,
                                                          const PasskeySizer& sizer,
                                                          const TextCodec& codec) const;
  [[nodiscard]] BuiltSample make_sample(const Drawn& drawn, const CellAxes& cell,
                                        const PasskeySizer& sizer, const TextCodec& codec) const;

  Parameters parameters_;
};

std::string PasskeyTask::protocol() const {
  return fmt::format(
      "passkey v{}: {} samples a {}, the same keys {}..{} everywhere, greedy, first number of {} "
      "new tokens equals the key; {}",
      kVersion, parameters_.samples,
      parameters_.depths.empty() ? "length, needle position uniform" : "length and depth",
      parameters_.lowest_key, parameters_.highest_key, parameters_.max_new_tokens,
      parameters_.sizing == Sizing::kSentences
          ? "prompt + answer fill the length to within one filler sentence"
          : "YaRN's sizes: the prompt is below the length by at most 128 characters of filler, the "
            "answer may go beyond it");
}

std::vector<CellAxes> PasskeyTask::cells(std::span<const std::int64_t> lengths) const {
  if (!parameters_.lengths.empty()) lengths = parameters_.lengths;
  return grid_cells(lengths, parameters_.depths);
}

void PasskeyTask::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.kind", kind())
      .add("task.implementation", kVersion)
      .add("sizing", parameters_.sizing == Sizing::kSentences ? "sentences" : "characters")
      .add("samples", parameters_.samples)
      .add("key.low", parameters_.lowest_key)
      .add("key.high", parameters_.highest_key)
      .add("max_new_tokens", parameters_.max_new_tokens)
      .add("task_line", parameters_.task)
      .add("needle", parameters_.needle.text())
      .add("question", parameters_.question)
      .add("answer_prefix", parameters_.answer_prefix);
  for (const std::string& sentence : parameters_.filler) fingerprint.add("filler", sentence);
}

PasskeyTask::Drawn PasskeyTask::draw(const CellAxes& cell, std::uint64_t seed,
                                     std::int64_t index) const {
  const std::string depth = cell.depth ? fmt::format("{:.6g}", *cell.depth) : "uniform";
  const std::string stream = fmt::format("passkey/{}/{}", cell.length_tokens.value(), depth);
  Drawn drawn;
  drawn.id = fmt::format("{}/{:04}", stream, index);
  drawn.share = Random(seed, stream, static_cast<std::uint64_t>(index)).uniform();
  drawn.texts.task = parameters_.task;
  drawn.texts.filler = parameters_.filler;
  drawn.texts.question = parameters_.question;
  const std::string haystack =
      parameters_.task + "\n" +
      filler_text(parameters_.filler, static_cast<std::int64_t>(parameters_.filler.size())) + "\n" +
      parameters_.question;
  // One key at every length and depth: cells compare the same questions, and prompts whose needles
  // stand at the same token begin alike.
  Random random(seed, "passkey/key", static_cast<std::uint64_t>(index));
  for (int attempt = 0; attempt < kMostDraws; ++attempt) {
    drawn.key = std::to_string(random.between(parameters_.lowest_key, parameters_.highest_key));
    if (haystack.find(drawn.key) != std::string::npos) continue;
    drawn.texts.needle = parameters_.needle.render({{"key", drawn.key}});
    return drawn;
  }
  throw Error(
      ErrorKind::kConfig,
      fmt::format("passkey: every key drawn from {}..{} stands in the task line, the filler "
                  "or the question as well; widen key_range or change the texts",
                  parameters_.lowest_key, parameters_.highest_key));
}

Placement place_needle(const CellAxes& cell, double share, const PasskeyTexts& texts,
                       const PasskeySizer& sizer, std::int64_t prefix) {
  if (!cell.depth) return {.kind = Placement::Kind::kUniform, .share = share};
  const double token = *cell.depth * static_cast<double>(cell.length_tokens.value());
  return sizer.at_token(texts, std::llround(token) - prefix);
}

std::variant<PasskeyPrompt, TooLong> PasskeyTask::fill(const Drawn& drawn, const CellAxes& cell,
                                                       const PasskeySizer& sizer,
                                                       const TextCodec& codec) const {
  const std::int64_t prefix = std::ssize(codec.window_prefix());
  const std::int64_t length = cell.length_tokens.value();
  if (parameters_.sizing == Sizing::kCharacters) {
    return fill_with_characters(drawn.texts, drawn.share, length - 1 - prefix, codec);
  }
  return sizer.fill(drawn.texts, place_needle(cell, drawn.share, drawn.texts, sizer, prefix),
                    length - prefix - parameters_.max_new_tokens);
}

BuiltSample PasskeyTask::make_sample(const Drawn& drawn, const CellAxes& cell,
                                     const PasskeySizer& sizer, const TextCodec& codec) const {
  const std::int64_t length = cell.length_tokens.value();
  const std::int64_t prefix = std::ssize(codec.window_prefix());
  std::variant<PasskeyPrompt, TooLong> filled = fill(drawn, cell, sizer, codec);
  if (const auto* const too_long = std::get_if<TooLong>(&filled)) {
    const std::int64_t least =
        too_long->least_tokens + prefix +
        (parameters_.sizing == Sizing::kCharacters ? 1 : parameters_.max_new_tokens);
    return skipped_sample(
        drawn.id, fmt::format("infeasible: needs >= {} tokens, the length is {}", least, length));
  }
  auto& prompt = std::get<PasskeyPrompt>(filled);
  Sample sample = make_answer_sample({.id = drawn.id,
                                      .document_id = drawn.id,
                                      .text = std::move(prompt.text),
                                      .tokens = std::move(prompt.tokens),
                                      .answers = {drawn.key},
                                      .continuation = parameters_.answer_prefix + drawn.key,
                                      .max_new_tokens = parameters_.max_new_tokens,
                                      .facts = {{"expected", drawn.key},
                                                {"target_tokens", length},
                                                {"needle_token", prompt.needle_token + prefix},
                                                {"depth", prompt.depth},
                                                {"filler_before", prompt.before},
                                                {"filler_after", prompt.after}}},
                                     codec);
  check_answer_fits(kind(), sample, parameters_.max_new_tokens);
  return sample;
}

Task::Built PasskeyTask::build(const CellAxes& cell, const BuildContext& context) const {
  check(cell.length_tokens.has_value(), "a pass-key cell has a length");
  const PasskeySizer sizer(context.codec, parameters_.filler);
  // Samples are independent draws, so the first ones are a random subset already, and nested.
  const std::int64_t count = std::min(parameters_.samples, context.subset.limit.value_or(kMostKey));
  return build_each(static_cast<std::size_t>(count), [&](std::size_t i) {
    return make_sample(draw(cell, context.seed, static_cast<std::int64_t>(i)), cell, sizer,
                       context.codec);
  });
}

SampleScore PasskeyTask::score(const Sample& sample, std::span<const Response> responses,
                               const TextCodec& codec) const {
  SampleScore score = score_answer(sample, responses, codec, Needed::kAll);
  for (const char* const name : {"needle_token", "depth"}) {
    score.values[name] = sample.facts.at(name).get<double>();
  }
  if (score.status != SampleStatus::kOk) return score;
  const std::optional<std::string> found = first_number(codec.decode(responses[0].generated));
  score.values["accuracy"] = found == sample.facts.at("expected").get<std::string>() ? 1.0 : 0.0;
  return score;
}

std::vector<MetricValue> PasskeyTask::aggregate(std::span<const SampleScore> scores,
                                                std::uint64_t /*seed*/) const {
  std::vector<MetricValue> metrics = summarize_answers(scores);
  if (metrics.empty()) return metrics;
  const auto loss = std::find_if(metrics.begin(), metrics.end(), [](const MetricValue& metric) {
    return metric.name == "answer_nll";
  });
  std::rotate(metrics.begin(), loss, loss + 1);
  metrics.insert(metrics.begin(), mean_match("accuracy", scores));
  return metrics;
}

enum class PlacementWord { kGrid, kUniform };
constexpr std::array<std::pair<std::string_view, PlacementWord>, 2> kPlacements = {
    {{"grid", PlacementWord::kGrid}, {"uniform", PlacementWord::kUniform}}};

void read_placement(Fields& fields, Parameters& parameters) {
  parameters.depths = read_depths(fields, {});
  const PlacementWord word =
      fields.choice("placement", PlacementWord::kGrid,
                    std::span<const std::pair<std::string_view, PlacementWord>>(kPlacements));
  if (word == PlacementWord::kUniform && !parameters.depths.empty()) {
    throw fields.error("depths", "is of no use to `placement: uniform`; remove one of them");
  }
  if (word == PlacementWord::kGrid && parameters.depths.empty()) {
    parameters.depths = {0, 0.25, 0.5, 0.75, 1};
  }
}

/// YaRN's evaluation script, by whose name its choices go together.
void read_preset(Fields& fields, Parameters& parameters) {
  const std::optional<std::string> preset = fields.optional_text("preset");
  if (!preset) return read_placement(fields, parameters);
  if (*preset != "yarn") {
    throw fields.error("preset",
                       fmt::format("found '{}', expected 'yarn' (or no preset)", *preset));
  }
  for (const char* const key : {"placement", "depths"}) {
    if (fields.has(key)) {
      throw fields.error(key, "is what `preset: yarn` decides (uniform); remove one of them");
    }
  }
  parameters.sizing = Sizing::kCharacters;
}

void read_key_range(Fields& fields, Parameters& parameters) {
  const nlohmann::json range = fields.raw("key_range");
  if (range.is_null()) return;
  const bool is_pair = range.is_array() && range.size() == 2 && range[0].is_number_integer() &&
                       range[1].is_number_integer();
  if (!is_pair || range[0].get<std::int64_t>() < 0 || range[1].get<std::int64_t>() > kMostKey ||
      range[0].get<std::int64_t>() > range[1].get<std::int64_t>()) {
    throw fields.error("key_range", fmt::format("found {}, expected [lowest, highest] such as "
                                                "[1, 50000]",
                                                range.dump()));
  }
  parameters.lowest_key = range[0].get<std::int64_t>();
  parameters.highest_key = range[1].get<std::int64_t>();
}

void read_texts(Fields& fields, Parameters& parameters) {
  parameters.task = fields.optional_text("task_line").value_or(std::string(kTaskLine));
  const std::vector<std::string> filler = fields.texts("filler");
  parameters.filler = filler.empty()       ? split_sentences(kNoiseLine)
                      : filler.size() == 1 ? split_sentences(filler.front())
                                           : filler;
  const auto is_blank = [](const std::string& sentence) {
    return sentence.find_first_not_of(" \t\n") == std::string::npos;
  };
  if (parameters.filler.empty() ||
      std::any_of(parameters.filler.begin(), parameters.filler.end(), is_blank)) {
    throw fields.error("filler", "expected sentences, found an empty one");
  }
  parameters.needle = Template(fields.optional_text("needle").value_or(std::string(kNeedle)),
                               fields.where("needle"));
  if (parameters.needle.render({{"key", "7"}}) == parameters.needle.render({{"key", "8"}})) {
    throw fields.error("needle", "does not say the key; write {{key}} where it stands");
  }
  parameters.question = fields.optional_text("question").value_or(std::string(kQuestion));
  parameters.answer_prefix = fields.optional_text("answer_prefix").value_or(" ");
}

}  // namespace

std::optional<std::string> first_number(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t begin = text.find_first_of(kDigits);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = std::min(text.find_first_not_of(kDigits, begin), text.size());
  const std::size_t first = std::min(text.find_first_not_of('0', begin), end - 1);
  return std::string(text.substr(first, end - first));
}

std::unique_ptr<const Task> make_passkey(Fields& fields, const TaskDefinition& /*definition*/) {
  Parameters parameters;
  parameters.lengths = fields.lengths("lengths");
  read_preset(fields, parameters);
  read_key_range(fields, parameters);
  parameters.samples =
      fields.optional_integer("samples", 1, 1'000'000).value_or(parameters.samples);
  parameters.max_new_tokens =
      fields.optional_integer("max_new_tokens", 1, 100'000).value_or(parameters.max_new_tokens);
  read_texts(fields, parameters);
  return std::make_unique<PasskeyTask>(std::move(parameters));
}

}  // namespace yardstick::tasks
