#include "models/reference/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace yardstick::models {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double difference(float found, float stored) {
  return std::isfinite(found) ? std::abs(static_cast<double>(found) - static_cast<double>(stored))
                              : kInfinite;
}

/// -log of the probability that a row of logits gives a token.
double loss(std::span<const float> logits, TokenId token) {
  const auto most = static_cast<double>(*std::ranges::max_element(logits));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - most);
  return most + std::log(sum) - static_cast<double>(logits[static_cast<std::size_t>(token)]);
}

double root_mean_square(std::span<const float> row) {
  double sum = 0;
  for (const float value : row) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum / static_cast<double>(row.size()));
}

/// Sequences come one after another, so a later place may be at an earlier position.
void note_first(std::optional<Place>& first, const Place& place) {
  if (!first || place.position < first->position) first = place;
}

/// The differences of all sequences so far.
class Comparing {
 public:
  Comparing(Engine& engine, const Reference& reference, double tolerance)
      : engine_(engine), reference_(reference), tolerance_(tolerance) {
    out_.states.resize(reference.states.size());
  }

  void add(std::int64_t sequence) {
    const std::vector<TokenId>& tokens = reference_.sequences[static_cast<std::size_t>(sequence)];
    engine_.logits(tokens, [&](std::int64_t first, std::span<const float> found) {
      add_logits({sequence, first, 0}, found);
    });
    if (!reference_.states.empty()) {
      engine_.hidden_states(
          tokens, [&](std::int64_t state, std::int64_t first, std::span<const float> found) {
            add_states(state, {sequence, first, 0}, found);
          });
    }
    rows_before_ += std::ssize(tokens);
  }

  [[nodiscard]] Comparison finish() {
    out_.logits.mean = sum_ / static_cast<double>(rows_before_ * reference_.logits.shape[1]);
    if (losses_.scored > 0) {
      const auto count = static_cast<double>(losses_.scored);
      out_.losses = {losses_.found / count, losses_.stored / count, losses_.scored};
    }
    return std::move(out_);
  }

 private:
  /// Calls action(place of the row, found row, stored row) for rows from `first` on.
  template <typename Action>
  void for_rows(const checkpoint::TensorView& matrix, Place place, std::span<const float> found,
                const Action& action) const {
    const auto width = static_cast<std::size_t>(matrix.shape[1]);
    const std::vector<float> stored = stored_rows(matrix, rows_before_ + place.position,
                                                  static_cast<std::int64_t>(found.size() / width));
    for (std::size_t at = 0; at < found.size(); at += width) {
      action(place, found.subspan(at, width), std::span(stored).subspan(at, width));
      ++place.position;
    }
  }

  void add_logits(const Place& first, std::span<const float> rows) {
    for_rows(reference_.logits, first, rows,
             [&](Place place, std::span<const float> found, std::span<const float> stored) {
               for (std::size_t i = 0; i < found.size(); ++i) {
                 const double off = difference(found[i], stored[i]);
                 sum_ += off;
                 place.column = static_cast<std::int64_t>(i);
                 if (off > tolerance_) note_first(out_.logits.first_beyond, place);
                 if (off <= out_.logits.worst) continue;
                 out_.logits.worst = off;
                 out_.logits.place = place;
                 out_.logits.found = found[i];
                 out_.logits.stored = stored[i];
               }
               add_losses(place, found, stored);
             });
  }

  void add_losses(const Place& place, std::span<const float> found, std::span<const float> stored) {
    const auto& tokens = reference_.sequences[static_cast<std::size_t>(place.sequence)];
    const auto next = static_cast<std::size_t>(place.position + 1);
    if (next == tokens.size()) return;
    losses_.found += loss(found, tokens[next]);
    losses_.stored += loss(stored, tokens[next]);
    ++losses_.scored;
  }

  void add_states(std::int64_t state, const Place& first, std::span<const float> rows) {
    StateDifference& out = out_.states[static_cast<std::size_t>(state)];
    for_rows(reference_.states[static_cast<std::size_t>(state)], first, rows,
             [&](Place place, std::span<const float> found, std::span<const float> stored) {
               const double size = root_mean_square(stored);
               for (std::size_t i = 0; i < found.size(); ++i) {
                 const double off = difference(found[i], stored[i]);
                 const double relative = off == 0 ? 0 : off / size;  // infinite for a row of zeros
                 if (place.position == 0)
                   out.worst_at_start = std::max(out.worst_at_start, relative);
                 place.column = static_cast<std::int64_t>(i);
                 if (relative > tolerance_) note_first(out.first_beyond, place);
                 if (relative <= out.worst) continue;
                 out.worst = relative;
                 out.place = place;
               }
             });
  }

  Engine& engine_;
  const Reference& reference_;
  double tolerance_;
  Comparison out_;
  MeanLosses losses_;  // sums
  double sum_ = 0;     // of the logits' differences
  std::int64_t rows_before_ = 0;
};

}  // namespace

std::optional<std::int64_t> Comparison::first_state_beyond() const {
  const auto first = std::ranges::find_if(
      states, [](const StateDifference& state) { return state.first_beyond.has_value(); });
  if (first == states.end()) return std::nullopt;
  return first - states.begin();
}

bool Comparison::is_within() const { return !logits.first_beyond && !first_state_beyond(); }

Comparison compare(Engine& engine, const Reference& reference, double tolerance) {
  Comparing comparing(engine, reference, tolerance);
  for (std::int64_t i = 0; i < std::ssize(reference.sequences); ++i) comparing.add(i);
  return comparing.finish();
}

}  // namespace yardstick::models
