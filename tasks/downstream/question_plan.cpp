#include "tasks/downstream/question_plan.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/data/subset.hpp"
#include "tasks/downstream/excerpt.hpp"
#include "tasks/sample_score.hpp"

namespace yardstick::tasks {
namespace {

constexpr const char* kUnstretched = "unstretched";
constexpr std::size_t kExcerptBytes = 300;

// What a stretched prompt looks like, in little room: it can have a million tokens.
void add_prompt_excerpt(const Question& question, nlohmann::json& facts) {
  const std::string& prompt =
      question.contexts.empty() ? question.context : question.contexts.front();
  facts["prompt_head"] = beginning_of(prompt, kExcerptBytes);
  facts["prompt_tail"] = end_of(prompt, kExcerptBytes);
  facts["question_begins_at"] = question.question_begins_at;
}

std::string_view name_of(StretchBy by) {
  switch (by) {
    case StretchBy::kDistractors: return "distractors";
    case StretchBy::kFewshot: return "worked examples";
    case StretchBy::kHaystack: return "a haystack";
  }
  check(false, "every stretch has a name");
  return "";
}

std::string_view name_of(StretchPosition position) {
  switch (position) {
    case StretchPosition::kStart: return "in front";
    case StretchPosition::kMiddle: return "in the middle";
    case StretchPosition::kEnd: return "behind it";
  }
  check(false, "every position has a name");
  return "";
}

}  // namespace

std::int64_t longest_tokens(std::span<const Request> requests) {
  std::int64_t longest = 0;
  for (const Request& request : requests) {
    longest = std::max(longest, std::ssize(request.tokens) + request.max_new_tokens);
  }
  return longest;
}

QuestionPlan::QuestionPlan(std::shared_ptr<const QuestionSet> questions,
                           std::optional<Stretch> stretch,
                           std::optional<std::int64_t> max_length_tokens)
    : questions_(std::move(questions)),
      stretch_(std::move(stretch)),
      max_length_tokens_(max_length_tokens) {}

std::vector<CellAxes> QuestionPlan::cells(std::span<const std::int64_t> lengths) const {
  if (!stretch_) return {CellAxes{}};
  if (!stretch_->lengths.empty()) lengths = stretch_->lengths;
  if (lengths.empty()) {
    throw Error(ErrorKind::kConfig,
                "stretch has no lengths; give 'lengths' in it, in the task or in the suite");
  }
  std::vector<CellAxes> out = {CellAxes{.variant = kUnstretched}};
  for (const std::int64_t length : lengths) out.push_back(CellAxes{.length_tokens = length});
  return out;
}

void QuestionPlan::describe(Fingerprint& fingerprint) const {
  questions_->describe(fingerprint);
  fingerprint.add("num_fewshot", questions_->num_fewshot())
      .add("max_length", max_length_tokens_.value_or(0));
  if (!stretch_) return;
  stretch_->describe(fingerprint);
  // With examples of its own the question set has described their pool already.
  if (stretch_->by == StretchBy::kFewshot && questions_->num_fewshot() == 0) {
    questions_->describe_examples(fingerprint);
  }
}

std::string QuestionPlan::protocol() const {
  std::string out = fmt::format("{}-shot", questions_->num_fewshot());
  if (stretch_) {
    out += fmt::format(", stretched by {}, the question {}", name_of(stretch_->by),
                       name_of(stretch_->position));
  }
  return out;
}

BuiltSample QuestionPlan::make_sample(std::size_t i, const Setting& setting) const {
  Question question = questions_->question(i, setting.seed, questions_->num_fewshot());
  const std::string id = question.id;
  std::variant<Asked, std::string> asked = setting.ask(question);
  if (const auto* const reason = std::get_if<std::string>(&asked))
    return skipped_sample(id, *reason);
  nlohmann::json prompt = question.contexts.empty() ? nlohmann::json(question.context)
                                                    : nlohmann::json(question.contexts);
  nlohmann::json stretch;
  if (setting.stretcher != nullptr) {
    const auto size = [&](const Question& padded) {
      return longest_tokens(std::get<Asked>(setting.ask(padded)).requests);
    };
    auto filled = setting.stretcher->fill(i, setting.length_tokens, size);
    if (const auto* const reason = std::get_if<std::string>(&filled))
      return skipped_sample(id, *reason);
    question = std::move(std::get<StretchedQuestion>(filled).question);
    stretch = {{"units", std::get<StretchedQuestion>(filled).units}};
    asked = setting.ask(question);
  }
  auto& [requests, facts] = std::get<Asked>(asked);
  const std::int64_t tokens = longest_tokens(requests);
  if (max_length_tokens_ && tokens > *max_length_tokens_) {
    return skipped_sample(
        id, fmt::format("too long: the question takes {} tokens, max_length is {}", tokens,
                        *max_length_tokens_));
  }
  facts["prompt"] = std::move(prompt);
  facts["length_tokens"] = tokens;
  if (!stretch.is_null()) {
    facts["stretch"] = std::move(stretch);
    add_prompt_excerpt(question, facts);
  }
  if (!question.category.empty()) facts["category"] = question.category;
  return Sample{
      .id = id, .document_id = id, .requests = std::move(requests), .facts = std::move(facts)};
}

std::vector<std::size_t> QuestionPlan::chosen(const BuildContext& context) const {
  return choose_stratified(questions_->categories(), context.subset, context.seed,
                           "questions/limit");
}

std::vector<std::string> QuestionPlan::sample_ids(const BuildContext& context) const {
  std::vector<std::string> ids;
  for (const std::size_t i : chosen(context)) ids.push_back(questions_->id(i));
  return ids;
}

Task::Built QuestionPlan::build(const CellAxes& cell, const BuildContext& context,
                                const AskQuestion& ask) const {
  return build_part(cell, context, 0, questions_->size(), ask);
}

Task::Built QuestionPlan::build_part(const CellAxes& cell, const BuildContext& context,
                                     std::size_t first, std::size_t count,
                                     const AskQuestion& ask) const {
  const std::vector<std::size_t> all = chosen(context);
  const std::span<const std::size_t> part =
      std::span(all)
          .subspan(std::min(first, all.size()))
          .first(std::min(count, all.size() - std::min(first, all.size())));
  std::optional<Stretcher> stretcher;
  if (cell.length_tokens) stretcher.emplace(stretch_.value(), *questions_, context.seed);
  const Setting setting{.ask = ask,
                        .stretcher = stretcher ? &*stretcher : nullptr,
                        .length_tokens = cell.length_tokens.value_or(0),
                        .seed = context.seed};
  return build_each(part.size(),
                    [&](std::size_t index) { return make_sample(part[index], setting); });
}

QuestionPlan read_question_plan(Fields& fields, const TaskDefinition& definition, OutputType type) {
  std::optional<Stretch> stretch = read_stretch(fields, definition.base);
  const std::optional<std::int64_t> max_length = fields.optional_length("max_length");
  return {read_question_set(fields, definition, type), std::move(stretch), max_length};
}

}  // namespace yardstick::tasks
