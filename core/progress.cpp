#include "core/progress.hpp"

#include <sys/ioctl.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"

namespace yardstick {
namespace {

constexpr std::chrono::milliseconds kRedraw{120};
constexpr std::chrono::seconds kPlain{5};

std::string format_rate(double rate) {
  if (rate >= 1e6) return fmt::format("{:.1f}M", rate / 1e6);
  if (rate >= 1e3) return fmt::format("{:.1f}k", rate / 1e3);
  return fmt::format("{:.0f}", rate);
}

std::string bar(double fraction) {
  constexpr int kWidth = 20;
  const int full =
      static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(kWidth)));
  return fmt::format("[{}{}]", std::string(full, '='), std::string(kWidth - full, ' '));
}

/// Cut at a character border; names are UTF-8.
std::string cut(const std::string& text, int columns) {
  if (columns <= 0 || count_code_points(text) <= columns) return text;
  std::string out;
  std::int64_t seen = 0;
  for (const char c : text) {
    const bool starts = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (starts && ++seen > columns) break;
    out += c;
  }
  return out;
}

int terminal_columns(std::FILE* stream) {
  struct winsize size {};
  const int descriptor = ::fileno(stream);
  if (descriptor < 0 || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

std::string format_duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::string format_progress(const ProgressState& state, double elapsed_seconds, int columns) {
  std::string line = fmt::format("{} {}/{} cells", bar(state.fraction), state.done, state.total);
  if (state.failed > 0) line += fmt::format(", {} failed", state.failed);
  if (state.tokens > 0 && elapsed_seconds > 0) {
    line += fmt::format(", {} tokens/s",
                        format_rate(static_cast<double>(state.tokens) / elapsed_seconds));
  }
  if (state.done < state.total && state.fraction > 0.01) {
    const double left = elapsed_seconds * (1.0 - state.fraction) / state.fraction;
    line += fmt::format(", {} left", format_duration(left));
  }
  if (!state.current.empty()) line += fmt::format(": {}", fmt::join(state.current, ", "));
  return cut(line, columns);
}

ProgressPrinter::ProgressPrinter(std::FILE* stream, Style style) : stream_(stream), style_(style) {}

void ProgressPrinter::show(const ProgressState& state) {
  const Clock::time_point now = Clock::now();
  const auto pause = style_ == Style::kRedrawnLine
                         ? std::chrono::duration_cast<Clock::duration>(kRedraw)
                         : std::chrono::duration_cast<Clock::duration>(kPlain);
  if (now - last_ < pause) return;
  last_ = now;
  print(state);
}

void ProgressPrinter::finish(const ProgressState& state) {
  print(state);
  if (style_ == Style::kRedrawnLine) std::fputs("\n", stream_);
  std::fflush(stream_);
}

void ProgressPrinter::print(const ProgressState& state) {
  // What is shown fails no work: a stream that cannot be written keeps its error flag.
  const auto write = [&](const std::string& text) { std::fputs(text.c_str(), stream_); };
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  if (style_ == Style::kRedrawnLine) {
    const int columns = terminal_columns(stream_) - 1;
    write("\r\x1b[K" + format_progress(state, elapsed.count(), columns));
  } else {
    write(format_progress(state, elapsed.count(), 0) + "\n");
  }
  std::fflush(stream_);
}

}  // namespace yardstick
