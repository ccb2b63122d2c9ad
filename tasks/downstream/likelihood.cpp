#include "tasks/downstream/likelihood.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace yardstick::tasks {
namespace {

using BoundaryWord = std::pair<std::string_view, Boundary>;
constexpr std::array<BoundaryWord, 2> kBoundaries = {
    {{"joint", Boundary::kJoint}, {"separate", Boundary::kSeparate}}};

}  // namespace

Boundary read_boundary(Fields& fields) {
  return fields.choice("boundary", Boundary::kJoint, std::span<const BoundaryWord>(kBoundaries));
}

std::string_view to_string(Boundary boundary) {
  return boundary == Boundary::kJoint ? "joint" : "separate";
}

std::string nothing_to_score(std::string_view text) {
  return fmt::format(
      "'{}' has no token that can be scored: the context is empty, and the tokenizer has neither "
      "BOS nor end-of-text",
      text);
}

std::vector<double> values_of(std::span<const SampleScore> scores, const std::string& name) {
  std::vector<double> out;
  for (const SampleScore& score : scores) {
    if (score.status != SampleStatus::kOk) continue;
    const auto found = score.values.find(name);
    if (found != score.values.end()) out.push_back(found->second);
  }
  return out;
}

}  // namespace yardstick::tasks
