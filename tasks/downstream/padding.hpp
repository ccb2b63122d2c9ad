// Unrelated text that a question can be padded with: passages, or a long text taken a word at a
// time, in an order that belongs to the question.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tasks {

/// Immutable and thread-safe.
class Padding {
 public:
  virtual ~Padding() = default;

  /// At most `most` units for the question `id`. The same for every length: fewer units are the
  /// first of more. `own` is the question's own text, which is never among them:
  /// no passage, but for white space, is equal to it, holds it or is part of it.
  [[nodiscard]] virtual std::vector<std::string> units(std::string_view id, std::string_view own,
                                                       std::uint64_t seed,
                                                       std::size_t most) const = 0;

  /// What stands between two units; nothing for words, which bring their own white space.
  [[nodiscard]] virtual std::string_view glue() const = 0;
};

/// Passages in random order, each once; those equal but for white space count as one, empty ones
/// are left out.
[[nodiscard]] std::unique_ptr<const Padding> passage_padding(std::vector<std::string> passages,
                                                             std::string separator);

/// The words of `text` in order, from a random one on; behind its last word it goes on with the
/// first. @throws Error(kData) if the text holds no word.
[[nodiscard]] std::unique_ptr<const Padding> text_padding(std::string text);

}  // namespace yardstick::tasks
