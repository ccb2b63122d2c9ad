#include "models/train/small_world/windows.hpp"

#include <fmt/format.h>

#include "models/train/small_world/document.hpp"
#include "models/train/small_world/lexicon.hpp"
#include "models/train/small_world/passkey.hpp"
#include "models/train/small_world/sentence.hpp"

namespace yardstick::small_world {
namespace {

constexpr double kListShare = 0.25;
constexpr double kQuestionShare = 0.35;
constexpr double kPasskeyShare = 0.25;
constexpr std::int64_t kLongDocumentTokens = 2300;

std::string text_of(const DocumentStyle& style, Random& random) {
  const std::vector<Sentence> sentences = make_document(style, random);
  return join_sentences(sentences, 0, sentences.size());
}

/// A piece of a long document that begins at any sentence.
TextWindow narrative_window(std::int64_t tokens, Random& random) {
  const std::int64_t begin_token = random.between(0, kLongDocumentTokens - tokens);
  const std::vector<Sentence> sentences =
      make_document(narrative_style(begin_token + 2 * tokens), random);
  std::size_t begin = 0;
  for (std::int64_t position = 0; position < begin_token; ++begin) {
    position += sentences[begin].tokens;
  }
  return {.kind = WindowKind::kNarrative,
          .text = join_sentences(sentences, begin, sentences.size())};
}

/// A prompt that fills the window, or (two times in five) a shorter one followed by a document.
TextWindow passkey_window(std::int64_t tokens, Random& random) {
  const std::int64_t longest = tokens - 1;
  const std::int64_t shortest = std::min(shortest_passkey_prompt(), longest);
  const bool fills = random.uniform() < 0.6;
  const std::int64_t size = fills ? longest : random.between(shortest, longest);
  const bool ragged = random.uniform() < 0.3;
  const PasskeyPrompt prompt =
      ragged ? make_ragged_passkey_prompt(size, random) : make_passkey_prompt(size, random);
  TextWindow window{.kind = WindowKind::kPasskey,
                    .text = fmt::format("{} {}.{}", prompt.text, prompt.key, kEndOfText),
                    .prompt_tokens = prompt.tokens,
                    .key = prompt.key};
  window.text += text_of(question_style(tokens, random), random);
  return window;
}

}  // namespace

TextWindow make_window(std::uint64_t seed, std::uint64_t index, std::int64_t tokens) {
  Random random(seed, "small world/window", index);
  const double kind = random.uniform();
  const bool has_room = tokens > shortest_passkey_prompt();
  if (kind < kPasskeyShare && has_room) return passkey_window(tokens, random);
  if (kind < kPasskeyShare + kListShare) {
    return {.kind = WindowKind::kLists, .text = text_of(list_style(tokens, random), random)};
  }
  if (kind < kPasskeyShare + kListShare + kQuestionShare) {
    return {.kind = WindowKind::kQuestions,
            .text = text_of(question_style(tokens, random), random)};
  }
  return narrative_window(tokens, random);
}

TextWindow make_passkey_window(std::uint64_t seed, std::uint64_t index, std::int64_t tokens) {
  Random random(seed, "small world/pass-key check", index);
  const PasskeyPrompt prompt = make_passkey_prompt(tokens - 1, random);
  return {.kind = WindowKind::kPasskey,
          .text = fmt::format("{} {}", prompt.text, prompt.key),
          .prompt_tokens = prompt.tokens,
          .key = prompt.key};
}

}  // namespace yardstick::small_world
