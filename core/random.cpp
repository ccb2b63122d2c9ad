#include "core/random.hpp"

#include <cmath>
#include <numbers>

#include "core/error.hpp"

namespace yardstick {
namespace {

constexpr std::uint64_t kWeyl = 0x9E3779B97F4A7C15U;

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace

Random::Random(std::uint64_t seed, std::string_view purpose, std::uint64_t index)
    : key_(mix(seed + kWeyl)) {
  for (const char c : purpose) key_ = mix(key_ ^ (static_cast<unsigned char>(c) + kWeyl));
  key_ = mix(key_ ^ mix(purpose.size() + kWeyl));
  key_ = mix(key_ ^ mix(index + 2 * kWeyl));
}

std::uint64_t Random::bits() { return mix(key_ + kWeyl * ++counter_); }

std::uint64_t Random::below(std::uint64_t bound) {
  check(bound > 0, "a random range is not empty");
  // The lowest 2^64 mod bound values would make the first residues too likely: draw again.
  const std::uint64_t excess = (0 - bound) % bound;
  std::uint64_t draw = bits();
  while (draw < excess) draw = bits();
  return draw % bound;
}

std::int64_t Random::between(std::int64_t low, std::int64_t high) {
  check(low <= high, "a random range is not empty");
  const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t offset = width == ~std::uint64_t{0} ? bits() : below(width + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

double Random::uniform() { return static_cast<double>(bits() >> 11U) * 0x1.0p-53; }

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace yardstick
