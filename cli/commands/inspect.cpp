// `yardstick inspect MODEL`: what a model folder holds and how position enters it, without
// computing anything.
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/open_model.hpp"
#include "core/text.hpp"
#include "models/model_folder.hpp"
#include "models/position/frequencies.hpp"

namespace yardstick::cli {
namespace {

using models::ModelFolder;
using position::Kind;
using position::PositionPlan;

/// One rotary pair, or one frequency of FoPE's bank.
struct FrequencyRow {
  std::size_t pair = 0;
  double unscaled = 0;    ///< radians a token
  double used = 0;        ///< after scaling and clamping
  double wavelength = 0;  ///< tokens; 0 for a frequency of 0
  double cycles = 0;      ///< turns within the training length; 0 if that is unknown
  std::string_view kind;  ///< full, partial, zero, or unknown
};

std::string_view classify(double frequency, double cycles, std::int64_t training_length) {
  if (frequency == 0.0) return "zero";
  if (training_length == 0) return "unknown";
  return cycles >= 1.0 ? "full" : "partial";
}

bool rotates(const PositionPlan& plan) {
  return plan.kind == Kind::kRope || plan.kind == Kind::kXpos || plan.kind == Kind::kFope;
}

std::vector<FrequencyRow> frequency_rows(const PositionPlan& plan) {
  std::vector<FrequencyRow> rows;
  if (!rotates(plan)) return rows;
  const position::FrequencyTable table = position::frequency_table(plan, plan.training_length);
  constexpr double kTurn = 2.0 * std::numbers::pi;
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    FrequencyRow row;
    row.pair = i;
    row.unscaled = static_cast<double>(table.unscaled[i]);
    row.used = static_cast<double>(table.values[i]);
    row.wavelength = row.used == 0.0 ? 0.0 : kTurn / row.used;
    row.cycles = row.used * static_cast<double>(plan.training_length) / kTurn;
    row.kind = classify(row.used, row.cycles, plan.training_length);
    rows.push_back(row);
  }
  return rows;
}

nlohmann::json frequencies_json(const std::vector<FrequencyRow>& rows) {
  nlohmann::json out = nlohmann::json::array();
  for (const FrequencyRow& row : rows) {
    nlohmann::json entry = {{"pair", row.pair},
                            {"unscaled", row.unscaled},
                            {"frequency", row.used},
                            {"wavelength", nullptr},
                            {"cycles_in_training_length", nullptr},
                            {"class", row.kind}};
    if (row.used != 0.0) entry["wavelength"] = row.wavelength;
    if (row.kind != "unknown") entry["cycles_in_training_length"] = row.cycles;
    out.push_back(std::move(entry));
  }
  return out;
}

nlohmann::json folder_json(const ModelFolder& folder) {
  const models::DecoderConfig& config = folder.config();
  nlohmann::json position = to_json(config.position, config.layer_plans);
  position["frequencies"] = frequencies_json(frequency_rows(config.position));
  position["slopes"] = folder.encoding().bias_slopes(0);
  position["depends_on_total_length"] =
      folder.encoding().length_use() == position::LengthUse::kTotal;
  nlohmann::json out = {{"name", folder.spec().name},
                        {"architecture", config.architecture},
                        {"parameters", folder.parameter_count()},
                        {"dtype", folder.weight_dtypes()},
                        {"vocabulary", config.vocabulary},
                        {"width", config.width},
                        {"layers", config.layers},
                        {"heads", config.heads},
                        {"kv_heads", config.kv_heads},
                        {"head_dim", config.head_dim},
                        {"mlp_width", config.mlp_width},
                        {"tied_head", config.head == models::Head::kTied},
                        {"training_length", position.at("training_length")},
                        {"position", position},
                        {"tokenizer", nullptr},
                        {"bos", {{"id", nullptr}, {"reason", folder.bos().reason}}},
                        {"end_of_text", nullptr},
                        {"notes", folder.notes()}};
  if (folder.tokenizer() != nullptr) out["tokenizer"] = folder.tokenizer()->description();
  if (folder.bos().id) out["bos"]["id"] = *folder.bos().id;
  if (const auto id = folder.codec().end_of_text()) out["end_of_text"] = *id;
  const models::GenerationEnds& ends = folder.generation_ends();
  out["generation_ends"] = {{"ids", ends.ids}, {"reason", ends.reason}};
  return out;
}

void print_line(std::string_view name, const std::string& value) {
  fmt::print("{:<16} {}\n", name, escaped(value));
}

void print_model(const ModelFolder& folder) {
  const models::DecoderConfig& config = folder.config();
  print_line("model", folder.spec().name);
  print_line("architecture", config.architecture);
  print_line("parameters", fmt::format("{}", folder.parameter_count()));
  print_line("weights", folder.weight_dtypes());
  print_line("vocabulary", fmt::format("{}", config.vocabulary));
  print_line("shape",
             fmt::format("{} layers, width {}, {} query heads and {} key heads of {}, MLP {}{}",
                         config.layers, config.width, config.heads, config.kv_heads,
                         config.head_dim, config.mlp_width,
                         config.head == models::Head::kTied ? ", head tied to the embedding" : ""));
  print_line("training length", config.position.training_length == 0
                                    ? "unknown"
                                    : fmt::format("{} tokens", config.position.training_length));
  print_line("tokenizer",
             folder.tokenizer() == nullptr ? "none" : folder.tokenizer()->description());
  const models::BosDecision& bos = folder.bos();
  print_line("BOS",
             fmt::format("{} ({})", bos.id ? fmt::format("{}", *bos.id) : "none", bos.reason));
  const models::GenerationEnds& ends = folder.generation_ends();
  print_line("answers end at",
             fmt::format("{} ({})",
                         ends.ids.empty() ? "no id" : fmt::format("{}", fmt::join(ends.ids, ", ")),
                         ends.reason));
  for (const std::string& note : folder.notes()) print_line("note", note);
}

/// Leaves of the plan's JSON, "scaling.factor  4.0".
void print_values(const std::string& prefix, const nlohmann::json& object) {
  for (const auto& [key, value] : object.items()) {
    if (key == "sources") continue;
    if (value.is_object()) {
      print_values(prefix + key + ".", value);
    } else {
      fmt::print("  {:<46} {}\n", escaped(prefix + key), escaped(value.dump()));
    }
  }
}

void print_frequencies(const PositionPlan& plan, bool depends_on_length) {
  const std::vector<FrequencyRow> rows = frequency_rows(plan);
  if (rows.empty()) return;
  std::size_t full = 0;
  std::size_t partial = 0;
  for (const FrequencyRow& row : rows) {
    full += row.kind == "full" ? 1 : 0;
    partial += row.kind == "partial" ? 1 : 0;
  }
  fmt::print("\nfrequencies: {} of {} turn at least once within the training length, {} do not{}\n",
             full, rows.size(), partial,
             rows.size() == full + partial
                 ? ""
                 : fmt::format(", {} are zero", rows.size() - full - partial));
  if (depends_on_length) {
    fmt::print("they depend on the length of the sequence; shown for the training length\n");
  }
  fmt::print("  {:>5} {:>16} {:>16} {:>16} {:>12}  {}\n", "pair", "unscaled", "rad/token",
             "wavelength", "cycles", "class");
  for (const FrequencyRow& row : rows) {
    fmt::print("  {:>5} {:>16.9g} {:>16.9g} {:>16} {:>12.4f}  {}\n", row.pair, row.unscaled,
               row.used, row.used == 0.0 ? "-" : fmt::format("{:.6g}", row.wavelength), row.cycles,
               row.kind);
  }
}

/// "0-2, 4" of ascending numbers.
std::string ranges_of(const std::vector<std::int64_t>& numbers) {
  std::string out;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", numbers[first]);
    if (last > first) out += fmt::format("-{}", numbers[last]);
    first = last + 1;
  }
  return out;
}

/// The layers that follow plan `kind`.
std::string layers_of(const position::LayerPlans& layers, std::int64_t kind) {
  std::vector<std::int64_t> numbers;
  for (std::size_t layer = 0; layer < layers.of_layer.size(); ++layer) {
    if (layers.of_layer[layer] == kind) numbers.push_back(static_cast<std::int64_t>(layer));
  }
  return ranges_of(numbers);
}

void print_plan(const PositionPlan& plan, bool depends_on_length) {
  print_values("", to_json(plan));
  fmt::print("\nwhere each value came from\n");
  for (const position::ValueSource& source : plan.sources) {
    fmt::print("  {:<46} {}\n", escaped(source.field), escaped(source.source));
  }
  print_frequencies(plan, depends_on_length);
}

void print_position(const ModelFolder& folder) {
  const PositionPlan& plan = folder.config().position;
  const position::LayerPlans& layers = folder.config().layer_plans;
  const bool depends_on_length = folder.encoding().length_use() == position::LengthUse::kTotal;
  const bool has_kinds = !layers.others.empty();
  fmt::print(
      "\nposition plan{}\n",
      has_kinds ? fmt::format(" of layers {} ({})", layers_of(layers, 0), layers.names[0]) : "");
  print_plan(plan, depends_on_length);
  for (std::size_t i = 0; i < layers.others.size(); ++i) {
    fmt::print("\nposition plan of layers {} ({})\n",
               layers_of(layers, static_cast<std::int64_t>(i + 1)), layers.names[i + 1]);
    print_plan(layers.others[i], depends_on_length);
  }
  if (plan.kind == Kind::kFope) {
    std::int64_t matrices = 1;
    if (plan.fope.heads == position::Fope::Heads::kSeparate) matrices = plan.heads;
    if (plan.fope.heads == position::Fope::Heads::kKeyHeads) matrices = plan.kv_heads;
    fmt::print(
        "\nFoPE: each layer has {} of {} frequencies x {} pairs; {} of {} pairs are padded\n",
        matrices > 1 ? fmt::format("{} matrices a wave", matrices) : "one matrix a wave",
        plan.fope.input_count, plan.fope.output_count, plan.head_dim / 2 - plan.fope.output_count,
        plan.head_dim / 2);
  }
  const std::vector<double> slopes = folder.encoding().bias_slopes(0);
  if (slopes.empty()) return;
  fmt::print("\nALiBi slopes\n");
  for (std::size_t h = 0; h < slopes.size(); ++h) {
    fmt::print("  head {:>4} {:>16.9g}\n", h, slopes[h]);
  }
}

}  // namespace

int inspect(const InspectOptions& options) {
  const ModelFolder folder = open_model(options.model, options.position, options.bos);
  if (options.format == InspectOptions::Format::kJson) {
    fmt::print("{}\n", folder_json(folder).dump(2));
  } else {
    print_model(folder);
    print_position(folder);
  }
  return kDone;
}

}  // namespace yardstick::cli
