#include "tasks/downstream/example_config.hpp"

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace yardstick::tasks {
namespace {

constexpr std::int64_t kMostExamples = 100'000;

using ChoiceWord = std::pair<std::string_view, ExampleChoice>;
constexpr std::array<ChoiceWord, 2> kSamplers = {
    {{"default", ExampleChoice::kRandom}, {"first_n", ExampleChoice::kFirst}}};

std::vector<nlohmann::ordered_json> read_samples(Fields& config) {
  std::vector<nlohmann::ordered_json> samples;
  for (const std::string& pointer : config.elements("samples")) {
    const nlohmann::json& sample =
        config.located().values().at(nlohmann::json::json_pointer(pointer));
    if (!sample.is_object()) {
      throw config.error("samples", fmt::format("element {} is {}, expected a document such as "
                                                "{{question: ..., answer: ...}}",
                                                samples.size(), sample.type_name()));
    }
    samples.emplace_back(sample);
  }
  return samples;
}

std::vector<std::int64_t> read_indices(Fields& config) {
  std::vector<std::int64_t> indices;
  const nlohmann::json raw = config.raw("fewshot_indices");
  if (raw.is_null()) return indices;
  for (const nlohmann::json& index : raw) {
    if (!index.is_number_integer() || index.get<std::int64_t>() < 0) {
      throw config.error("fewshot_indices", "expected a list of indices from 0");
    }
    indices.push_back(index.get<std::int64_t>());
  }
  return indices;
}

}  // namespace

ExampleConfig read_example_config(Fields& fields, std::optional<Fields>& config) {
  ExampleConfig out;
  out.num_fewshot = fields.optional_integer("num_fewshot", 0, kMostExamples).value_or(0);
  out.num_fewshot_place = fields.where("num_fewshot");
  out.split = fields.optional_text("fewshot_split");
  if (!config) return out;
  if (config->has("split")) out.split = config->text("split");
  out.choice =
      config->choice("sampler", ExampleChoice::kRandom, std::span<const ChoiceWord>(kSamplers));
  out.samples = read_samples(*config);
  out.indices = read_indices(*config);
  if (out.split && !out.samples.empty()) {
    throw config->error("samples", "a split of worked examples is named, too; remove one of them");
  }
  return out;
}

}  // namespace yardstick::tasks
