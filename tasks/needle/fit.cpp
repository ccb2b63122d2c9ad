#include "tasks/needle/fit.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace yardstick::tasks {
namespace {

constexpr int kPredictions = 6;  // then the search halves, so that no text can make it long

/// The most units, from `from` on, that would fit if what the units do not explain stayed the same.
std::int64_t predict(const Growth& growth, const FittedText& tried, std::int64_t max_tokens,
                     std::int64_t last) {
  const std::int64_t room = max_tokens - (std::ssize(tried.spans) - growth.tokens(tried.units));
  if (growth.tokens(growth.least) > room) return growth.least;
  std::int64_t low = growth.least;
  std::int64_t step = 1;
  while (low + step <= last && growth.tokens(low + step) <= room) {
    low += step;
    step *= 2;
  }
  std::int64_t high = std::min(low + step, last + 1);
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (growth.tokens(middle) <= room ? low : high) = middle;
  }
  return low;
}

}  // namespace

UnitRun::UnitRun(const TextCodec& codec, std::function<Unit(std::int64_t)> draw)
    : codec_(codec), draw_(std::move(draw)) {}

const Unit& UnitRun::at(std::int64_t i) {
  draw_up_to(i + 1);
  return units_[static_cast<std::size_t>(i)];
}

std::int64_t UnitRun::tokens(std::int64_t n) {
  count_up_to(n);
  return cumulative_[static_cast<std::size_t>(n)];
}

void UnitRun::draw_up_to(std::int64_t count) {
  while (std::ssize(units_) < count) units_.push_back(draw_(std::ssize(units_)));
}

void UnitRun::count_up_to(std::int64_t count) {
  const std::int64_t counted = std::ssize(cumulative_) - 1;
  if (count <= counted) return;
  draw_up_to(count);
  // The unit before the new ones stands in front of them, as it will in the prompt.
  const std::int64_t first = std::max<std::int64_t>(counted - 1, 0);
  std::string text;
  std::vector<std::int64_t> ends;
  for (std::int64_t i = first; i < count; ++i) {
    const Unit& unit = units_[static_cast<std::size_t>(i)];
    text += unit.body;
    ends.push_back(std::ssize(text));
    if (i + 1 < count) text += unit.separator;
  }
  std::vector<std::int64_t> counts(ends.size(), 0);
  std::size_t at = 0;
  for (const TokenSpan& span : codec_.encode_spans(text)) {
    while (at + 1 < ends.size() && span.end > ends[at]) ++at;
    ++counts[at];
  }
  for (std::int64_t i = counted; i < count; ++i) {
    cumulative_.push_back(cumulative_.back() + counts[static_cast<std::size_t>(i - first)]);
  }
}

std::variant<FittedText, std::int64_t> fit_text(const Growth& growth, std::int64_t max_tokens,
                                                const TextCodec& codec) {
  const auto compose = [&](std::int64_t units) {
    FittedText text{.units = units, .text = growth.compose(units), .spans = {}};
    text.spans = codec.encode_spans(text.text);
    return text;
  };
  FittedText best = compose(growth.least);
  if (std::ssize(best.spans) > max_tokens) return std::ssize(best.spans);
  // No unit is free, so more units than tokens never fit.
  const std::int64_t last = growth.most.value_or(growth.least + max_tokens);
  std::int64_t too_many = last + 1;
  std::int64_t next = predict(growth, best, max_tokens, last);
  for (int tries = 0; too_many - best.units > 1; ++tries) {
    if (tries >= kPredictions) next = best.units + (too_many - best.units) / 2;
    FittedText tried = compose(std::clamp(next, best.units + 1, too_many - 1));
    next = predict(growth, tried, max_tokens, last);
    if (std::ssize(tried.spans) <= max_tokens) {
      best = std::move(tried);
    } else {
      too_many = tried.units;
    }
  }
  return best;
}

std::string too_long(std::int64_t needed_length, std::int64_t length_tokens) {
  return fmt::format("infeasible: needs >= {} tokens, the length is {}", needed_length,
                     length_tokens);
}

std::variant<FittedText, Infeasible> fit_prompt(const Growth& growth, std::int64_t length_tokens,
                                                std::int64_t new_tokens, const TextCodec& codec) {
  const std::int64_t around = std::ssize(codec.window_prefix()) + new_tokens;
  std::variant<FittedText, std::int64_t> fitted = fit_text(growth, length_tokens - around, codec);
  if (const auto* least = std::get_if<std::int64_t>(&fitted)) {
    return Infeasible{.reason = too_long(*least + around, length_tokens),
                      .needed_length = *least + around};
  }
  return std::get<FittedText>(std::move(fitted));
}

std::vector<TokenId> ids_of(const std::vector<TokenSpan>& spans) {
  std::vector<TokenId> ids;
  ids.reserve(spans.size());
  for (const TokenSpan& span : spans) ids.push_back(span.id);
  return ids;
}

}  // namespace yardstick::tasks
