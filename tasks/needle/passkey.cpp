#include "tasks/needle/passkey.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "tasks/build_each.hpp"
#include "tasks/data/continuation.hpp"
#include "tasks/metrics/interval.hpp"
#include "tasks/needle/passkey_prompt.hpp"
#include "tasks/template/template.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 2;  // raise it when the same parameters would give other numbers
constexpr std::string_view kTaskLine =
    "There is an important info hidden inside a lot of irrelevant text. Find it and memorize them. "
    "I will quiz you about the important information there.";
constexpr std::string_view kFiller =
    "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";
constexpr std::string_view kNeedle =
    "The pass key is {{key}}. Remember it. {{key}} is the pass key.";
constexpr std::string_view kQuestion = "What is the pass key? The pass key is";
constexpr std::int64_t kMostKey = 1'000'000'000'000;
constexpr int kMostDraws = 1000;
constexpr std::size_t kTailBytes = 240;

struct Parameters {
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
  [[nodiscard]] BuiltSample make_sample(const Drawn& drawn, const CellAxes& cell,
                                        const PasskeySizer& sizer, const TextCodec& codec) const;

  Parameters parameters_;
};

std::string PasskeyTask::protocol() const {
  return fmt::format(
      "passkey v{}: {} samples a {}, the same keys {}..{} everywhere, greedy, first number of {} "
      "new tokens equals the "
      "key; prompt + answer fill the length to within one filler sentence",
      kVersion, parameters_.samples,
      parameters_.depths.empty() ? "length, needle position uniform" : "length and depth",
      parameters_.lowest_key, parameters_.highest_key, parameters_.max_new_tokens);
}

std::vector<CellAxes> PasskeyTask::cells(std::span<const std::int64_t> lengths) const {
  if (!parameters_.lengths.empty()) lengths = parameters_.lengths;
  std::vector<CellAxes> out;
  for (const std::int64_t length : lengths) {
    if (parameters_.depths.empty()) {
      out.push_back({.length_tokens = length, .depth = std::nullopt, .variant = ""});
    }
    for (const double depth : parameters_.depths) {
      out.push_back({.length_tokens = length, .depth = depth, .variant = ""});
    }
  }
  return out;
}

void PasskeyTask::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.kind", kind())
      .add("task.implementation", kVersion)
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

std::string tail_of(const std::string& text) {
  std::size_t begin = text.size() > kTailBytes ? text.size() - kTailBytes : 0;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) ++begin;
  return text.substr(begin);
}

// Token counts of an answer behind a prompt, however short the prompt is.
std::int64_t scored_tokens(const Request& request) {
  return static_cast<std::int64_t>(request.tokens.size()) - request.score_from;
}

Placement place_needle(const CellAxes& cell, double share, const PasskeyTexts& texts,
                       const PasskeySizer& sizer, std::int64_t prefix) {
  if (!cell.depth) return {.kind = Placement::Kind::kUniform, .share = share};
  const double token = *cell.depth * static_cast<double>(cell.length_tokens.value());
  return sizer.at_token(texts, std::llround(token) - prefix);
}

BuiltSample PasskeyTask::make_sample(const Drawn& drawn, const CellAxes& cell,
                                     const PasskeySizer& sizer, const TextCodec& codec) const {
  const std::int64_t length = cell.length_tokens.value();
  const std::string answer = parameters_.answer_prefix + drawn.key;
  const std::vector<TokenId> prefix = codec.window_prefix();
  const std::optional<Request> probe =
      continuation_request(parameters_.question, answer, Boundary::kJoint, codec);
  if (probe && scored_tokens(*probe) > parameters_.max_new_tokens) {
    throw Error(
        ErrorKind::kConfig,
        fmt::format("passkey: the answer '{}' has {} tokens, max_new_tokens is {}; raise it",
                    answer, scored_tokens(*probe), parameters_.max_new_tokens));
  }
  const std::int64_t around = static_cast<std::int64_t>(prefix.size()) + parameters_.max_new_tokens;
  const Placement placement =
      place_needle(cell, drawn.share, drawn.texts, sizer, std::ssize(prefix));
  const std::optional<PasskeyPrompt> prompt = sizer.fill(drawn.texts, placement, length - around);
  if (!prompt) {
    SampleScore score;
    score.sample_id = drawn.id;
    score.document_id = drawn.id;
    score.status = SampleStatus::kSkipped;
    score.reason = fmt::format(
        "infeasible: with one filler sentence and {} tokens to answer the prompt needs a length of "
        "{}, this cell's is {}",
        parameters_.max_new_tokens, sizer.least_tokens(drawn.texts, placement) + around, length);
    return score;
  }
  const std::optional<Request> right =
      continuation_request(EncodedContext{.text = prompt->text, .tokens = prompt->tokens}, answer,
                           Boundary::kJoint, codec);
  check(right.has_value(), "an answer behind a prompt has a token to score");
  Request generate{.tokens = prefix, .max_new_tokens = parameters_.max_new_tokens};
  generate.tokens.insert(generate.tokens.end(), prompt->tokens.begin(), prompt->tokens.end());
  generate.score_from = static_cast<std::int64_t>(generate.tokens.size());
  if (const std::optional<TokenId> end = codec.end_of_text()) generate.stop_tokens = {*end};
  Sample sample;
  sample.id = drawn.id;
  sample.document_id = drawn.id;
  sample.facts = {{"expected", drawn.key},
                  {"prompt_tail", tail_of(prompt->text)},
                  {"target_tokens", length},
                  {"prompt_tokens", generate.tokens.size()},
                  {"answer_tokens", scored_tokens(*right)},
                  {"needle_token", prompt->needle_token + static_cast<std::int64_t>(prefix.size())},
                  {"depth", prompt->depth},
                  {"sentences_before", prompt->before},
                  {"sentences_after", prompt->after}};
  sample.requests = {std::move(generate), *right};
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
  check(responses.size() == 2, "a pass-key sample is two requests");
  const Response& generated = responses[0];
  const Response& right = responses[1];
  SampleScore score;
  score.sample_id = sample.id;
  score.document_id = sample.document_id;
  score.details = sample.facts;
  for (const char* const name : {"prompt_tokens", "needle_token", "answer_tokens", "depth"}) {
    score.values[name] = sample.facts.at(name).get<double>();
  }
  const double nll = std::accumulate(right.nll.begin(), right.nll.end(), 0.0);
  if (generated.status != ResponseStatus::kOk || right.status != ResponseStatus::kOk ||
      !std::isfinite(nll)) {
    score.status = SampleStatus::kNonFinite;
    score.reason = "a NaN or infinity in the model's output; try dtype f32 or bf16";
    return score;
  }
  const std::string text = codec.decode(generated.generated);
  const auto expected = sample.facts.at("expected").get<std::string>();
  score.details["generated"] = text;
  score.values["exact_match"] = first_number(text) == expected ? 1.0 : 0.0;
  score.values["answer_nll"] = nll;
  return score;
}

std::vector<MetricValue> PasskeyTask::aggregate(std::span<const SampleScore> scores,
                                                std::uint64_t /*seed*/) const {
  std::vector<double> matches;
  std::vector<double> losses;
  for (const SampleScore& score : scores) {
    if (score.status != SampleStatus::kOk) continue;
    matches.push_back(score.values.at("exact_match"));
    losses.push_back(score.values.at("answer_nll"));
  }
  if (matches.empty()) return {};
  const auto n = static_cast<std::int64_t>(matches.size());
  const MeanEstimate accuracy = mean_with_error(matches);
  const Interval interval =
      wilson_interval(std::accumulate(matches.begin(), matches.end(), 0.0), n);
  const MeanEstimate loss = mean_with_error(losses);
  return {{.name = "accuracy",
           .value = accuracy.mean,
           .standard_error = accuracy.standard_error,
           .ci_low = interval.low,
           .ci_high = interval.high,
           .n = n},
          {.name = "answer_nll",
           .value = loss.mean,
           .standard_error = loss.standard_error,
           .ci_low = std::nullopt,
           .ci_high = std::nullopt,
           .n = n}};
}

std::vector<double> read_depths(Fields& fields) {
  const nlohmann::json raw = fields.raw("depths");
  std::vector<double> depths;
  if (raw.is_number_integer() && raw.get<std::int64_t>() >= 1 && raw.get<std::int64_t>() <= 1000) {
    const auto count = raw.get<std::int64_t>();
    for (std::int64_t i = 0; i < count; ++i) {
      depths.push_back(count == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(count - 1));
    }
    return depths;
  }
  if (raw.is_null()) return {0, 0.25, 0.5, 0.75, 1};
  for (const nlohmann::json& depth : raw.is_array() ? raw : nlohmann::json::array({raw})) {
    if (!depth.is_number() || depth.get<double>() < 0 || depth.get<double>() > 1) {
      throw fields.error("depths", fmt::format("found {}, expected fractions from 0 to 1 such as "
                                               "[0, 0.5, 1], or how many (evenly spaced)",
                                               depth.dump()));
    }
    depths.push_back(depth.get<double>());
  }
  if (depths.empty()) throw fields.error("depths", "the list is empty");
  return depths;
}

enum class PlacementWord { kGrid, kUniform };
constexpr std::array<std::pair<std::string_view, PlacementWord>, 2> kPlacements = {
    {{"grid", PlacementWord::kGrid}, {"uniform", PlacementWord::kUniform}}};

void read_placement(Fields& fields, Parameters& parameters) {
  const PlacementWord word =
      fields.choice("placement", PlacementWord::kGrid,
                    std::span<const std::pair<std::string_view, PlacementWord>>(kPlacements));
  if (word == PlacementWord::kGrid) {
    parameters.depths = read_depths(fields);
  } else if (fields.has("depths")) {
    throw fields.error("depths", "is of no use to `placement: uniform`; remove one of them");
  }
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
  parameters.filler = filler.empty()       ? split_sentences(kFiller)
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
  read_placement(fields, parameters);
  read_key_range(fields, parameters);
  parameters.samples =
      fields.optional_integer("samples", 1, 1'000'000).value_or(parameters.samples);
  parameters.max_new_tokens =
      fields.optional_integer("max_new_tokens", 1, 100'000).value_or(parameters.max_new_tokens);
  read_texts(fields, parameters);
  return std::make_unique<PasskeyTask>(std::move(parameters));
}

}  // namespace yardstick::tasks
