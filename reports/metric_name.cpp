#include "reports/metric_name.hpp"

#include <algorithm>
#include <array>

namespace yardstick::reports {
namespace {

constexpr std::array<std::string_view, 9> kShares = {
    "best_subspan_em", "contains_token", "exact",     "f1",      "f1_index0",
    "number",          "ruler_all",      "ruler_any", "squad_em"};
constexpr std::array<std::string_view, 5> kLosses = {"nll", "perplexity", "bits_per", "brier",
                                                     "bpb"};
constexpr std::array<std::string_view, 6> kSizes = {"tokens",  "ties",   "skipped",
                                                    "samples", "margin", "length"};

bool has_part(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

}  // namespace

MetricName split_filter(std::string_view name) {
  const std::size_t comma = name.find(',');
  if (comma == std::string_view::npos) return {std::string(name), "none"};
  return {std::string(name.substr(0, comma)), std::string(name.substr(comma + 1))};
}

bool is_share(std::string_view name) {
  const std::string metric = split_filter(name).metric;
  return metric.starts_with("acc") || metric.ends_with("_match") || metric.starts_with("rouge") ||
         metric.starts_with("longbench_") || metric.starts_with("infinitebench_") ||
         std::find(kShares.begin(), kShares.end(), metric) != kShares.end();
}

bool is_logarithmic(std::string_view name) { return has_part(name, "perplexity"); }

std::string_view direction_mark(std::string_view name) {
  const auto stands_in = [&](std::string_view part) { return has_part(name, part); };
  if (is_share(name)) return "↑";
  if (std::any_of(kLosses.begin(), kLosses.end(), stands_in)) return "↓";
  if (std::any_of(kSizes.begin(), kSizes.end(), stands_in)) return "";
  return "↑";
}

}  // namespace yardstick::reports
