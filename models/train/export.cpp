#include "models/train/export.hpp"

#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "core/version.hpp"
#include "models/arch/yardstick.hpp"
#include "models/checkpoint/containers.hpp"
#include "models/train/small_world/tokenizer_json.hpp"

namespace yardstick::models {
namespace {

namespace fs = std::filesystem;
using checkpoint::DType;
using checkpoint::TensorToWrite;

std::vector<std::byte> float32_bytes(std::span<const float> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

TensorToWrite weight_to_write(const Parameter& parameter, const std::string& dtype) {
  const at::Tensor values = parameter.weight.detach().contiguous();
  const std::span<const float> floats(values.data_ptr<float>(),
                                      static_cast<std::size_t>(values.numel()));
  const bool is_bfloat16 = dtype == "bfloat16";
  return {.name = yardstick_tensor_name(parameter.name),
          .dtype = is_bfloat16 ? DType::kBFloat16 : DType::kFloat32,
          .shape = values.sizes().vec(),
          .bytes = is_bfloat16 ? checkpoint::to_bfloat16_bytes(floats) : float32_bytes(floats)};
}

void add_coefficients(const ExportedModel& model, std::vector<TensorToWrite>& tensors) {
  const position::Fope& fope = model.decoder.position.fope;
  const std::vector<std::int64_t> shape = {model.decoder.heads, fope.input_count,
                                           fope.output_count};
  for (std::size_t layer = 0; layer < model.coefficients.size(); ++layer) {
    const auto add = [&](std::string_view part, const std::vector<float>& values) {
      tensors.push_back(
          {.name = yardstick_tensor_name(fmt::format("layers.{}.fope.{}_coef", layer, part)),
           .dtype = DType::kFloat32,
           .shape = shape,
           .bytes = float32_bytes(values)});
    };
    add("cos", model.coefficients[layer].cos);
    add("sin", model.coefficients[layer].sin);
  }
}

nlohmann::ordered_json provenance(const ExportedModel& model) {
  const TrainConfig& config = model.config;
  nlohmann::ordered_json json;
  json["config"] = config.name;
  json["model"] = model.model.name;
  json["program"] = fmt::format("yardstick {}", kVersion);
  json["seed"] = config.seed;
  json["data"] = config.data.kind == TrainData::Kind::kSmallWorld
                     ? std::string("small_world")
                     : config.data.text_file.filename().string();
  json["window_tokens"] = config.window_tokens;
  json["batch_windows"] = config.batch_windows;
  json["steps"] = model.state.step;
  json["planned_steps"] = config.steps;
  json["tokens"] = model.state.step * config.batch_windows * config.window_tokens;
  json["learning_rate"] = config.learning_rate;
  json["warmup_steps"] = config.warmup_steps;
  json["weight_decay"] = config.weight_decay;
  json["clip_norm"] = config.clip_norm;
  if (model.decoder.position.kind == position::Kind::kFope) {
    json["fope_gain"] = model.model.fope_gain;
  }
  json["final_loss_nats"] = model.state.smoothed_loss;
  if (model.retrieval) json["retrieval_in_window"] = *model.retrieval;
  json["fingerprint"] = model.fingerprint;
  return json;
}

}  // namespace

void write_tokenizer(const fs::path& folder, const TrainConfig& config) {
  std::string tokenizer = small_world::tokenizer_json();
  std::string settings = small_world::tokenizer_config_json();
  if (!config.data.tokenizer.empty()) {
    tokenizer = read_file(config.data.tokenizer);
    const fs::path beside = config.data.tokenizer.parent_path() / "tokenizer_config.json";
    settings = fs::exists(beside) ? read_file(beside) : "{}\n";
  }
  write_file_atomically(folder / "tokenizer.json", tokenizer);
  write_file_atomically(folder / "tokenizer_config.json", settings);
}

void write_model_folder(const fs::path& folder, const ExportedModel& model) {
  std::vector<TensorToWrite> tensors;
  for (const Parameter& parameter : model.state.parameters) {
    tensors.push_back(weight_to_write(parameter, model.config.save_dtype));
  }
  add_coefficients(model, tensors);
  write_file_atomically(folder / "config.json", yardstick_config(model.decoder).dump(2) + "\n");
  checkpoint::write_safetensors(folder / "model.safetensors", std::move(tensors),
                                {{"format", "pt"}});
  write_file_atomically(folder / "training.json", provenance(model).dump(2) + "\n");
}

}  // namespace yardstick::models
