#include "tasks/downstream/example_pool.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/random.hpp"

namespace yardstick::tasks {

ExamplePool::ExamplePool(std::vector<WorkedExample> examples, ExampleChoice choice, OwnExample own)
    : examples_(std::move(examples)), choice_(choice), own_(own) {
  if (own_ == OwnExample::kAllowed) return;
  for (const WorkedExample& example : examples_) {
    most_copies_ = std::max(most_copies_, ++copies_[example.key]);
  }
}

std::int64_t ExamplePool::size() const {
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(examples_.size()) - most_copies_);
}

std::int64_t ExamplePool::size_for(const std::string& own_key) const {
  const auto own = copies_.find(own_key);
  return static_cast<std::int64_t>(examples_.size()) - (own == copies_.end() ? 0 : own->second);
}

std::string ExamplePool::examples_for(std::size_t i, const std::string& own_key, std::uint64_t seed,
                                      std::int64_t count) const {
  const std::int64_t available = size_for(own_key);
  if (count > available) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{} worked examples are asked for, but there are {} besides the "
                            "question; set num_fewshot lower or name a larger fewshot_split",
                            count, available));
  }
  std::vector<std::size_t> chosen;
  if (choice_ == ExampleChoice::kFirst) {
    for (std::size_t k = 0; static_cast<std::int64_t>(chosen.size()) < count; ++k) {
      if (!is_left_out(examples_[k], own_key)) chosen.push_back(k);
    }
  } else {
    Random random(seed, "fewshot", i);
    std::unordered_set<std::size_t> drawn;
    while (static_cast<std::int64_t>(chosen.size()) < count) {
      const std::size_t k = random.below(examples_.size());
      if (is_left_out(examples_[k], own_key) || !drawn.insert(k).second) continue;
      chosen.push_back(k);
    }
    std::reverse(chosen.begin(), chosen.end());  // the first drawn stands nearest to the question
  }
  std::string out;
  for (const std::size_t k : chosen) out += examples_[k].text;
  return out;
}

void ExamplePool::describe(Fingerprint& fingerprint) const {
  fingerprint.add("examples.choice", choice_ == ExampleChoice::kFirst ? "first" : "random")
      .add("examples.own", own_ == OwnExample::kAllowed ? "allowed" : "left out")
      .add("examples", static_cast<std::int64_t>(examples_.size()));
  for (const WorkedExample& example : examples_) {
    fingerprint.add("example", example.text).add("example.key", example.key);
  }
}

}  // namespace yardstick::tasks
