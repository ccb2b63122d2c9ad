#include "tasks/needle/gold_task.hpp"

#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/needle/answered_prompt.hpp"
#include "tasks/needle/fit.hpp"
#include "tasks/needle/grid.hpp"
#include "tasks/sample_score.hpp"

namespace yardstick::tasks {
namespace {

std::variant<FittedText, Infeasible> counted_text(const GoldQuestion& question,
                                                  const GoldAsking& asking, std::int64_t count,
                                                  double depth, const TextCodec& codec) {
  if (count > question.most) {
    return Infeasible{fmt::format("the question has {} {}, this cell needs {}", question.most,
                                  asking.unit, count)};
  }
  FittedText text{
      .units = count, .text = question.prompt(count, gold_place(depth, count)), .spans = {}};
  text.spans = codec.encode_spans(text.text);
  return text;
}

std::variant<FittedText, Infeasible> filled_text(const GoldQuestion& question,
                                                 const GoldAsking& asking, std::int64_t length,
                                                 double depth, const TextCodec& codec) {
  if (question.least > question.most) {
    return Infeasible{fmt::format("the question has {} {}, a context needs {}", question.most,
                                  asking.unit, question.least)};
  }
  std::variant<FittedText, Infeasible> fitted = fit_prompt(
      {.least = question.least,
       .most = question.most,
       .compose = [&](std::int64_t n) { return question.prompt(n, gold_place(depth, n)); },
       .tokens = question.tokens},
      length, asking.max_new_tokens, codec);
  const auto* const text = std::get_if<FittedText>(&fitted);
  if (text != nullptr && text->units == question.most) {
    return Infeasible{fmt::format("all {} {} make a prompt of {} tokens only, the length is {}",
                                  question.most, asking.unit, text->spans.size(), length)};
  }
  return fitted;
}

}  // namespace

BuiltSample ask_for_gold(GoldQuestion question, const GoldAsking& asking, const GoldPlaces& places,
                         const CellAxes& cell, const TextCodec& codec) {
  check(cell.depth.has_value(), "the gold item has a place");
  const std::optional<std::int64_t> count = places.count(cell);
  std::variant<FittedText, Infeasible> made =
      count ? counted_text(question, asking, *count, *cell.depth, codec)
            : filled_text(question, asking, cell.length_tokens.value(), *cell.depth, codec);
  if (auto* const infeasible = std::get_if<Infeasible>(&made)) {
    return skipped_sample(question.id, std::move(infeasible->reason));
  }
  auto& text = std::get<FittedText>(made);
  const std::int64_t place = gold_place(*cell.depth, text.units);
  const std::size_t gold = text.text.find(question.gold(text.units, place));
  check(gold != std::string::npos, "a prompt holds its gold item");
  nlohmann::json& facts = question.facts;
  facts["depth"] = *cell.depth;
  facts["gold_place"] = place;
  facts["gold_token"] = std::ssize(codec.window_prefix()) + token_at(text.spans, gold);
  facts[std::string(asking.unit)] = text.units;
  if (cell.length_tokens) facts["target_tokens"] = *cell.length_tokens;
  Sample sample = make_answer_sample({.id = question.id,
                                      .document_id = question.id,
                                      .text = std::move(text.text),
                                      .tokens = ids_of(text.spans),
                                      .answers = std::move(question.answers),
                                      .continuation = std::move(question.continuation),
                                      .max_new_tokens = asking.max_new_tokens,
                                      .facts = std::move(facts)},
                                     codec);
  check_answer_fits(asking.kind, sample, asking.max_new_tokens);
  return sample;
}

}  // namespace yardstick::tasks
