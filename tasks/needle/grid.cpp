#include "tasks/needle/grid.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/metrics/mean_metric.hpp"

namespace yardstick::tasks {

std::vector<double> read_depths(Fields& fields, std::vector<double> fallback) {
  const nlohmann::json raw = fields.raw("depths");
  if (raw.is_null()) return fallback;
  std::vector<double> depths;
  if (raw.is_number_integer() && raw.get<std::int64_t>() >= 1 && raw.get<std::int64_t>() <= 1000) {
    const auto count = raw.get<std::int64_t>();
    for (std::int64_t i = 0; i < count; ++i) {
      depths.push_back(count == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(count - 1));
    }
    return depths;
  }
  for (const nlohmann::json& depth : raw.is_array() ? raw : nlohmann::json::array({raw})) {
    if (!depth.is_number() || depth.get<double>() < 0 || depth.get<double>() > 1) {
      throw fields.error("depths", fmt::format("found {}, expected fractions from 0 to 1 such as "
                                               "[0, 0.5, 1], or how many (evenly spaced)",
                                               depth.dump()));
    }
    depths.push_back(depth.get<double>());
  }
  if (depths.empty()) throw fields.error("depths", "the list is empty");
  return depths;
}

std::vector<CellAxes> grid_cells(std::span<const std::int64_t> lengths,
                                 std::span<const double> depths) {
  std::vector<CellAxes> cells;
  for (const std::int64_t length : lengths) {
    if (depths.empty()) {
      cells.push_back({.length_tokens = length, .depth = std::nullopt, .variant = ""});
    }
    for (const double depth : depths) {
      cells.push_back({.length_tokens = length, .depth = depth, .variant = ""});
    }
  }
  return cells;
}

std::int64_t token_at(std::span<const TokenSpan> spans, std::size_t byte) {
  const auto found =
      std::upper_bound(spans.begin(), spans.end(), static_cast<std::int64_t>(byte),
                       [](std::int64_t at, const TokenSpan& span) { return at < span.end; });
  return found - spans.begin();
}

void check_answer_fits(std::string_view task, const Sample& sample, std::int64_t max_new_tokens) {
  const auto tokens = sample.facts.at("answer_tokens").get<std::int64_t>();
  if (tokens <= max_new_tokens) return;
  throw Error(ErrorKind::kConfig,
              fmt::format("{}: the right answer of the sample '{}' has {} tokens, max_new_tokens "
                          "is {}; raise it",
                          task, sample.id, tokens, max_new_tokens));
}

MetricValue mean_match(const std::string& name, std::span<const SampleScore> scores) {
  std::vector<double> values;
  for (const SampleScore& score : scores) {
    if (score.status == SampleStatus::kOk) values.push_back(score.values.at(name));
  }
  return share_metric(name, values);
}

}  // namespace yardstick::tasks
