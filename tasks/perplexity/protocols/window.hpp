// What a window of a token stream is, and what a protocol is: a rule that cuts a stream into them.
// Pure arithmetic on token indices, so that the protocols can be checked by counting.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash.hpp"
#include "models/engine/request.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Stream tokens [begin, end) behind the first `prefix` of the opening's ids; [score_from, end) are
/// scored.
struct Window {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t score_from = 0;  ///< index in the stream, begin <= score_from < end
  std::int64_t prefix = 0;

  bool operator==(const Window&) const = default;
};

struct Windows {
  std::vector<Window> windows;
  std::int64_t tokens_skipped = 0;  ///< stream tokens that no window holds

  bool operator==(const Windows&) const = default;
};

/// How many ids of `opening` stand before a window that begins at stream index `begin`: all, or
/// none where the stream has the last of them there already (a BOS is never doubled).
[[nodiscard]] std::int64_t opening_at(std::span<const TokenId> stream,
                                      std::span<const TokenId> opening, std::int64_t begin);

/// Windows in the order of their beginnings, with the tokens of a stream of `size` that none holds.
[[nodiscard]] Windows with_skipped(std::vector<Window> windows, std::int64_t size);

/// A named protocol with its parameters: what a stream's windows are, and what each scores.
/// Immutable.
class WindowProtocol {
 public:
  virtual ~WindowProtocol() = default;

  /// Its one name in keys of results, whichever of its names the suite uses.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// "disjoint windows, tail dropped": for the line that every table of the task carries.
  [[nodiscard]] virtual std::string text() const = 0;

  /// Adds the parameters that `variant` does not hold.
  virtual void describe(Fingerprint& fingerprint) const = 0;

  /// What the cells of these lengths (at least one, each 2 or more) depend on beside their own
  /// length; "" for nothing. @throws Error(kConfig) if the parameters do not fit the lengths.
  [[nodiscard]] virtual std::string variant(std::span<const std::int64_t> lengths) const;

  /// The ids that may open a window: by default what the model's BOS policy says.
  [[nodiscard]] virtual std::vector<TokenId> opening(const TextCodec& codec) const;

  /// Ids that stand in front of a document's own tokens and are windowed, and scored, as they are.
  [[nodiscard]] virtual std::vector<TokenId> text_prefix(const TextCodec& codec) const;

  [[nodiscard]] virtual Windows cut(std::span<const TokenId> stream,
                                    std::span<const TokenId> opening,
                                    const CellAxes& cell) const = 0;

  /// Tokens of the shortest stream that gives a window, if `opening` ids may open one.
  [[nodiscard]] virtual std::int64_t tokens_needed(std::int64_t opening,
                                                   const CellAxes& cell) const = 0;
};

}  // namespace yardstick::tasks
