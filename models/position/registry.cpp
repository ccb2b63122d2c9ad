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

enum class Parameters { kNone, kOfEachLayer };

struct Entry {
  Kind kind;
  Parameters parameters;
  std::unique_ptr<const Encoding> (*make)(PositionPlan plan, std::vector<LayerParameters> layers);
};

constexpr std::array<Entry, 10> kEncodings = {{
    {Kind::kAlibi, Parameters::kNone, make_alibi},
    {Kind::kFire, Parameters::kOfEachLayer, make_fire},
    {Kind::kFope, Parameters::kOfEachLayer, make_fope},
    {Kind::kKerple, Parameters::kOfEachLayer, make_kerple},
    {Kind::kLearned, Parameters::kNone, make_learned},
    {Kind::kNone, Parameters::kNone, make_none},
    {Kind::kRope, Parameters::kNone, make_rope},
    {Kind::kSinusoidal, Parameters::kNone, make_sinusoidal},
    {Kind::kT5Bias, Parameters::kOfEachLayer, make_t5_bias},
    {Kind::kXpos, Parameters::kNone, make_xpos},
}};

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

/// Methods that give queries and keys other positions need an encoding that reads distances or
/// rotates; masks alone do for any.
void validate_reach(const PositionPlan& plan) {
  const Reach& reach = plan.reach;
  const bool is_mask = reach.kind == ReachKind::kAll || reach.kind == ReachKind::kWindow;
  const bool is_absolute = plan.kind == Kind::kLearned || plan.kind == Kind::kSinusoidal;
  const bool is_blind = plan.kind == Kind::kNone && reach.kind != ReachKind::kStreaming &&
                        reach.kind != ReachKind::kLambda;
  if (!is_mask && (is_absolute || is_blind)) {
    throw field_error(plan, "reach", to_string(reach.kind),
                      fmt::format("a method that works with the encoding '{}': none, or a sliding "
                                  "window",
                                  to_string(plan.kind)));
  }
  const bool needs_window = reach.kind != ReachKind::kAll && reach.kind != ReachKind::kDualChunk;
  if (needs_window && reach.window < 1) {
    throw field_error(plan, "window", fmt::to_string(reach.window), "at least 1 token");
  }
  if (reach.kind == ReachKind::kDualChunk && (reach.chunk < 1 || reach.limit < reach.chunk)) {
    throw field_error(plan, "chunk", fmt::format("{} with limit {}", reach.chunk, reach.limit),
                      "at least 1 token, and a limit of at least a chunk");
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
                                              std::vector<LayerParameters> parameters) {
  validate_heads(plan);
  validate_reach(plan);
  const auto entry = std::ranges::find(kEncodings, plan.kind, &Entry::kind);
  check(entry != kEncodings.end(), "every encoding kind is in the registry");
  if (entry->parameters == Parameters::kNone && !parameters.empty()) {
    throw Error(ErrorKind::kModel,
                fmt::format("position plan: kind is '{}', which takes no parameters, but {} layers "
                            "of them were given",
                            to_string(plan.kind), parameters.size()));
  }
  return entry->make(std::move(plan), std::move(parameters));
}

std::vector<EncodingTensor> encoding_tensors(const PositionPlan& plan) {
  const std::int64_t heads = plan.heads;
  const std::int64_t width = plan.fire.hidden_width;
  switch (plan.kind) {
    case Kind::kT5Bias: return {{"table", {plan.t5.buckets, heads}}};
    case Kind::kKerple: return {{"r1", {heads}}, {"r2", {heads}}};
    case Kind::kFire:
      return {{"c", {1}},
              {"threshold", {1}},
              {"in.weight", {width, 1}},
              {"in.bias", {width}},
              {"out.weight", {heads, width}},
              {"out.bias", {heads}}};
    default: return {};
  }
}

std::vector<std::string> encoding_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kEncodings) names.emplace_back(to_string(entry.kind));
  std::ranges::sort(names);
  return names;
}

}  // namespace yardstick::position
