#include "models/train/state.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "models/checkpoint/containers.hpp"
#include "models/train/initial.hpp"

namespace yardstick::models {
namespace {

namespace fs = std::filesystem;
using checkpoint::DType;
using checkpoint::TensorToWrite;
using checkpoint::TensorView;

constexpr std::string_view kStep = "run.step";
constexpr std::string_view kLoss = "run.smoothed_loss";
constexpr std::string_view kFingerprint = "run.fingerprint";

TensorToWrite to_write(std::string name, const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().contiguous();
  const auto* begin = reinterpret_cast<const std::byte*>(values.data_ptr<float>());
  return {.name = std::move(name),
          .dtype = DType::kFloat32,
          .shape = values.sizes().vec(),
          .bytes = {begin, begin + values.numel() * static_cast<std::int64_t>(sizeof(float))}};
}

TensorToWrite bytes_to_write(std::string_view name, DType dtype, std::int64_t count,
                             std::span<const std::byte> bytes) {
  return {.name = std::string(name),
          .dtype = dtype,
          .shape = {count},
          .bytes = {bytes.begin(), bytes.end()}};
}

const TensorView& need(const checkpoint::TensorSource& source, std::string_view name,
                       const std::vector<std::int64_t>& shape, const fs::path& file) {
  const TensorView* view = checkpoint::find_tensor(source, name);
  if (view == nullptr || view->shape != shape) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: tensor '{}' of shape {} is missing or has another shape; delete "
                            "the file to train this model from the start",
                            file.string(), name, checkpoint::shape_text(shape)));
  }
  return *view;
}

/// The raw bytes of a one-dimensional tensor.
std::span<const std::byte> raw_bytes(const TensorView& view) {
  const auto size = static_cast<std::size_t>(checkpoint::size_of(view.dtype));
  return view.storage.subspan(static_cast<std::size_t>(view.offset) * size,
                              static_cast<std::size_t>(view.element_count()) * size);
}

template <typename T>
T scalar(const TensorView& view, const fs::path& file) {
  const std::span<const std::byte> bytes = raw_bytes(view);
  if (bytes.size() != sizeof(T)) {
    throw Error(ErrorKind::kData, fmt::format("{}: tensor '{}' has {} bytes, expected {}",
                                              file.string(), view.name, bytes.size(), sizeof(T)));
  }
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

void check_fingerprint(const TensorView& view, const std::string& expected, const fs::path& file) {
  const std::span<const std::byte> bytes = raw_bytes(view);
  const std::string_view found(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (found != expected) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: was written by a run with another configuration; delete it, or "
                            "give another output folder with -o",
                            file.string()));
  }
}

void copy_into(at::Tensor& target, const std::vector<float>& values) {
  std::memcpy(target.data_ptr<float>(), values.data(), values.size() * sizeof(float));
}

}  // namespace

std::string train_fingerprint(const TrainConfig& config, const TrainModel& model) {
  Fingerprint print;
  DecoderConfig decoder = config.decoder;
  decoder.position = model.position;
  describe(decoder, print);
  print.add("fope_gain", model.fope_gain)
      .add("data", static_cast<int>(config.data.kind))
      .add("window", config.window_tokens)
      .add("batch", config.batch_windows)
      .add("steps", config.steps)
      .add("warmup", config.warmup_steps)
      .add("rate", config.learning_rate)
      .add("final_ratio", config.final_learning_rate_ratio)
      .add("beta1", config.beta1)
      .add("beta2", config.beta2)
      .add("decay", config.weight_decay)
      .add("clip", config.clip_norm)
      .add("seed", config.seed);
  if (config.data.kind == TrainData::Kind::kTextFile) {
    print.add("text", sha256_file(config.data.text_file))
        .add("tokenizer", sha256_file(config.data.tokenizer));
  }
  return print.hex();
}

TrainState initial_state(const TrainConfig& config) {
  TrainState state;
  for (const DecoderTensor& tensor : decoder_tensors(config.decoder)) {
    state.parameters.push_back(make_parameter(tensor.name, tensor.shape,
                                              initial_values(tensor, config.decoder, config.seed)));
  }
  return state;
}

void write_state(const fs::path& file, const TrainState& state, const std::string& fingerprint) {
  std::vector<TensorToWrite> tensors;
  const auto bytes_of = [](const auto& value) { return std::as_bytes(std::span(&value, 1)); };
  tensors.push_back(bytes_to_write(kStep, DType::kInt64, 1, bytes_of(state.step)));
  tensors.push_back(bytes_to_write(kLoss, DType::kFloat64, 1, bytes_of(state.smoothed_loss)));
  tensors.push_back(bytes_to_write(kFingerprint, DType::kUInt8,
                                   static_cast<std::int64_t>(fingerprint.size()),
                                   std::as_bytes(std::span(fingerprint))));
  for (const Parameter& parameter : state.parameters) {
    tensors.push_back(to_write("weight." + parameter.name, parameter.weight));
    tensors.push_back(to_write("first." + parameter.name, parameter.first_moment));
    tensors.push_back(to_write("second." + parameter.name, parameter.second_moment));
  }
  checkpoint::write_safetensors(file, std::move(tensors), {});
}

TrainState read_state(const fs::path& file, const TrainConfig& config,
                      const std::string& fingerprint) {
  TrainState state = initial_state(config);
  if (!fs::exists(file)) return state;
  const auto source = checkpoint::open_safetensors(file);
  check_fingerprint(
      need(*source, kFingerprint, {static_cast<std::int64_t>(fingerprint.size())}, file),
      fingerprint, file);
  state.step = scalar<std::int64_t>(need(*source, kStep, {1}, file), file);
  state.smoothed_loss = scalar<double>(need(*source, kLoss, {1}, file), file);
  for (Parameter& parameter : state.parameters) {
    const std::vector<std::int64_t> shape = parameter.weight.sizes().vec();
    const auto read = [&](std::string_view part) {
      return checkpoint::to_floats(
          need(*source, fmt::format("{}.{}", part, parameter.name), shape, file));
    };
    copy_into(parameter.weight, read("weight"));
    copy_into(parameter.first_moment, read("first"));
    copy_into(parameter.second_moment, read("second"));
  }
  return state;
}

}  // namespace yardstick::models
