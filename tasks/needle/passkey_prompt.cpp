#include "tasks/needle/passkey_prompt.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/needle/fit.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::int64_t kStepCharacters = 128;  // YaRN's --length-step

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

Layout layout_of(const PasskeyTexts& texts, const std::string& before, const std::string& after) {
  Layout layout;
  layout.first_filler = texts.task.size() + 1;
  layout.needle = layout.first_filler + before.size() + 1;
  layout.second_filler = layout.needle + texts.needle.size() + 1;
  layout.question = layout.second_filler + after.size() + 1;
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

/// The filler on both sides of the needle, for each number of units in all.
struct Sides {
  std::function<std::int64_t(std::int64_t n)> before;
  std::function<std::string(std::int64_t count)> text;
};

PasskeyPrompt finish(const PasskeyTexts& texts, const Sides& sides, FittedText fitted) {
  PasskeyPrompt prompt{.text = std::move(fitted.text), .tokens = ids_of(fitted.spans)};
  prompt.before = sides.before(fitted.units);
  prompt.after = fitted.units - prompt.before;
  locate_needle(fitted.spans, layout_of(texts, sides.text(prompt.before), sides.text(prompt.after)),
                prompt);
  return prompt;
}

/// The first `count` characters (code points) of sentences joined by blanks for ever.
std::string filler_characters(const std::vector<std::string>& filler, std::int64_t count) {
  std::string round;
  for (const std::string& sentence : filler) round += sentence + ' ';
  const std::int64_t characters = count_code_points(round);
  std::string out;
  for (std::int64_t i = 0; i < count / characters; ++i) out += round;
  std::int64_t rest = count % characters;
  for (const char c : round) {
    const bool is_first_byte = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (is_first_byte && rest-- == 0) break;
    out += c;
  }
  return out;
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

std::variant<PasskeyPrompt, TooLong> fill_with_characters(const PasskeyTexts& texts, double share,
                                                          std::int64_t max_tokens,
                                                          const TextCodec& codec) {
  const Sides sides{
      .before =
          [&](std::int64_t n) {
            return static_cast<std::int64_t>(share * static_cast<double>(n + 1));
          },
      .text = [&](std::int64_t count) { return filler_characters(texts.filler, count); }};
  const auto compose = [&](std::int64_t steps) {
    const std::int64_t before = sides.before(steps * kStepCharacters);
    return join_lines(texts, sides.text(before), sides.text(steps * kStepCharacters - before));
  };
  const std::string sample = filler_characters(texts.filler, 16 * kStepCharacters);
  const std::int64_t sample_tokens = std::ssize(codec.encode(sample));
  std::variant<FittedText, std::int64_t> fitted =
      fit_text({.least = 0,
                .most = std::nullopt,
                .compose = compose,
                .tokens = [&](std::int64_t steps) { return steps * sample_tokens / 16; }},
               max_tokens, codec);
  if (const auto* const least = std::get_if<std::int64_t>(&fitted)) {
    return TooLong{.least_tokens = *least};
  }
  auto& text = std::get<FittedText>(fitted);
  text.units *= kStepCharacters;
  return finish(texts, sides, std::move(text));
}

PasskeySizer::PasskeySizer(const TextCodec& codec, const std::vector<std::string>& filler)
    : codec_(codec) {
  const auto round = static_cast<std::int64_t>(filler.size());
  UnitRun sentences(codec, [&](std::int64_t i) {
    return Unit{.body = filler[static_cast<std::size_t>(i % round)], .separator = " "};
  });
  // The second of two rounds is counted, where each sentence follows another one.
  const std::int64_t all = sentences.tokens(2 * round);
  const std::int64_t first = sentences.tokens(round);
  for (std::int64_t i = 0; i <= round; ++i) {
    cumulative_.push_back(sentences.tokens(round + i) - first);
  }
  if (all == first) {
    throw Error(ErrorKind::kData, "passkey: the model's tokenizer gives no tokens for the filler");
  }
}

std::int64_t PasskeySizer::filler_tokens(std::int64_t sentences) const {
  const std::int64_t round = std::ssize(cumulative_) - 1;
  return sentences / round * cumulative_.back() +
         cumulative_[static_cast<std::size_t>(sentences % round)];
}

std::int64_t PasskeySizer::sentences_before(const Placement& placement, std::int64_t n) const {
  if (placement.kind == Placement::Kind::kSentences) return std::min(placement.sentences, n);
  return static_cast<std::int64_t>(placement.share * static_cast<double>(n + 1));
}

Placement PasskeySizer::at_token(const PasskeyTexts& texts, std::int64_t token) const {
  const auto head = static_cast<std::int64_t>(codec_.encode(texts.task + "\n").size());
  const std::int64_t wanted = std::max<std::int64_t>(0, token - head);
  std::int64_t sentences = (std::ssize(cumulative_) - 1) * (wanted / cumulative_.back());
  while (filler_tokens(sentences + 1) <= wanted) ++sentences;
  const bool is_next_nearer =
      filler_tokens(sentences + 1) - wanted < wanted - filler_tokens(sentences);
  return {.kind = Placement::Kind::kSentences, .sentences = sentences + (is_next_nearer ? 1 : 0)};
}

std::variant<PasskeyPrompt, TooLong> PasskeySizer::fill(const PasskeyTexts& texts,
                                                        const Placement& placement,
                                                        std::int64_t max_tokens) const {
  const Sides sides{.before = [&](std::int64_t n) { return sentences_before(placement, n); },
                    .text = [&](std::int64_t count) { return filler_text(texts.filler, count); }};
  const auto compose = [&](std::int64_t before, std::int64_t after) {
    return join_lines(texts, sides.text(before), sides.text(after));
  };
  // What borders cost depends on which sides have filler: counted once for each case.
  std::array<std::array<std::optional<std::int64_t>, 2>, 2> borders;
  const auto expected = [&](std::int64_t n) {
    const std::int64_t before = sides.before(n);
    const std::int64_t first = std::min<std::int64_t>(before, 1);
    const std::int64_t second = std::min<std::int64_t>(n - before, 1);
    auto& cost = borders[static_cast<std::size_t>(first)][static_cast<std::size_t>(second)];
    if (!cost) {
      cost = std::ssize(codec_.encode(compose(first, second))) - filler_tokens(first) -
             filler_tokens(second);
    }
    return *cost + filler_tokens(before) + filler_tokens(n - before);
  };
  std::variant<FittedText, std::int64_t> fitted = fit_text(
      {.least = 1,
       .most = std::nullopt,
       .compose = [&](std::int64_t n) { return compose(sides.before(n), n - sides.before(n)); },
       .tokens = expected},
      max_tokens, codec_);
  if (const auto* const least = std::get_if<std::int64_t>(&fitted)) {
    return TooLong{.least_tokens = *least};
  }
  return finish(texts, sides, std::get<FittedText>(std::move(fitted)));
}

}  // namespace yardstick::tasks
