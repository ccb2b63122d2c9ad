// A depth x length grid of shares on a fixed 0 to 1 scale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yardstick::reports {

struct HeatCell {
  std::optional<double>
      share;           ///< absent: `note` says why, and the cell is drawn as missing, not as 0
  std::int64_t n = 0;  ///< below 5 the cell is hatched: too few to read
  std::string note;    ///< "n/a", "failed"
  std::string hover;
};

struct Heatmap {
  std::string title;
  std::vector<std::int64_t> lengths;            ///< columns
  std::vector<double> depths;                   ///< rows, 0 at the top
  std::vector<std::vector<HeatCell>> rows;      ///< [depths][lengths]
  std::optional<std::int64_t> training_length;  ///< drawn as a border between columns
};

/// The grid as one SVG element; each cell prints its per cent, and k/n on hover.
[[nodiscard]] std::string draw(const Heatmap& heatmap);

}  // namespace yardstick::reports
