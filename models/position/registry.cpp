// The table of encodings: one line each.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "models/position/factories.hpp"

namespace yardstick::position {
namespace {

struct Entry {
  Kind kind;
  std::unique_ptr<const Encoding> (*make)(PositionPlan plan);  ///< null: needs coefficients
};

constexpr std::array<Entry, 5> kEncodings = {{{Kind::kAlibi, make_alibi},
                                              {Kind::kFope, nullptr},
                                              {Kind::kLearned, make_learned},
                                              {Kind::kNone, make_none},
                                              {Kind::kRope, make_rope}}};

constexpr std::int64_t kMostHeads = 1 << 16;
constexpr std::int64_t kMostHeadDims = 1 << 16;

void validate_heads(const PositionPlan& plan) {
  if (plan.heads < 1 || plan.heads > kMostHeads) {
    throw field_error(plan, "heads", fmt::to_string(plan.heads),
                      fmt::format("a number of query heads from 1 to {}", kMostHeads));
  }
  if (plan.kv_heads < 1 || plan.heads % plan.kv_heads != 0) {
    throw field_error(plan, "kv_heads", fmt::to_string(plan.kv_heads),
                      fmt::format("a divisor of the {} query heads", plan.heads));
  }
  if (plan.head_dim < 1 || plan.head_dim > kMostHeadDims) {
    throw field_error(plan, "head_dim", fmt::to_string(plan.head_dim),
                      fmt::format("a number of dims from 1 to {}", kMostHeadDims));
  }
}

}  // namespace

Error field_error(const PositionPlan& plan, std::string_view field, std::string_view found,
                  std::string_view expected) {
  const auto source = std::ranges::find(plan.sources, field, &ValueSource::field);
  const std::string origin =
      source == plan.sources.end() ? "" : fmt::format(" ({})", source->source);
  return {ErrorKind::kModel,
          fmt::format("position plan: {}{} is {}; expected {}", field, origin, found, expected)};
}

std::unique_ptr<const Encoding> make_encoding(PositionPlan plan,
                                              std::vector<LayerParameters> coefficients) {
  validate_heads(plan);
  if (plan.kind == Kind::kFope) return make_fope(std::move(plan), std::move(coefficients));
  if (!coefficients.empty()) {
    throw Error(ErrorKind::kModel,
                fmt::format("position plan: kind is '{}', which takes no Fourier coefficients, but "
                            "{} layers of them were given",
                            to_string(plan.kind), coefficients.size()));
  }
  const auto entry = std::ranges::find(kEncodings, plan.kind, &Entry::kind);
  check(entry != kEncodings.end(), "every encoding kind is in the registry");
  return entry->make(std::move(plan));
}

std::vector<EncodingTensor> encoding_tensors(const PositionPlan& /*plan*/) { return {}; }

std::vector<std::string> encoding_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kEncodings) names.emplace_back(to_string(entry.kind));
  std::ranges::sort(names);
  return names;
}

}  // namespace yardstick::position
