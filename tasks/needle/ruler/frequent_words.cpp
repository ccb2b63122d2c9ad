// RULER's fwe: coded words whose frequencies fall as a power of their rank; which are the most
// frequent behind the dots?
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/needle/ruler/family.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 1;  // raise it when the same parameters would give other samples
constexpr std::size_t kAnswers = 3;
constexpr std::int64_t kPublishedTokensAWord =
    50;  // RULER's vocabulary: one word for so many tokens
constexpr std::string_view kDots = "...";
constexpr double kLeastAlpha = 1.1;            // zeta(1) is infinite: all words would be rare
constexpr double kMostAlpha = 5;               // rank 4 stands once in a text of 4^alpha words
constexpr std::int64_t kMostWordsAToken = 16;  // n counts words that are too rare to be there
constexpr std::int64_t kProbeWords = 256;  // words of the text from which a word's tokens are taken

struct Parameters {
  double alpha = 2.0;
  std::int64_t letters = 6;
  std::optional<std::int64_t> vocabulary;  ///< absent: strict, without bound; published, by length
};

/// Counts of the ranks 1, 2, ... in a text of n words: floor(n rank^-alpha / zeta(alpha)).
class ZetaCounts {
 public:
  explicit ZetaCounts(double alpha) : alpha_(alpha), zeta_(std::riemann_zeta(alpha)) {}

  [[nodiscard]] std::int64_t at(std::int64_t n, std::int64_t rank) const {
    return static_cast<std::int64_t>(static_cast<double>(n) *
                                     std::pow(static_cast<double>(rank), -alpha_) / zeta_);
  }

  /// True if the words asked for (ranks 2 to 4) are more frequent than any behind them, in an order
  /// that is beyond doubt.
  [[nodiscard]] bool is_clear(std::int64_t n) const {
    for (std::int64_t rank = 2; rank < 2 + static_cast<std::int64_t>(kAnswers); ++rank) {
      if (at(n, rank) <= at(n, rank + 1)) return false;
    }
    return true;
  }

  [[nodiscard]] std::int64_t least_clear() const {
    std::int64_t n = 1;
    while (!is_clear(n)) ++n;  // ends: the differences of the ranks grow with n
    return n;
  }

  /// The greatest clear size from least_clear() to `n`.
  [[nodiscard]] std::int64_t clear_at_most(std::int64_t n) const {
    while (!is_clear(n)) --n;
    return n;
  }

 private:
  double alpha_;
  double zeta_;
};

class FrequentWordsMaker final : public PromptMaker {
 public:
  FrequentWordsMaker(RulerSettings settings, Parameters parameters)
      : settings_(std::move(settings)), parameters_(parameters), counts_(parameters_.alpha) {}

  [[nodiscard]] std::string name() const override { return "ruler/" + settings_.task; }
  [[nodiscard]] std::string summary() const override {
    return fmt::format("RULER {} v{} ({}): coded words of {} letters, alpha {}", settings_.task,
                       kVersion, settings_.is_published() ? "as published" : "strict",
                       parameters_.letters, parameters_.alpha);
  }
  void describe(Fingerprint& fingerprint) const override {
    fingerprint.add("task.implementation", kVersion)
        .add("alpha", parameters_.alpha)
        .add("coded_wordlen", parameters_.letters)
        .add("vocab_size", parameters_.vocabulary.value_or(0));
    settings_.describe(fingerprint);
  }
  [[nodiscard]] MadePrompt make(const PromptKey& key, const TextCodec& codec) const override;

 private:
  [[nodiscard]] std::int64_t vocabulary(std::int64_t room) const;
  [[nodiscard]] std::int64_t words_used(std::int64_t n, std::int64_t vocabulary) const;

  RulerSettings settings_;
  Parameters parameters_;
  ZetaCounts counts_;
};

/// The coded words of one sample by rank, drawn as far as they are asked for; the first is dots.
class CodedWords {
 public:
  CodedWords(Random random, std::int64_t letters) : random_(random), letters_(letters) {}

  const std::string& at(std::int64_t rank) {
    while (std::ssize(words_) < rank) {
      std::string word;
      for (std::int64_t i = 0; i < letters_; ++i) {
        word += static_cast<char>('a' + static_cast<char>(random_.below(26)));
      }
      if (taken_.insert(word).second) words_.push_back(std::move(word));
    }
    return words_[static_cast<std::size_t>(rank - 1)];
  }

 private:
  Random random_;
  std::int64_t letters_;
  std::set<std::string> taken_;
  std::vector<std::string> words_{std::string(kDots)};
};

std::string question(const std::string& words) {
  return "Read the following coded text and track the frequency of each coded word. Find the three "
         "most frequently appeared coded words. " +
         words +
         "\nQuestion: Do not provide any explanation. Please ignore the dots '....'. What are the "
         "three most frequently appeared words in the above coded text? Answer: According to the "
         "coded text above, the three most frequently appeared words are:";
}

std::int64_t FrequentWordsMaker::vocabulary(std::int64_t room) const {
  if (parameters_.vocabulary) return *parameters_.vocabulary;
  const auto needed = static_cast<std::int64_t>(kAnswers) + 1;
  return settings_.is_published() ? std::max(room / kPublishedTokensAWord, needed)
                                  : std::max(room, needed);
}

// Ranks whose count is at least 1.
std::int64_t FrequentWordsMaker::words_used(std::int64_t n, std::int64_t vocabulary) const {
  std::int64_t low = 0;
  std::int64_t high = vocabulary + 1;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (counts_.at(n, middle) > 0 ? low : high) = middle;
  }
  return low;
}

MadePrompt FrequentWordsMaker::make(const PromptKey& key, const TextCodec& codec) const {
  CodedWords words(settings_.stream(key, "words"), parameters_.letters);
  AnsweredPrompt prompt;
  for (std::size_t i = 0; i < kAnswers; ++i) {
    prompt.answers.push_back(words.at(static_cast<std::int64_t>(i) + 2));
  }
  prompt.continuation = fmt::format(" {}", fmt::join(prompt.answers, " "));
  const auto budget = new_tokens(settings_.budget, prompt.continuation, codec);
  if (const auto* const infeasible = std::get_if<Infeasible>(&budget)) return *infeasible;
  prompt.max_new_tokens = std::get<std::int64_t>(budget);
  const std::int64_t room = key.length_tokens - prompt.max_new_tokens;
  const std::int64_t most_words = vocabulary(std::max<std::int64_t>(room, 1));

  const auto text = [&](std::int64_t n) {
    std::vector<std::string> list;
    const std::int64_t used = words_used(n, most_words);
    for (std::int64_t rank = 1; rank <= used; ++rank) {
      list.insert(list.end(), static_cast<std::size_t>(counts_.at(n, rank)), words.at(rank));
    }
    settings_.stream_of_length(key, "order").shuffle(std::span(list));
    return question(fmt::format("{}", fmt::join(list, " ")));
  };
  const std::int64_t fixed = std::ssize(codec.encode(question("")));
  const double tokens_a_word =
      static_cast<double>(std::ssize(codec.encode(text(kProbeWords))) - fixed) / kProbeWords;
  // A unit is one more in n; sizes at which the answer is in doubt are passed over.
  const std::int64_t least = counts_.least_clear();
  const Growth growth{
      .least = least,
      .most = least + kMostWordsAToken * std::max<std::int64_t>(room, 1),
      .compose = [&](std::int64_t n) { return text(counts_.clear_at_most(n)); },
      .tokens =
          [&](std::int64_t n) { return std::llround(tokens_a_word * static_cast<double>(n)); }};
  auto fitted = fit_prompt(growth, key.length_tokens, prompt.max_new_tokens, codec);
  if (const auto* const infeasible = std::get_if<Infeasible>(&fitted)) return *infeasible;
  auto& found = std::get<FittedText>(fitted);
  prompt.tokens = ids_of(found.spans);
  prompt.text = std::move(found.text);
  prompt.facts["haystack_units"] = counts_.clear_at_most(found.units);
  return prompt;
}

}  // namespace

std::unique_ptr<const PromptMaker> make_ruler_frequent_words(Fields& fields,
                                                             RulerSettings settings) {
  Parameters parameters;
  parameters.alpha =
      fields.optional_number("alpha", kLeastAlpha, kMostAlpha).value_or(parameters.alpha);
  parameters.letters = fields.optional_integer("coded_wordlen", 3, 64).value_or(parameters.letters);
  parameters.vocabulary = fields.optional_integer("vocab_size", 4, 1'000'000);
  return std::make_unique<FrequentWordsMaker>(std::move(settings), parameters);
}

}  // namespace yardstick::tasks
