// Progress of a long command for people: one redrawn line on a terminal, a plain line every few
// seconds elsewhere. The caller says where it is written.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace yardstick {

struct ProgressState {
  std::int64_t done = 0;  ///< cells
  std::int64_t total = 0;
  std::int64_t failed = 0;           ///< of those done
  std::int64_t tokens = 0;           ///< computed since the start
  double fraction = 0;               ///< of the estimated work, 0 to 1
  std::vector<std::string> current;  ///< what is being computed
};

/// "[=====     ] 12/40 cells, 1 failed, 8.1k tokens/s, 2m10s left: a/passkey 512", cut to `columns`
/// characters (0 = not cut).
[[nodiscard]] std::string format_progress(const ProgressState& state, double elapsed_seconds,
                                          int columns);

/// 75 -> "1m15s".
[[nodiscard]] std::string format_duration(double seconds);

/// Writes progress to a stream, at most every so often. Not thread-safe.
class ProgressPrinter {
 public:
  enum class Style { kRedrawnLine, kPlainLines };

  ProgressPrinter(std::FILE* stream, Style style);

  void show(const ProgressState& state);
  /// The last state, always shown; ends a redrawn line.
  void finish(const ProgressState& state);

 private:
  void print(const ProgressState& state);

  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  Style style_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace yardstick
