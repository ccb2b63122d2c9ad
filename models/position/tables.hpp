// Inside the room: the one place where a position times a frequency becomes a cosine and a sine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/position/encoding.hpp"

namespace yardstick::position {

/// position x frequency, rounded to f32 once. Up to 2^24 this equals the references' product of two
/// f32 numbers; beyond, where f32 cannot hold the position, it stays the nearest f32 angle.
[[nodiscard]] inline float angle(double position, float frequency) {
  return static_cast<float>(position * static_cast<double>(frequency));
}

/// The positions of a query's rows: places in the sequence, as the reach turns them.
[[nodiscard]] std::vector<double> positions(const RotationQuery& query, const Reach& reach);

/// cos and sin [positions, F] f32 row-major of each angle, evaluated in f64, times `factor`.
void fill_waves(std::span<const double> positions, std::span<const float> frequencies,
                double factor, std::span<float> cos, std::span<float> sin);

/// Queries and keys have tables of their own where they have versions.
[[nodiscard]] RotationShape::Sides sides_of(const Reach& reach);

/// Checks a caller's query and the sizes of its tables against the shape. @throws
/// Error(kInternal)
void check_query(const RotationQuery& query, const RotationShape& shape, LengthUse length_use,
                 std::span<const float> cos, std::span<const float> sin);

}  // namespace yardstick::position
