#include "tasks/data/subset.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "core/random.hpp"

namespace yardstick::tasks {
namespace {

std::vector<std::size_t> first_indices(std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

// The first `limit` of an order, ascending.
std::vector<std::size_t> head_of(std::vector<std::size_t> order, const Subset& subset) {
  if (subset.limit && *subset.limit < std::ssize(order)) {
    order.resize(static_cast<std::size_t>(*subset.limit));
  }
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

std::vector<std::size_t> choose_subset(std::size_t count, const Subset& subset, std::uint64_t seed,
                                       std::string_view purpose) {
  std::vector<std::size_t> order = first_indices(count);
  if (subset.choice == Subset::Choice::kRandom) {
    Random random(seed, purpose);
    random.shuffle(std::span<std::size_t>(order));
  }
  return head_of(std::move(order), subset);
}

std::vector<std::size_t> choose_stratified(std::span<const std::string> categories,
                                           const Subset& subset, std::uint64_t seed,
                                           std::string_view purpose) {
  std::vector<std::size_t> order = first_indices(categories.size());
  if (subset.choice == Subset::Choice::kFirst) return head_of(std::move(order), subset);
  Random random(seed, purpose);
  random.shuffle(std::span<std::size_t>(order));
  std::map<std::string, double> sizes;
  for (const std::string& category : categories) sizes[category] += 1;
  // The r-th item of a category of size m stands at (r + 1/2) / m of the way: every beginning of
  // the merged order then holds the categories in proportion.
  std::map<std::string, double> seen;
  std::vector<std::tuple<double, std::size_t, std::size_t>> places;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::string& category = categories[order[rank]];
    const double place = (seen[category] + 0.5) / sizes[category];
    seen[category] += 1;
    places.emplace_back(place, rank, order[rank]);
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::get<2>(places[i]);
  return head_of(std::move(order), subset);
}

}  // namespace yardstick::tasks
