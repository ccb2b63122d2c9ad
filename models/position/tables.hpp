// Inside the room: the one place where a position times a frequency becomes a cosine and a sine.
#pragma once

#include <cstdint>
#include <span>

#include "models/position/encoding.hpp"

namespace yardstick::position {

/// Rows of positions first .. first + count - 1.
struct PositionRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// position x frequency, rounded to f32 once. Up to 2^24 this equals the references' product of two
/// f32 numbers; beyond, where f32 cannot hold the position, it stays the nearest f32 angle.
[[nodiscard]] inline float angle(std::int64_t position, float frequency) {
  return static_cast<float>(static_cast<double>(position) * static_cast<double>(frequency));
}

/// cos and sin [count, F] f32 row-major of each angle, evaluated in f64, times `factor`.
void fill_waves(PositionRange range, std::span<const float> frequencies, double factor,
                std::span<float> cos, std::span<float> sin);

/// Checks a caller's query and the sizes of its tables against the shape. @throws
/// Error(kInternal)
void check_query(const RotationQuery& query, const RotationShape& shape, LengthUse length_use,
                 std::span<const float> cos, std::span<const float> sin);

}  // namespace yardstick::position
