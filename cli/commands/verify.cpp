// `yardstick verify MODEL --against FILE`: the model's logits and hidden states beside those that
// another implementation stored, and the first layer that differs.
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/open_model.hpp"
#include "core/error.hpp"
#include "models/backend.hpp"
#include "models/model_folder.hpp"
#include "models/reference/comparison.hpp"
#include "models/reference/reference.hpp"

namespace yardstick::cli {
namespace {

using models::Comparison;
using models::LogitDifference;
using models::StateDifference;
using nlohmann::ordered_json;

std::string state_name(std::int64_t state, std::int64_t layers) {
  if (state == 0) return "embedding";
  if (state == layers) return fmt::format("layer {}, final norm", state - 1);
  return fmt::format("layer {}", state - 1);
}

std::string agreement(double worst) {
  return worst == 0 ? "agrees exactly" : fmt::format("agrees to {:.1e}", worst);
}

/// Where a mistake that shows first in `state` can be.
std::string suspects(const StateDifference& difference, std::int64_t state, std::int64_t layers) {
  if (state == 0)
    return "look at the token embeddings, their scale and norm, and at positions added to them";
  const std::string norm = state == layers ? ", or the final norm" : "";
  if (difference.first_beyond->position == 0) {
    return fmt::format(
        "position 0, where attention has one key to see, differs too: look at norms, value and "
        "output projections and MLP{} before positions",
        norm);
  }
  return fmt::format(
      "position 0, where attention has one key to see, {}: look at what is between positions: "
      "queries, keys, their norms, rotation, bias, scale or window",
      agreement(difference.worst_at_start));
}

/// What is the matter, in a sentence; nothing if all is within the tolerance.
std::optional<std::string> finding(const Comparison& comparison) {
  const std::int64_t layers = std::ssize(comparison.states) - 1;
  const std::optional<std::int64_t> first = comparison.first_state_beyond();
  if (!first) {
    if (comparison.is_within()) return std::nullopt;
    if (comparison.states.empty()) {
      return "the logits differ; with hidden states in the reference, the first layer that differs "
             "is named";
    }
    return "the hidden states agree but the logits differ: look at the head, its bias, the logits' "
           "scale or soft cap";
  }
  const StateDifference& difference = comparison.states[static_cast<std::size_t>(*first)];
  std::string out =
      fmt::format("{} is the first that differs, by {:.1e}, from position {} on",
                  state_name(*first, layers), difference.worst, difference.first_beyond->position);
  if (*first > 0) {
    const StateDifference& input = comparison.states[static_cast<std::size_t>(*first - 1)];
    out += fmt::format("; its input {}", agreement(input.worst));
  }
  return fmt::format("{}; {}", out, suspects(difference, *first, layers));
}

/// Nothing: null.
ordered_json first_position(const std::optional<models::Place>& first) {
  return first ? ordered_json(first->position) : ordered_json(nullptr);
}

ordered_json to_json(const models::Place& place) {
  return {{"sequence", place.sequence}, {"position", place.position}};
}

/// A number that is not finite becomes null.
ordered_json to_json(const Comparison& comparison, const VerifyOptions& options) {
  const LogitDifference& logits = comparison.logits;
  ordered_json out = {{"tolerance", options.tolerance},
                      {"within_tolerance", comparison.is_within()},
                      {"logits",
                       {{"worst", logits.worst},
                        {"sequence", logits.place.sequence},
                        {"position", logits.place.position},
                        {"token", logits.place.column},
                        {"found", logits.found},
                        {"stored", logits.stored},
                        {"mean", logits.mean},
                        {"differs_from_position", first_position(logits.first_beyond)}}},
                      {"mean_loss", nullptr},
                      {"hidden_states", ordered_json::array()},
                      {"first_state_that_differs", nullptr},
                      {"finding", nullptr}};
  if (comparison.losses) {
    out["mean_loss"] = {{"found", comparison.losses->found},
                        {"stored", comparison.losses->stored},
                        {"tokens", comparison.losses->scored}};
  }
  for (std::size_t i = 0; i < comparison.states.size(); ++i) {
    const StateDifference& state = comparison.states[i];
    ordered_json line = {{"state", i}, {"worst", state.worst}};
    line.update(to_json(state.place));
    line["dimension"] = state.place.column;
    line["worst_at_position_0"] = state.worst_at_start;
    line["differs_from_position"] = first_position(state.first_beyond);
    out["hidden_states"].push_back(std::move(line));
  }
  if (const auto first = comparison.first_state_beyond()) out["first_state_that_differs"] = *first;
  if (const auto text = finding(comparison)) out["finding"] = *text;
  return out;
}

std::string place_text(const models::Place& place, std::size_t sequences) {
  return sequences == 1 ? fmt::format("position {}", place.position)
                        : fmt::format("sequence {}, position {}", place.sequence, place.position);
}

void print(const Comparison& comparison, const models::Reference& reference, double tolerance) {
  const std::size_t sequences = reference.sequences.size();
  const LogitDifference& logits = comparison.logits;
  fmt::print("logits          worst difference {:.2e}, mean {:.2e}\n", logits.worst, logits.mean);
  fmt::print("                worst at {}, token id {}: found {}, stored {}\n",
             place_text(logits.place, sequences), logits.place.column, logits.found, logits.stored);
  if (comparison.losses) {
    const models::MeanLosses& losses = *comparison.losses;
    fmt::print("mean loss       difference {:.2e}: found {:.6f}, stored {:.6f} nats, {} tokens\n",
               std::abs(losses.found - losses.stored), losses.found, losses.stored, losses.scored);
  }
  const std::int64_t layers = std::ssize(comparison.states) - 1;
  if (layers >= 0)
    fmt::print("hidden states   worst difference, by the root mean square of its row\n");
  for (std::int64_t i = 0; i <= layers; ++i) {
    const StateDifference& state = comparison.states[static_cast<std::size_t>(i)];
    fmt::print("  {:<24} {:.2e} at {}{}\n", state_name(i, layers), state.worst,
               place_text(state.place, sequences),
               state.first_beyond
                   ? fmt::format("  < differs from position {} on", state.first_beyond->position)
                   : "");
  }
  fmt::print("{}\n", finding(comparison).value_or(fmt::format("all within {}", tolerance)));
}

}  // namespace

int verify(const VerifyOptions& options) {
  if (!std::isfinite(options.tolerance) || options.tolerance < 0) {
    throw Error(ErrorKind::kConfig,
                fmt::format("--tolerance is {}; expected a number from 0 on", options.tolerance));
  }
  const models::EngineOptions engine_options{.device = options.device,
                                             .dtype = models::parse_compute_type(options.dtype),
                                             .threads = options.threads};
  const models::Reference reference = models::read_reference(options.reference);
  const models::ModelFolder folder = open_model(options.model, options.position);
  check_fits(reference, folder.config());
  const std::unique_ptr<models::Engine> engine =
      models::load_backend().load(folder, engine_options);
  const Comparison comparison = compare(*engine, reference, options.tolerance);
  if (options.format == VerifyOptions::Format::kJson) {
    fmt::print("{}\n", to_json(comparison, options).dump(2));
  } else {
    print(comparison, reference, options.tolerance);
  }
  return comparison.is_within() ? kDone : kSomeFailed;
}

}  // namespace yardstick::cli
