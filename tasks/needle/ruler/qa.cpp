// RULER's qa: a question among numbered documents, of which a few hold the answer.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/file_stamp.hpp"
#include "core/hash.hpp"
#include "tasks/data/source.hpp"
#include "tasks/needle/ruler/family.hpp"
#include "tasks/needle/ruler/qa_data.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 1;  // raise it when the same parameters would give other samples

constexpr std::string_view kInstruction =
    "Answer the question based on the given documents. Only give me the answer and do not output "
    "any other words.";

class QaPromptMaker final : public PromptMaker {
 public:
  QaPromptMaker(RulerSettings settings, QaData data, std::string digest)
      : settings_(std::move(settings)), data_(std::move(data)), digest_(std::move(digest)) {}

  [[nodiscard]] std::string name() const override { return "ruler/" + settings_.task; }
  [[nodiscard]] std::string summary() const override {
    return fmt::format("RULER {} v{} ({}): questions among documents, any spelling of the answer",
                       settings_.task, kVersion,
                       settings_.is_published() ? "as published" : "strict");
  }
  void describe(Fingerprint& fingerprint) const override {
    fingerprint.add("task.implementation", kVersion).add("data", digest_);
    settings_.describe(fingerprint);
  }
  [[nodiscard]] Needed needed() const override { return Needed::kAny; }
  [[nodiscard]] MadePrompt make(const PromptKey& key, const TextCodec& codec) const override;

 private:
  [[nodiscard]] const QaQuestion& question(const PromptKey& key) const;
  [[nodiscard]] std::vector<std::size_t> documents(const QaQuestion& question,
                                                   const PromptKey& key) const;

  RulerSettings settings_;
  QaData data_;
  std::string digest_;
};

// Published, the questions in the order of the data; strict, in one random order for each seed.
const QaQuestion& QaPromptMaker::question(const PromptKey& key) const {
  std::vector<std::size_t> order(data_.questions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!settings_.is_published()) {
    Random(key.seed, fmt::format("ruler/{}/questions", settings_.task)).shuffle(std::span(order));
  }
  return data_.questions[order.at(static_cast<std::size_t>(key.index))];
}

/// All documents, those first that go into every prompt, then the question's companions, then the
/// others, each part in random order.
std::vector<std::size_t> QaPromptMaker::documents(const QaQuestion& question,
                                                  const PromptKey& key) const {
  std::vector<std::size_t> out = question.supporting;
  std::vector<std::size_t> companions = question.companions;
  std::set<std::size_t> used(out.begin(), out.end());
  used.insert(companions.begin(), companions.end());
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < data_.documents.size(); ++i) {
    if (!used.contains(i)) others.push_back(i);
  }
  Random random = settings_.stream_of_length(key, "documents");
  random.shuffle(std::span(companions));
  random.shuffle(std::span(others));
  out.insert(out.end(), companions.begin(), companions.end());
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

/// 0 .. n - 1 with the supporting ones, which are the first, at places drawn alike for every n.
std::vector<std::size_t> arrange(std::size_t supporting, std::size_t n, Random random) {
  std::vector<std::size_t> order(n - supporting);
  std::iota(order.begin(), order.end(), supporting);
  for (std::size_t i = 0; i < supporting; ++i) {
    const auto place =
        static_cast<std::ptrdiff_t>(random.uniform() * static_cast<double>(order.size() + 1));
    order.insert(order.begin() + place, i);
  }
  return order;
}

MadePrompt QaPromptMaker::make(const PromptKey& key, const TextCodec& codec) const {
  const QaQuestion& asked = question(key);
  AnsweredPrompt prompt;
  prompt.answers = asked.answers;
  prompt.continuation = " " + asked.answers.front();
  const auto budget = new_tokens(settings_.budget, prompt.continuation, codec);
  if (const auto* const infeasible = std::get_if<Infeasible>(&budget)) return *infeasible;
  prompt.max_new_tokens = std::get<std::int64_t>(budget);

  const std::vector<std::size_t> chosen = documents(asked, key);
  const auto document = [&](std::size_t place, std::size_t i) {
    return fmt::format("Document {}:\n{}", place + 1, data_.documents[chosen[i]]);
  };
  UnitRun run(codec, [&](std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    return Unit{.body = document(place, place), .separator = "\n\n"};
  });
  const auto order = [&](std::int64_t n) {
    return arrange(asked.supporting.size(), static_cast<std::size_t>(n),
                   settings_.stream(key, "places"));
  };
  const auto most = std::ssize(chosen);
  const Growth growth{.least = std::ssize(asked.supporting),
                      .most = most,
                      .compose =
                          [&](std::int64_t n) {
                            std::string text = fmt::format(
                                "{}\n\nThe following are given documents.\n\n", kInstruction);
                            std::size_t place = 0;
                            for (const std::size_t i : order(n)) {
                              if (place > 0) text += "\n\n";
                              text += document(place++, i);
                            }
                            return fmt::format("{}\n\n{}\n\nQuestion: {} Answer:", text,
                                               kInstruction, asked.question);
                          },
                      .tokens = [&](std::int64_t n) { return run.tokens(n); }};
  auto fitted = fit_prompt(growth, key.length_tokens, prompt.max_new_tokens, codec);
  if (const auto* const infeasible = std::get_if<Infeasible>(&fitted)) return *infeasible;
  auto& text = std::get<FittedText>(fitted);
  const std::int64_t tokens = std::ssize(text.spans) + std::ssize(codec.window_prefix());
  // With all documents in it, a prompt may be far too short: then its length would be a lie.
  if (text.units == most && (tokens + prompt.max_new_tokens) * 10 < key.length_tokens * 9) {
    return Infeasible{
        .reason = fmt::format("infeasible: all {} documents of the data make {} tokens, the "
                              "length is {}; give more documents",
                              most, tokens, key.length_tokens)};
  }
  prompt.tokens = ids_of(text.spans);
  prompt.text = std::move(text.text);
  nlohmann::json places = nlohmann::json::array();
  const std::vector<std::size_t> arranged = order(text.units);
  for (std::size_t place = 0; place < arranged.size(); ++place) {
    if (arranged[place] < asked.supporting.size()) places.push_back(place + 1);
  }
  prompt.facts["question"] = asked.question;
  prompt.facts["supporting_documents"] = std::move(places);
  prompt.facts["haystack_units"] = text.units;
  return prompt;
}

}  // namespace

QaMaker make_ruler_qa(Fields& fields, RulerSettings settings) {
  constexpr std::array<DataFormat, 2> kFormats = {DataFormat::kJsonl, DataFormat::kJson};
  if (!fields.has("data")) {
    throw fields.error(
        "data", fmt::format("the task '{}' needs questions; name them: `data: {}`", settings.task,
                            settings.task == "qa_2" ? "hotpotqa.json" : "squad.json"));
  }
  const DataSource source = read_source(fields, settings.base, kFormats);
  const FileStamp before = stamp_file(source.path);
  QaData data = read_qa(source.path);
  std::string digest = sha256_file(source.path);
  check_unchanged(before);
  const auto questions = std::ssize(data.questions);
  return {.maker = std::make_unique<QaPromptMaker>(std::move(settings), std::move(data),
                                                   std::move(digest)),
          .questions = questions};
}

}  // namespace yardstick::tasks
