// Counter-based random numbers: the n-th draw of a stream is a pure function of (stream, n), and a
// stream is a hash of (seed, purpose, index). No shared state, and the same draws on every machine
// (std:: distributions differ between libraries, so ranges are mapped here).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace yardstick {

class Random {
 public:
  /// An independent stream for one purpose, e.g. Random(seed, "passkey/len=512/depth=3", sample).
  Random(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);

  /// 64 uniform bits. SplitMix64's finaliser over a Weyl sequence (Steele et al. 2014).
  std::uint64_t bits();

  /// Uniform integer in [0, bound), unbiased (rejection). @throws Error(kInternal) if bound is 0.
  std::uint64_t below(std::uint64_t bound);

  /// Uniform integer in [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high);

  /// Uniform double in [0, 1) with 53 random bits.
  double uniform();

  /// Standard normal draw (Box-Muller, one of the pair; deterministic up to libm's log and cos).
  double normal();

  /// Fisher-Yates shuffle in place.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace yardstick
