// Stretching: the same question at a longer context. Unrelated text, a haystack or more worked
// examples are laid around it until the prompt has the target length in tokens; the question itself
// stays as it is. Works on text alone, whatever is asked of the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/fields.hpp"
#include "core/hash.hpp"
#include "tasks/downstream/padding.hpp"
#include "tasks/downstream/question_set.hpp"
#include "tasks/template/template.hpp"

namespace yardstick::tasks {

enum class StretchBy {
  kDistractors,  ///< passages of a file, or of the data set's other questions
  kFewshot,      ///< more worked examples
  kHaystack,     ///< the words of a text
};

/// Where the question stands among its padding. What comes last in the prompt (its last line, or
/// what follows the passage) stays last: an answer is asked for behind it.
enum class StretchPosition { kStart, kMiddle, kEnd };

/// How a task's questions are stretched; read from its key `stretch`. Immutable.
struct Stretch {
  StretchBy by = StretchBy::kHaystack;
  StretchPosition position = StretchPosition::kEnd;
  std::vector<std::int64_t> lengths;  ///< in place of the suite's, if not empty
  std::string separator;              ///< between padding and question, and between passages
  std::optional<Template> passage;    ///< the part of the context that the question is about
  std::vector<std::string> source;    ///< texts of the source file; empty: the data set's own

  void describe(Fingerprint& fingerprint) const;
};

/// Reads the mapping at `stretch`: {by, lengths, position, source, separator, passage}; nothing if
/// the key is absent. @throws Error(kConfig) with file:line:column; Error(kData) for the source.
[[nodiscard]] std::optional<Stretch> read_stretch(Fields& fields,
                                                  const std::filesystem::path& base);

/// The stretched form of one question.
struct StretchedQuestion {
  Question question;
  std::int64_t units = 0;   ///< passages, words or worked examples that were added
  std::int64_t tokens = 0;  ///< what `size` gave
};

/// Stretches the questions of one set. Immutable and thread-safe; `stretch` and `questions` outlive
/// it.
class Stretcher {
 public:
  /// Tokens that a question takes at most, with what is scored or generated behind it.
  using Size = std::function<std::int64_t(const Question&)>;

  Stretcher(const Stretch& stretch, const QuestionSet& questions, std::uint64_t seed);

  /// The i-th question with as many units as fit into `length` tokens: one more would not.
  /// Or why there is no such form: the question alone is longer (and how long), or the padding
  /// ends.
  /// @throws Error(kData) for a context that cannot be parted as `position` asks.
  [[nodiscard]] std::variant<StretchedQuestion, std::string> fill(std::size_t i,
                                                                  std::int64_t length,
                                                                  const Size& size) const;

 private:
  using Candidate = std::function<Question(std::size_t units)>;
  [[nodiscard]] std::variant<StretchedQuestion, std::string> search(const Candidate& candidate,
                                                                    std::size_t most,
                                                                    std::int64_t length,
                                                                    const Size& size) const;

  const Stretch& stretch_;
  const QuestionSet& questions_;
  std::uint64_t seed_;
  std::unique_ptr<const Padding> padding_;  ///< none for worked examples
};

}  // namespace yardstick::tasks
