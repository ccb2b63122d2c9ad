#include "models/arch/reach_fields.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

namespace yardstick::models {
namespace {

using position::PositionPlan;
using position::Reach;
using position::ReachKind;

using Method = std::pair<std::string_view, ReachKind>;
constexpr std::array<Method, 6> kMethods = {{{"sliding_window", ReachKind::kWindow},
                                             {"streaming_llm", ReachKind::kStreaming},
                                             {"lm_infinite", ReachKind::kLambda},
                                             {"self_extend", ReachKind::kSelfExtend},
                                             {"rerope", ReachKind::kReRope},
                                             {"dual_chunk", ReachKind::kDualChunk}}};

/// The training length, for defaults.
std::int64_t training_length(ConfigReader& object, std::string_view key, const PositionPlan& plan) {
  if (plan.training_length > 0) return plan.training_length;
  throw object.error(key, "needs a value, for the model does not say its training length");
}

Reach read_dual_chunk(ConfigReader& object, const PositionPlan& plan) {
  const auto chunk = object.optional_integer("chunk", 1, kMostTokens);
  const auto local = object.optional_integer("local", 0, kMostTokens);
  Reach reach{.kind = ReachKind::kDualChunk};
  // As the authors' code: chunks of 3/4 of the training length less a local window of 1/16.
  const auto default_local = [&] { return training_length(object, "local", plan) / 16; };
  const std::int64_t window = local ? *local : default_local();
  reach.chunk = chunk ? *chunk : training_length(object, "chunk", plan) * 3 / 4 - window;
  reach.limit = reach.chunk + window;
  if (reach.chunk < 1) throw object.error("chunk", "the training length leaves no chunk");
  return reach;
}

Reach read_object(ConfigReader& object, ReachKind kind, const PositionPlan& plan) {
  if (kind == ReachKind::kDualChunk) return read_dual_chunk(object, plan);
  Reach reach{.kind = kind};
  const auto window = object.optional_integer("window", 1, kMostTokens);
  if (!window && kind != ReachKind::kLambda)
    throw object.error("window", "this method needs a number of tokens");
  reach.window = window ? *window : training_length(object, "window", plan);
  if (kind == ReachKind::kStreaming)
    reach.sinks = object.optional_integer("sinks", 0, kMostTokens).value_or(4);
  if (kind == ReachKind::kLambda)
    reach.sinks = object.optional_integer("sinks", 0, kMostTokens).value_or(10);
  if (kind == ReachKind::kSelfExtend)
    reach.group = static_cast<double>(object.integer("group", 1, reach.window));
  if (kind == ReachKind::kReRope)
    reach.group = object.optional_number("leak", 1.0, kMostNumber).value_or(0.0);
  return reach;
}

}  // namespace

std::optional<std::string_view> reach_key(ConfigReader& reader) {
  std::optional<std::string_view> found;
  for (const auto& [key, kind] : kMethods) {
    if (!reader.has(key)) continue;
    if (found) {
      throw reader.error(key, fmt::format("stands beside {}; a model takes one method", *found));
    }
    found = key;
  }
  return found;
}

bool moves_positions(std::string_view method) {
  return method == "self_extend" || method == "rerope" || method == "dual_chunk";
}

void change_reach(ConfigReader& reader, PositionPlan& plan) {
  for (const auto& [key, kind] : kMethods) {
    if (!reader.has(key)) continue;
    if (reader.raw(key).is_number()) {
      if (kind != ReachKind::kWindow) throw reader.error(key, "expected an object");
      plan.reach = {.kind = kind, .window = reader.integer(key, 1, kMostTokens)};
    } else {
      ConfigReader object = reader.object(key, std::string(key));
      plan.reach = read_object(object, kind, plan);
    }
    set_source(plan, "reach", fmt::format("override: {}", key));
  }
}

}  // namespace yardstick::models
