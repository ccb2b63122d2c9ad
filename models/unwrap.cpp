#include "models/unwrap.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/arch/registry.hpp"
#include "models/checkpoint/renamed.hpp"

namespace yardstick::models {
namespace {

using checkpoint::RenamedSource;
using checkpoint::TensorSource;
using checkpoint::TensorView;

constexpr std::array<std::string_view, 3> kWrappers = {"module.", "_orig_mod.",
                                                       "base_model.model."};

/// The wrapper whose prefix every tensor has.
std::optional<std::string_view> common_wrapper(const TensorSource& source) {
  if (source.tensors().empty()) return std::nullopt;
  for (const std::string_view prefix : kWrappers) {
    const auto has_prefix = [&](const TensorView& view) { return view.name.starts_with(prefix); };
    if (std::ranges::all_of(source.tensors(), has_prefix)) return prefix;
  }
  return std::nullopt;
}

/// Wrappers lie within wrappers, each taken off in its turn.
void take_off_prefixes(Unwrapped& model) {
  while (const std::optional<std::string_view> prefix = common_wrapper(*model.tensors)) {
    model.tensors = std::make_unique<RenamedSource>(
        std::move(model.tensors),
        [&](std::string_view name) { return std::string(name.substr(prefix->size())); });
    model.notes.push_back(fmt::format(
        "all tensor names begin with '{}', which a wrapper wrote; read without it", *prefix));
  }
}

/// The text model's name of a tensor, in both orders that multimodal checkpoints have.
std::optional<std::string> text_name(std::string_view name) {
  constexpr std::string_view kInner = "model.language_model.";
  constexpr std::string_view kOuter = "language_model.";
  if (name.starts_with(kInner)) return fmt::format("model.{}", name.substr(kInner.size()));
  if (name.starts_with(kOuter)) return std::string(name.substr(kOuter.size()));
  if (name.starts_with("lm_head.")) return std::string(name);
  return std::nullopt;
}

void take_tensors_of_text(Unwrapped& model) {
  const auto all = static_cast<std::int64_t>(model.tensors->tensors().size());
  model.tensors = std::make_unique<RenamedSource>(std::move(model.tensors), text_name);
  const auto kept = static_cast<std::int64_t>(model.tensors->tensors().size());
  model.notes.push_back(
      fmt::format("the text model of a multimodal one (text_config): {} tensors of language_model "
                  "are read, {} of other parts (vision, audio, projectors) are not",
                  kept, all - kept));
}

bool is_known(const ConfigSource& config) {
  return std::ranges::any_of(architectures(), [&](const Architecture* architecture) {
    return architecture->accepts(config);
  });
}

}  // namespace

std::optional<ConfigSource> text_model(const ConfigSource& config) {
  if (!config.values.is_object() || is_known(config)) return std::nullopt;
  const auto text = config.values.find("text_config");
  if (text == config.values.end() || !text->is_object()) return std::nullopt;
  if (!text->contains("model_type")) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("{}: model_type {} is a multimodal model whose text_config has no "
                    "model_type; add the text model's (\"llama\", ...)",
                    config.file, config.values.value("model_type", nlohmann::json()).dump()));
  }
  nlohmann::json values = *text;
  // What belongs to the whole stands beside text_config.
  for (const char* const key :
       {"tie_word_embeddings", "bos_token_id", "eos_token_id", "quantization_config"}) {
    const auto outer = config.values.find(key);
    if (outer != config.values.end() && !values.contains(key)) values[key] = *outer;
  }
  return ConfigSource{.values = std::move(values), .file = config.file + ": text_config"};
}

Unwrapped unwrap(std::unique_ptr<TensorSource> tensors, ModelPart part) {
  Unwrapped model{.tensors = std::move(tensors)};
  take_off_prefixes(model);
  if (part == ModelPart::kText) take_tensors_of_text(model);
  return model;
}

}  // namespace yardstick::models
