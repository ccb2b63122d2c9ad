// The size of a prompt: the most units of haystack that a length holds, found with a few counts of
// the model's own tokenizer, and proven by one.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/engine/request.hpp"

namespace yardstick::tasks {

/// A piece of haystack that is used whole: a word, a line, a document.
struct Unit {
  std::string body;
  std::string separator;  ///< stands between this unit and the next
  enum class End {
    kInner,     ///< more of the same sentence follows
    kBoundary,  ///< a sentence (a line, a document) ends here
  } end = End::kBoundary;
};

/// One sample's units, drawn and counted as far as they are asked for. Not thread-safe.
class UnitRun {
 public:
  /// `draw(i)` is called once for each i, in order.
  UnitRun(const TextCodec& codec, std::function<Unit(std::int64_t i)> draw);

  [[nodiscard]] const Unit& at(std::int64_t i);

  /// About how many tokens the first n units take: counted where each follows the one before it.
  [[nodiscard]] std::int64_t tokens(std::int64_t n);

 private:
  void draw_up_to(std::int64_t count);
  void count_up_to(std::int64_t count);

  const TextCodec& codec_;
  std::function<Unit(std::int64_t)> draw_;
  std::deque<Unit> units_;
  std::vector<std::int64_t> cumulative_{0};  // tokens of the first i units
};

/// A text that grows with the number of its units.
struct Growth {
  std::int64_t least = 1;            ///< units that it cannot do without
  std::optional<std::int64_t> most;  ///< units that there are; absent: they never end
  std::function<std::string(std::int64_t units)> compose;
  std::function<std::int64_t(std::int64_t units)> tokens;  ///< about; does not fall
};

struct FittedText {
  std::int64_t units = 0;
  std::string text;
  std::vector<TokenSpan> spans;  ///< encode_spans(text)
};

/// Why a prompt cannot be made.
struct Infeasible {
  std::string reason;
  std::optional<std::int64_t> needed_length = std::nullopt;  ///< with which it could be, in tokens
};

/// The text of most units that has at most `max_tokens` tokens: it was counted, and with one unit
/// more it is longer. If even `least` units are longer: their number of tokens.
[[nodiscard]] std::variant<FittedText, std::int64_t> fit_text(const Growth& growth,
                                                              std::int64_t max_tokens,
                                                              const TextCodec& codec);

/// fit_text() for a prompt that shares `length_tokens` with the window's prefix and `new_tokens` to
/// generate; infeasible with the length that the least units need.
[[nodiscard]] std::variant<FittedText, Infeasible> fit_prompt(const Growth& growth,
                                                              std::int64_t length_tokens,
                                                              std::int64_t new_tokens,
                                                              const TextCodec& codec);

/// "infeasible: needs >= 143 tokens, the length is 128"
[[nodiscard]] std::string too_long(std::int64_t needed_length, std::int64_t length_tokens);

/// Ids of spans.
[[nodiscard]] std::vector<TokenId> ids_of(const std::vector<TokenSpan>& spans);

}  // namespace yardstick::tasks
