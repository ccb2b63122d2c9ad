// How far an engine's numbers are from stored ones.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/engine/engine.hpp"
#include "models/reference/reference.hpp"

namespace yardstick::models {

/// One number: row `position` of `sequence`, and a column (token id, or dimension).
struct Place {
  std::int64_t sequence = 0;
  std::int64_t position = 0;
  std::int64_t column = 0;
};

/// A difference is infinite where the engine's number is not finite.
struct LogitDifference {
  double worst = 0;                   ///< absolute
  Place place;                        ///< of the worst
  float found = 0;                    ///< there, by the engine
  float stored = 0;                   ///< there, in the reference
  double mean = 0;                    ///< absolute, over all logits
  std::optional<Place> first_beyond;  ///< at the least position that is beyond the tolerance
};

/// Means over all tokens but the first of each sequence, nats.
struct MeanLosses {
  double found = 0;
  double stored = 0;
  std::int64_t scored = 0;  ///< tokens
};

/// Relative to the root mean square of the stored row that holds the number: rows differ in size by
/// orders of magnitude (the first token's above all).
struct StateDifference {
  double worst = 0;
  Place place;
  /// The worst of first positions, where attention has one key, so that no rotation, bias or window
  /// has a say.
  double worst_at_start = 0;
  std::optional<Place> first_beyond;  ///< at the least position that is beyond the tolerance
};

struct Comparison {
  LogitDifference logits;
  std::optional<MeanLosses> losses;     ///< nothing without a sequence of two tokens
  std::vector<StateDifference> states;  ///< [L + 1], or empty where none are stored

  /// The first state with a number beyond the tolerance.
  [[nodiscard]] std::optional<std::int64_t> first_state_beyond() const;
  /// Whether no logit and no state is beyond the tolerance.
  [[nodiscard]] bool is_within() const;
};

/// Runs each sequence by itself. The reference fits the engine's model (check_fits). `tolerance` is
/// absolute on logits, relative as said above on states.
/// @throws Error as Engine::logits() does, and for stored numbers that are not finite
[[nodiscard]] Comparison compare(Engine& engine, const Reference& reference, double tolerance);

}  // namespace yardstick::models
