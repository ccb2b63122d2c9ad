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
  for (std::size_t k = 0; k < examples_.size(); ++k) {
    Group& group = groups_[examples_[k].group];
    group.examples.push_back(k);
    if (own_ == OwnExample::kAllowed) continue;
    group.most_copies = std::max(group.most_copies, ++group.copies[examples_[k].key]);
  }
}

const ExamplePool::Group& ExamplePool::group(const std::string& name) const {
  static const Group kNone;
  const auto found = groups_.find(name);
  return found == groups_.end() ? kNone : found->second;
}

std::int64_t ExamplePool::size(const std::string& group) const {
  const Group& own = this->group(group);
  return std::max<std::int64_t>(0, std::ssize(own.examples) - own.most_copies);
}

std::int64_t ExamplePool::size_for(const AskedQuestion& question) const {
  const Group& own = group(question.group);
  const auto copies = own.copies.find(question.key);
  return std::ssize(own.examples) - (copies == own.copies.end() ? 0 : copies->second);
}

std::string ExamplePool::examples_for(const AskedQuestion& question, std::uint64_t seed,
                                      std::int64_t count) const {
  const std::int64_t available = size_for(question);
  if (count > available) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{} worked examples are asked for, but there are {}{} besides the "
                            "question; set num_fewshot lower or name a larger fewshot_split",
                            count, available,
                            question.group.empty() ? "" : fmt::format(" of '{}'", question.group)));
  }
  const std::vector<std::size_t>& all = group(question.group).examples;
  std::vector<std::size_t> chosen;
  if (choice_ == ExampleChoice::kFirst) {
    for (std::size_t k = 0; static_cast<std::int64_t>(chosen.size()) < count; ++k) {
      if (!is_left_out(all[k], question.key)) chosen.push_back(all[k]);
    }
  } else {
    Random random(seed, "fewshot", question.index);
    std::unordered_set<std::size_t> drawn;
    while (static_cast<std::int64_t>(chosen.size()) < count) {
      const std::size_t k = all[random.below(all.size())];
      if (is_left_out(k, question.key) || !drawn.insert(k).second) continue;
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
    if (!example.group.empty()) fingerprint.add("example.group", example.group);
  }
}

}  // namespace yardstick::tasks
