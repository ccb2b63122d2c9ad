// A depth x length grid of shares on a fixed 0 to 1 scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yardstick::reports {

struct HeatCell {
  std::optional<double>
      share;           ///< absent: `note` says why, and the cell is drawn as missing, not as 0
  std::int64_t n = 0;  ///< below 5 the cell is hatched: too few to read
  std::string hits;    ///< "9/10", below the per cent
  std::string note;    ///< "n/a", "failed"
  std::string hover;
};

/// Columns that stand side by side on a narrow page; a wider grid is drawn in pieces.
inline constexpr std::size_t kHeatmapColumns = 7;

struct Heatmap {
  std::string title;
  std::vector<std::int64_t> lengths;        ///< columns
  std::vector<double> depths;               ///< rows, 0 at the top
  std::vector<std::vector<HeatCell>> rows;  ///< [depths][lengths]
  /// The column that a dashed line stands in front of: the first one beyond the training length.
  std::optional<std::size_t> beyond_training;
};

/// The grid as one SVG element with axes of depth and length; each cell prints its per cent and
/// k/n.
[[nodiscard]] std::string draw(const Heatmap& heatmap);
/// Width of that element's view box.
[[nodiscard]] double width_of(const Heatmap& heatmap);

/// The colour scale, hatching, missing cells and the training length's line, as one SVG element.
[[nodiscard]] std::string draw_heatmap_legend();

}  // namespace yardstick::reports
