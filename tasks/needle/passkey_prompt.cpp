#include "tasks/needle/passkey_prompt.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tasks {
namespace {

bool ends_sentence(char c) { return c == '.' || c == '!' || c == '?'; }

// Byte ranges of the parts in the text that join_lines makes.
struct Layout {
  std::size_t first_filler = 0;
  std::size_t needle = 0;
  std::size_t second_filler = 0;
  std::size_t question = 0;
};

std::string join_lines(const PasskeyTexts& texts, const std::string& before,
                       const std::string& after) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", texts.task, before, texts.needle, after, texts.question);
}

Layout layout_of(const PasskeyTexts& texts, std::int64_t before, std::int64_t after) {
  Layout layout;
  layout.first_filler = texts.task.size() + 1;
  layout.needle = layout.first_filler + filler_text(texts.filler, before).size() + 1;
  layout.second_filler = layout.needle + texts.needle.size() + 1;
  layout.question = layout.second_filler + filler_text(texts.filler, after).size() + 1;
  return layout;
}

void locate_needle(const std::vector<TokenSpan>& spans, const Layout& layout,
                   PasskeyPrompt& prompt) {
  std::int64_t first = 0;
  std::int64_t second = 0;
  prompt.needle_token = -1;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto begin = static_cast<std::size_t>(spans[i].begin);
    const auto end = static_cast<std::size_t>(spans[i].end);
    if (prompt.needle_token < 0 && end > layout.needle) {
      prompt.needle_token = static_cast<std::int64_t>(i);
    }
    if (begin >= layout.first_filler && end < layout.needle) ++first;
    if (begin >= layout.second_filler && end < layout.question) ++second;
  }
  prompt.depth =
      first + second == 0 ? 0.0 : static_cast<double>(first) / static_cast<double>(first + second);
}

}  // namespace

std::vector<std::string> split_sentences(std::string_view text) {
  std::vector<std::string> sentences;
  std::size_t begin = text.find_first_not_of(" \t\n");
  while (begin < text.size()) {
    std::size_t end = begin;
    while (end < text.size() &&
           !(ends_sentence(text[end]) && (end + 1 == text.size() || text[end + 1] == ' ' ||
                                          text[end + 1] == '\n' || text[end + 1] == '\t'))) {
      ++end;
    }
    end = std::min(end + 1, text.size());
    sentences.emplace_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(" \t\n", end);
  }
  return sentences;
}

std::string filler_text(const std::vector<std::string>& filler, std::int64_t count) {
  std::string out;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) out += ' ';
    out += filler[static_cast<std::size_t>(i) % filler.size()];
  }
  return out;
}

PasskeySizer::PasskeySizer(const TextCodec& codec, const std::vector<std::string>& filler)
    : codec_(codec) {
  // The second of two rounds is counted, where each sentence follows another one.
  const auto round = static_cast<std::int64_t>(filler.size());
  const std::string text = filler_text(filler, 2 * round);
  std::vector<std::size_t> ends;
  std::size_t end = filler_text(filler, round).size();
  cumulative_.push_back(0);
  for (const std::string& sentence : filler) {
    end += 1 + sentence.size();
    ends.push_back(end);
    cumulative_.push_back(0);
  }
  const std::size_t first_end = filler_text(filler, round).size();
  for (const TokenSpan& span : codec.encode_spans(text)) {
    const auto last_byte = static_cast<std::size_t>(span.end);
    if (last_byte <= first_end) continue;
    const auto place = std::lower_bound(ends.begin(), ends.end(), last_byte);
    cumulative_[static_cast<std::size_t>(place - ends.begin()) + 1] += 1;
  }
  for (std::size_t i = 1; i < cumulative_.size(); ++i) cumulative_[i] += cumulative_[i - 1];
  if (cumulative_.back() < 1) {
    throw Error(ErrorKind::kData, "passkey: the model's tokenizer gives no tokens for the filler");
  }
}

double PasskeySizer::filler_tokens(std::int64_t sentences) const {
  const auto round = static_cast<std::int64_t>(cumulative_.size()) - 1;
  return static_cast<double>(sentences / round) * cumulative_.back() +
         cumulative_[static_cast<std::size_t>(sentences % round)];
}

std::int64_t PasskeySizer::sentences_before(const Placement& placement, std::int64_t n) const {
  if (placement.kind == Placement::Kind::kSentences) return std::min(placement.sentences, n);
  return static_cast<std::int64_t>(placement.share * static_cast<double>(n + 1));
}

Placement PasskeySizer::at_token(const PasskeyTexts& texts, std::int64_t token) const {
  const auto head = static_cast<std::int64_t>(codec_.encode(texts.task + "\n").size());
  const auto wanted = static_cast<double>(std::max<std::int64_t>(0, token - head));
  const auto round = static_cast<std::int64_t>(cumulative_.size()) - 1;
  std::int64_t sentences = round * static_cast<std::int64_t>(wanted / cumulative_.back());
  while (filler_tokens(sentences + 1) <= wanted) ++sentences;
  const bool is_next_nearer =
      filler_tokens(sentences + 1) - wanted < wanted - filler_tokens(sentences);
  return {.kind = Placement::Kind::kSentences, .sentences = sentences + (is_next_nearer ? 1 : 0)};
}

PasskeySizer::Draft PasskeySizer::draft(const PasskeyTexts& texts, std::int64_t before,
                                        std::int64_t after) const {
  Draft draft{.before = before, .after = after};
  draft.text =
      join_lines(texts, filler_text(texts.filler, before), filler_text(texts.filler, after));
  draft.spans = codec_.encode_spans(draft.text);
  return draft;
}

PasskeySizer::Draft PasskeySizer::draft(const PasskeyTexts& texts, const Placement& placement,
                                        std::int64_t n) const {
  const std::int64_t before = sentences_before(placement, n);
  return draft(texts, before, n - before);
}

double PasskeySizer::overhead(const Draft& draft) const {
  return static_cast<double>(draft.spans.size()) - filler_tokens(draft.before) -
         filler_tokens(draft.after);
}

std::int64_t PasskeySizer::predict(const Placement& placement, double overhead,
                                   std::int64_t max_tokens) const {
  const auto room = static_cast<double>(max_tokens) - overhead;
  const auto fits = [&](std::int64_t n) {
    const std::int64_t before = sentences_before(placement, n);
    return filler_tokens(before) + filler_tokens(n - before) <= room;
  };
  const auto round = static_cast<std::int64_t>(cumulative_.size()) - 1;
  std::int64_t low = 0;  // fits, or nothing does
  std::int64_t high =    // does not fit: its whole rounds alone, in two parts, exceed the room
      (static_cast<std::int64_t>(std::max(room, 0.0) / cumulative_.back()) + 3) * round;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

std::int64_t PasskeySizer::least_tokens(const PasskeyTexts& texts,
                                        const Placement& placement) const {
  return std::ssize(draft(texts, placement, 1).spans);
}

std::optional<PasskeyPrompt> PasskeySizer::fill(const PasskeyTexts& texts,
                                                const Placement& placement,
                                                std::int64_t max_tokens) const {
  Draft best = draft(texts, placement, 1);
  if (std::ssize(best.spans) > max_tokens) return std::nullopt;
  std::int64_t next = predict(placement, overhead(best), max_tokens);
  {  // one sentence where `next` has some: the parts' borders cost what they will cost there
    const std::int64_t before = sentences_before(placement, next);
    const Draft borders =
        draft(texts, std::min<std::int64_t>(before, 1), std::min<std::int64_t>(next - before, 1));
    next = predict(placement, overhead(borders), max_tokens);
  }
  // A prediction is mostly right, but only a count proves it: `best` fits, `too_many` does not.
  std::optional<std::int64_t> too_many;
  while (!too_many || *too_many - best.sentences() > 1) {
    next = std::max(next, best.sentences() + 1);
    if (too_many) next = std::min(next, *too_many - 1);
    Draft tried = draft(texts, placement, next);
    next = predict(placement, overhead(tried), max_tokens);
    if (std::ssize(tried.spans) <= max_tokens) {
      best = std::move(tried);
    } else {
      too_many = tried.sentences();
    }
  }
  PasskeyPrompt prompt{.text = std::move(best.text), .before = best.before, .after = best.after};
  for (const TokenSpan& span : best.spans) prompt.tokens.push_back(span.id);
  locate_needle(best.spans, layout_of(texts, best.before, best.after), prompt);
  return prompt;
}

}  // namespace yardstick::tasks
