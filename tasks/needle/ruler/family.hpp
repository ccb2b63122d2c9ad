// RULER's 13 tasks are five families of prompts (Hsieh et al. 2024, arXiv 2404.06654); parameters,
// prompt texts and metrics are those of its repository, NVIDIA/RULER at c3f5e3b.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/fields.hpp"
#include "core/random.hpp"
#include "tasks/needle/prompt_maker.hpp"
#include "tasks/needle/words.hpp"

namespace yardstick::tasks {

enum class RulerPreset {
  kStrict,     ///< the same form and difficulty at every length, sizes and depths exact
  kPublished,  ///< RULER's texts, budgets and choices as they are
};

/// What all families are given.
struct RulerSettings {
  std::string task;  ///< "niah_single_1"
  RulerPreset preset = RulerPreset::kStrict;
  AnswerBudget budget;
  std::optional<WordPool> words;  ///< of the file that `words` names
  std::filesystem::path base;     ///< of relative paths

  [[nodiscard]] bool is_published() const { return preset == RulerPreset::kPublished; }

  /// The stream of one purpose for one sample; with the length, another one at each length.
  [[nodiscard]] Random stream(const PromptKey& key, std::string_view purpose) const;
  [[nodiscard]] Random stream_of_length(const PromptKey& key, std::string_view purpose) const;

  void describe(Fingerprint& fingerprint) const;
};

/// RULER's tokens_to_generate.
inline constexpr std::int64_t kNiahTokens = 128;
inline constexpr std::int64_t kTrackingTokens = 30;
inline constexpr std::int64_t kCommonWordsTokens = 120;
inline constexpr std::int64_t kFrequentWordsTokens = 50;
inline constexpr std::int64_t kQaTokens = 32;

/// Each reads the family's own keys from `fields`.
[[nodiscard]] std::unique_ptr<const PromptMaker> make_ruler_niah(Fields& fields,
                                                                 RulerSettings settings);
[[nodiscard]] std::unique_ptr<const PromptMaker> make_ruler_tracking(Fields& fields,
                                                                     RulerSettings settings);
[[nodiscard]] std::unique_ptr<const PromptMaker> make_ruler_common_words(Fields& fields,
                                                                         RulerSettings settings);
[[nodiscard]] std::unique_ptr<const PromptMaker> make_ruler_frequent_words(Fields& fields,
                                                                           RulerSettings settings);

/// The maker and the number of its questions.
struct QaMaker {
  std::unique_ptr<const PromptMaker> maker;
  std::int64_t questions = 0;
};
[[nodiscard]] QaMaker make_ruler_qa(Fields& fields, RulerSettings settings);

}  // namespace yardstick::tasks
