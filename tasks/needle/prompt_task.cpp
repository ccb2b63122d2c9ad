#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/build_each.hpp"
#include "tasks/data/subset.hpp"
#include "tasks/needle/grid.hpp"
#include "tasks/needle/prompt_maker.hpp"
#include "tasks/sample_score.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::int64_t kBudgetStep = 8;
constexpr int kMostLengths = 16;

class PromptTask final : public Task {
 public:
  PromptTask(PromptTaskSettings settings, std::unique_ptr<const PromptMaker> maker)
      : settings_(std::move(settings)), maker_(std::move(maker)) {}

  [[nodiscard]] std::string_view kind() const override { return settings_.kind; }

  [[nodiscard]] std::string protocol() const override {
    return fmt::format("{}; {} samples a cell, greedy; {}", maker_->summary(), settings_.samples,
                       settings_.headline);
  }

  [[nodiscard]] Headline headline() const override {
    return {.metric = settings_.headline, .better = Headline::Better::kHigher};
  }

  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override {
    if (!settings_.lengths.empty()) lengths = settings_.lengths;
    return grid_cells(lengths, settings_.depths);
  }

  void describe(Fingerprint& fingerprint) const override {
    fingerprint.add("task.kind", kind()).add("samples", settings_.samples);
    maker_->describe(fingerprint);
  }

  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override {
    check(cell.length_tokens.has_value(), "a needle cell has a length");
    const std::vector<std::size_t> chosen = choose_subset(
        static_cast<std::size_t>(settings_.samples), context.subset, context.seed, maker_->name());
    return build_each(chosen.size(), [&](std::size_t i) {
      return make_sample({.length_tokens = *cell.length_tokens,
                          .depth = cell.depth,
                          .seed = context.seed,
                          .index = static_cast<std::int64_t>(chosen[i])},
                         context.codec);
    });
  }

  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& codec) const override {
    return score_answer(sample, responses, codec, maker_->needed());
  }

  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t /*seed*/) const override {
    return summarize_answers(scores);
  }

 private:
  [[nodiscard]] BuiltSample make_sample(const PromptKey& key, const TextCodec& codec) const {
    const std::string id = fmt::format("{}/{:04}", maker_->name(), key.index);
    MadePrompt made = maker_->make(key, codec);
    if (const auto* const infeasible = std::get_if<Infeasible>(&made)) {
      return skipped_sample(id, reason_of(*infeasible, key, codec));
    }
    auto prompt = std::get<AnsweredPrompt>(std::move(made));
    prompt.id = id;
    prompt.document_id = id;
    prompt.facts["target_tokens"] = key.length_tokens;
    prompt.facts["max_new_tokens"] = prompt.max_new_tokens;
    return make_answer_sample(std::move(prompt), codec);
  }

  // At another length the sample may get another haystack, so the length that is named is tried.
  [[nodiscard]] std::string reason_of(const Infeasible& infeasible, PromptKey key,
                                      const TextCodec& codec) const {
    if (!infeasible.needed_length) return infeasible.reason;
    const std::int64_t asked = key.length_tokens;
    key.length_tokens = *infeasible.needed_length;
    for (int i = 0; i < kMostLengths; ++i) {
      const MadePrompt made = maker_->make(key, codec);
      const auto* const still = std::get_if<Infeasible>(&made);
      if (still == nullptr || !still->needed_length) break;
      key.length_tokens = *still->needed_length;
    }
    return too_long(key.length_tokens, asked);
  }

  PromptTaskSettings settings_;
  std::unique_ptr<const PromptMaker> maker_;
};

}  // namespace

std::unique_ptr<const Task> make_prompt_task(PromptTaskSettings settings,
                                             std::unique_ptr<const PromptMaker> maker) {
  return std::make_unique<PromptTask>(std::move(settings), std::move(maker));
}

std::variant<std::int64_t, Infeasible> new_tokens(const AnswerBudget& budget,
                                                  std::string_view continuation,
                                                  const TextCodec& codec) {
  const std::int64_t answer = std::ssize(codec.encode(continuation));
  if (!budget.fixed) {
    return std::max(budget.at_least, (answer / kBudgetStep + 2) * kBudgetStep);
  }
  if (answer > *budget.fixed) {
    return Infeasible{.reason =
                          fmt::format("infeasible: the right answer has {} tokens, {} are to be "
                                      "generated; raise the number of new tokens",
                                      answer, *budget.fixed)};
  }
  return *budget.fixed;
}

}  // namespace yardstick::tasks
