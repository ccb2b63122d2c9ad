// Lost-in-the-middle cells: one gold item among others of its kind, as many as a length holds or a
// given number, and the place of the gold one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "core/hash.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

class GoldPlaces {
 public:
  /// Reads `depths` (fractions; five of them if absent), `unit` ("keys", "documents": how many of
  /// them a context has, at least `least`; absent: as many as fit) and, beside `unit` and in place
  /// of `depths`, `positions` (0-based places of the gold item). @throws Error(kConfig)
  GoldPlaces(Fields& fields, std::string_view unit, std::int64_t least);

  /// Without `unit` a cell for each length and depth. With it a cell for each count and place, that
  /// has no length; its variant is "10 keys".
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const;

  /// Items of a cell's context; nothing if they are to fill its length.
  [[nodiscard]] std::optional<std::int64_t> count(const CellAxes& cell) const;

  /// "a length and depth", "a number of keys and place of the gold one": for protocols.
  [[nodiscard]] std::string describe() const;

 private:
  std::string unit_;
  std::vector<double> depths_;
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> positions_;
};

/// The 0-based place of the gold item among n: the nearest to depth x (n - 1).
[[nodiscard]] std::int64_t gold_place(double depth, std::int64_t n);

}  // namespace yardstick::tasks
