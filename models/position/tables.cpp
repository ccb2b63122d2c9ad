// Filling cosine and sine rows.
#include "models/position/tables.hpp"

#include <cmath>

#include "core/error.hpp"

namespace yardstick::position {

std::vector<double> positions(const RotationQuery& query, const Reach& reach) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(query.count));
  for (std::int64_t place = query.first_position; place < query.first_position + query.count;
       ++place) {
    out.push_back(query.side == RotationQuery::Side::kQuery
                      ? query_position(reach, query.version, place)
                      : key_position(reach, query.version, place));
  }
  return out;
}

RotationShape::Sides sides_of(const Reach& reach) {
  const bool is_plain = query_versions(reach.kind) == 1 && key_versions(reach.kind) == 1;
  return is_plain ? RotationShape::Sides::kSame : RotationShape::Sides::kSeparate;
}

void fill_waves(std::span<const double> positions, std::span<const float> frequencies,
                double factor, std::span<float> cos, std::span<float> sin) {
  std::size_t at = 0;
  for (const double position : positions) {
    for (const float frequency : frequencies) {
      const double turned = angle(position, frequency);
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
