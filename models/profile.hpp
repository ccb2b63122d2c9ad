// Where the time of forward passes goes. Free of torch.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace yardstick::models {

enum class Work : std::uint8_t { kProducts, kAttention, kVocabulary, kOther };
inline constexpr std::size_t kWorkKinds = 4;

/// Thread seconds by kind of work, and the multiply-adds (twice each) that the results needed: of
/// attention the visible half of the scores only.
struct Profile {
  std::array<double, kWorkKinds> seconds{};
  double flops = 0;

  [[nodiscard]] double& operator[](Work work) { return seconds[static_cast<std::size_t>(work)]; }
  [[nodiscard]] double operator[](Work work) const {
    return seconds[static_cast<std::size_t>(work)];
  }
  /// Adds what one of `threads` alike counted.
  void add(const Profile& other, double threads) {
    for (std::size_t i = 0; i < kWorkKinds; ++i) seconds[i] += other.seconds[i] * threads;
    flops += other.flops;
  }
};

/// Books the time since the last call, of as many threads as worked.
class Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;

  void book(Profile& profile, Work work, double threads = 1) {
    const Clock::time_point now = Clock::now();
    profile[work] += std::chrono::duration<double>(now - last_).count() * threads;
    last_ = now;
  }

 private:
  Clock::time_point last_ = Clock::now();
};

}  // namespace yardstick::models
