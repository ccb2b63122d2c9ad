#include "tasks/needle/gold_place.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/needle/grid.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::int64_t kMostItems = 10'000'000;

std::vector<std::int64_t> read_integers(Fields& fields, std::string_view key, std::int64_t least) {
  const nlohmann::json raw = fields.raw(key);
  std::vector<std::int64_t> values;
  if (raw.is_null()) return values;
  for (const nlohmann::json& value : raw.is_array() ? raw : nlohmann::json::array({raw})) {
    if (!value.is_number_integer() || value.get<std::int64_t>() < least ||
        value.get<std::int64_t>() > kMostItems) {
      throw fields.error(key, fmt::format("found {}, expected whole numbers from {} to {}",
                                          value.dump(), least, kMostItems));
    }
    values.push_back(value.get<std::int64_t>());
  }
  if (values.empty()) throw fields.error(key, "the list is empty");
  return values;
}

std::string variant_of(std::int64_t count, std::string_view unit) {
  return fmt::format("{} {}", count, unit);
}

}  // namespace

GoldPlaces::GoldPlaces(Fields& fields, std::string_view unit, std::int64_t least)
    : unit_(unit),
      depths_(read_depths(fields, {})),
      counts_(read_integers(fields, unit, least)),
      positions_(read_integers(fields, "positions", 0)) {
  if (positions_.empty()) {
    if (depths_.empty()) depths_ = {0, 0.25, 0.5, 0.75, 1};
    return;
  }
  if (counts_.empty()) {
    throw fields.error("positions", fmt::format("needs `{}: N`, how many there are; or name "
                                                "`depths`",
                                                unit));
  }
  if (!depths_.empty()) throw fields.error("positions", "excludes `depths`; remove one of them");
  const std::int64_t last = *std::max_element(positions_.begin(), positions_.end());
  const std::int64_t fewest = *std::min_element(counts_.begin(), counts_.end());
  if (last >= fewest) {
    throw fields.error("positions", fmt::format("found {}, expected places from 0 to {}, since "
                                                "`{}` has {}",
                                                last, fewest - 1, unit, fewest));
  }
}

std::vector<CellAxes> GoldPlaces::cells(std::span<const std::int64_t> lengths) const {
  if (counts_.empty()) return grid_cells(lengths, depths_);
  std::vector<CellAxes> cells;
  for (const std::int64_t count : counts_) {
    const auto add = [&](double depth) {
      cells.push_back(
          {.length_tokens = std::nullopt, .depth = depth, .variant = variant_of(count, unit_)});
    };
    for (const double depth : depths_) add(depth);
    for (const std::int64_t position : positions_) {
      add(count == 1 ? 0.0 : static_cast<double>(position) / static_cast<double>(count - 1));
    }
  }
  return cells;
}

std::optional<std::int64_t> GoldPlaces::count(const CellAxes& cell) const {
  for (const std::int64_t count : counts_) {
    if (variant_of(count, unit_) == cell.variant) return count;
  }
  check(cell.length_tokens.has_value(), "a cell has a length or a number of items");
  return std::nullopt;
}

std::string GoldPlaces::describe() const {
  return counts_.empty() ? fmt::format("as many {} as the length holds", unit_)
                         : fmt::format("a given number of {}", unit_);
}

std::int64_t gold_place(double depth, std::int64_t n) {
  return std::llround(depth * static_cast<double>(n - 1));
}

}  // namespace yardstick::tasks
