// Filling cosine and sine rows.
#include "models/position/tables.hpp"

#include <cmath>

#include "core/error.hpp"

namespace yardstick::position {

void fill_waves(PositionRange range, std::span<const float> frequencies, double factor,
                std::span<float> cos, std::span<float> sin) {
  std::size_t at = 0;
  for (std::int64_t row = 0; row < range.count; ++row) {
    for (const float frequency : frequencies) {
      const double turned = angle(range.first + row, frequency);
      cos[at] = static_cast<float>(std::cos(turned) * factor);
      sin[at] = static_cast<float>(std::sin(turned) * factor);
      ++at;
    }
  }
}

void check_query(const RotationQuery& query, const RotationShape& shape, LengthUse length_use,
                 std::span<const float> cos, std::span<const float> sin) {
  check(query.first_position >= 0 && query.count >= 0, "positions count from 0");
  check(length_use == LengthUse::kNone || query.total_length >= query.first_position + query.count,
        "the total length covers the positions asked for");
  const auto size = static_cast<std::size_t>(shape.table_heads * query.count * shape.pairs);
  check(cos.size() == size && sin.size() == size,
        "rotation tables are [table_heads, count, pairs]");
}

}  // namespace yardstick::position
