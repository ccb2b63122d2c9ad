// RULER's cwe: a numbered list of words in which a few are common; which ones?
#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/needle/needle_parts.hpp"
#include "tasks/needle/ruler/family.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 1;  // raise it when the same parameters would give other samples
constexpr std::int64_t kShortLength = 4096;  // below it RULER has other frequencies

/// How often the words of a list stand in it.
struct Frequencies {
  std::int64_t common = 0;
  std::int64_t uncommon = 0;
};

struct Example {
  std::int64_t words = 0;
  Frequencies frequencies;
};

constexpr std::int64_t kMostCommonWords = 19;  // the short example has 20 words
constexpr Frequencies kPublished = {.common = 30, .uncommon = 3};
constexpr Frequencies kPublishedShort = {.common = 6, .uncommon = 1};
constexpr Example kLongExample = {.words = 40, .frequencies = {.common = 10, .uncommon = 3}};
constexpr Example kShortExample = {.words = 20, .frequencies = {.common = 3, .uncommon = 1}};

struct Parameters {
  Frequencies frequencies;
  std::int64_t common_words = 10;
  std::int64_t examples = 1;
};

class CommonWordsMaker final : public PromptMaker {
 public:
  CommonWordsMaker(RulerSettings settings, Parameters parameters)
      : settings_(std::move(settings)),
        parameters_(parameters),
        singles_(settings_.words ? *settings_.words : WordPool::singles()),
        pairs_(settings_.words ? *settings_.words : WordPool::pairs()) {}

  [[nodiscard]] std::string name() const override { return "ruler/" + settings_.task; }
  [[nodiscard]] std::string summary() const override {
    return fmt::format(
        "RULER {} v{} ({}): {} words {} times, the others {} times{}, {} worked "
        "example",
        settings_.task, kVersion, settings_.is_published() ? "as published" : "strict",
        parameters_.common_words, parameters_.frequencies.common, parameters_.frequencies.uncommon,
        settings_.is_published() ? " (6 and 1 below 4096 tokens)" : "", parameters_.examples);
  }
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] MadePrompt make(const PromptKey& key, const TextCodec& codec) const override;

 private:
  [[nodiscard]] bool is_short(const PromptKey& key) const {
    return settings_.is_published() && key.length_tokens < kShortLength;
  }
  [[nodiscard]] const Example& example_form(const PromptKey& key) const {
    return settings_.is_published() && !is_short(key) ? kLongExample : kShortExample;
  }
  [[nodiscard]] std::string question(const std::string& words) const;
  [[nodiscard]] std::string example(const PromptKey& key, std::span<const std::string> words) const;

  RulerSettings settings_;
  Parameters parameters_;
  WordPool singles_;
  WordPool pairs_;
};

void CommonWordsMaker::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.implementation", kVersion)
      .add("freq_cw", parameters_.frequencies.common)
      .add("freq_ucw", parameters_.frequencies.uncommon)
      .add("num_cw", parameters_.common_words)
      .add("num_fewshot", parameters_.examples);
  settings_.describe(fingerprint);
  singles_.describe(fingerprint);
  pairs_.describe(fingerprint);
}

std::string number_words(std::span<const std::string> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += fmt::format("{}{}. {}", i == 0 ? "" : " ", i + 1, words[i]);
  }
  return out;
}

/// The list in which the first `common` of `words` are the common ones.
std::string word_list(std::span<const std::string> words, std::int64_t common,
                      const Frequencies& frequencies, Random random) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_common = static_cast<std::int64_t>(i) < common;
    list.insert(list.end(),
                static_cast<std::size_t>(is_common ? frequencies.common : frequencies.uncommon),
                words[i]);
  }
  random.shuffle(std::span(list));
  return number_words(list);
}

std::string CommonWordsMaker::question(const std::string& words) const {
  return fmt::format(
      "Below is a numbered list of words. In these words, some appear more often than others. "
      "Memorize the ones that appear most often.\n{0}\nQuestion: What are the {1} most common "
      "words "
      "in the above list? Answer: The top {1} words that appear most often in the list are:",
      words, parameters_.common_words);
}

std::string CommonWordsMaker::example(const PromptKey& key,
                                      std::span<const std::string> words) const {
  const std::string list = word_list(words, parameters_.common_words, example_form(key).frequencies,
                                     settings_.stream(key, "example order"));
  return question(list) + " " +
         number_words(words.first(static_cast<std::size_t>(parameters_.common_words))) + "\n";
}

/// One sample's words in the order of its own permutation of a pool, without those that hold one of
/// the first `guarded` or are part of one: no common word stands inside another word.
class WordOrder {
 public:
  WordOrder(const WordPool& pool, Random random, std::int64_t guarded)
      : pool_(pool), guarded_(static_cast<std::size_t>(guarded)), order_(pool.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    random.shuffle(std::span(order_));
  }

  /// How many there are surely: few are left out.
  [[nodiscard]] std::int64_t size() const {
    return static_cast<std::int64_t>(order_.size()) * 3 / 4;
  }

  /// @throws Error(kConfig) if so many words hold each other that there are not so many.
  std::span<const std::string> first(std::int64_t count) {
    while (std::ssize(words_) < count) {
      if (next_ == order_.size()) {
        throw Error(ErrorKind::kConfig,
                    fmt::format("cwe: of the {} words of the list, only {} neither hold a common "
                                "word nor stand in one; name a longer list with `words`",
                                order_.size(), words_.size()));
      }
      std::string word = pool_.at(order_[next_++]);
      if (is_free(word)) words_.push_back(std::move(word));
    }
    return {words_.data(), static_cast<std::size_t>(count)};
  }

 private:
  [[nodiscard]] bool is_free(const std::string& word) const {
    const auto end =
        words_.begin() +
        std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(guarded_), std::ssize(words_));
    return std::none_of(words_.begin(), end, [&](const std::string& other) {
      return other.find(word) != std::string::npos || word.find(other) != std::string::npos;
    });
  }

  const WordPool& pool_;
  std::size_t guarded_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
  std::vector<std::string> words_;
};

MadePrompt CommonWordsMaker::make(const PromptKey& key, const TextCodec& codec) const {
  const Frequencies frequencies = is_short(key) ? kPublishedShort : parameters_.frequencies;
  const std::int64_t common = parameters_.common_words;
  const std::int64_t shown = example_form(key).words;
  const std::int64_t guarded = shown + common;
  WordOrder pairs(pairs_, settings_.stream(key, "words"), guarded);
  WordOrder singles(singles_, settings_.stream(key, "words"), guarded);
  // Published, single words as long as there are enough; strict, pairs at every length.
  const auto words = [&](std::int64_t count) {
    const bool has_singles = settings_.is_published() && count <= singles.size();
    return (has_singles ? singles : pairs).first(count);
  };
  const auto list = [&](std::int64_t count) {
    return words(shown + count).subspan(static_cast<std::size_t>(shown));
  };
  UnitRun run(codec, [&](std::int64_t i) {
    const auto times =
        static_cast<std::size_t>(i < common ? frequencies.common : frequencies.uncommon);
    return Unit{.body = number_words(std::vector<std::string>(times, list(i + 1).back())),
                .separator = " "};
  });

  const std::span<const std::string> answers =
      list(common + 1).first(static_cast<std::size_t>(common));
  AnsweredPrompt prompt;
  prompt.answers.assign(answers.begin(), answers.end());
  prompt.continuation = fmt::format(" {}", number_words(prompt.answers));
  const auto budget = new_tokens(settings_.budget, prompt.continuation, codec);
  if (const auto* const infeasible = std::get_if<Infeasible>(&budget)) return *infeasible;
  prompt.max_new_tokens = std::get<std::int64_t>(budget);

  const std::int64_t most = std::max(pairs.size(), singles.size()) - shown;
  const std::string head = parameters_.examples > 0 ? example(key, words(shown)) : "";
  const Growth growth{.least = common + 1,
                      .most = most,
                      .compose =
                          [&](std::int64_t n) {
                            return head +
                                   question(word_list(list(n), common, frequencies,
                                                      settings_.stream_of_length(key, "order")));
                          },
                      .tokens = [&](std::int64_t n) { return run.tokens(n); }};
  auto fitted = fit_prompt(growth, key.length_tokens, prompt.max_new_tokens, codec);
  if (const auto* const infeasible = std::get_if<Infeasible>(&fitted)) return *infeasible;
  auto& text = std::get<FittedText>(fitted);
  if (text.units == most) {
    return Infeasible{
        .reason = fmt::format("infeasible: {} words make {} tokens, the length is {}; name a "
                              "longer list with `words`",
                              most, text.spans.size(), key.length_tokens)};
  }
  prompt.tokens = ids_of(text.spans);
  prompt.text = std::move(text.text);
  prompt.facts["haystack_units"] = text.units;
  return prompt;
}

}  // namespace

std::unique_ptr<const PromptMaker> make_ruler_common_words(Fields& fields, RulerSettings settings) {
  Parameters parameters;
  parameters.frequencies = settings.is_published() ? kPublished : kPublishedShort;
  const auto count = [&](std::string_view key, std::int64_t fallback) {
    return fields.optional_integer(key, 1, 10'000).value_or(fallback);
  };
  parameters.frequencies.common = count("freq_cw", parameters.frequencies.common);
  parameters.frequencies.uncommon = count("freq_ucw", parameters.frequencies.uncommon);
  if (parameters.frequencies.common <= parameters.frequencies.uncommon) {
    throw fields.error("freq_cw",
                       fmt::format("the common words stand {} times, the others {} "
                                   "times; expected more",
                                   parameters.frequencies.common, parameters.frequencies.uncommon));
  }
  parameters.common_words =
      fields.optional_integer("num_cw", 1, kMostCommonWords).value_or(parameters.common_words);
  parameters.examples = fields.optional_integer("num_fewshot", 0, 1).value_or(parameters.examples);
  return std::make_unique<CommonWordsMaker>(std::move(settings), parameters);
}

}  // namespace yardstick::tasks
