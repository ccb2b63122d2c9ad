// Readers of weight containers (safetensors, PyTorch .pt/.bin) and the safetensors writer.
// All input is untrusted: headers are validated before a byte of data is used, sizes before
// anything is allocated, and no code is ever run.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/checkpoint/tensor.hpp"

namespace yardstick::checkpoint {

/// One .safetensors file. @throws Error(kData) naming file and tensor.
[[nodiscard]] std::unique_ptr<TensorSource> open_safetensors(const std::filesystem::path& file);

/// A sharded checkpoint through its model.safetensors.index.json: every shard present and complete,
/// every tensor exactly where the index says. Shard names may not leave the folder.
[[nodiscard]] std::unique_ptr<TensorSource> open_sharded_safetensors(
    const std::filesystem::path& index_file);

/// A torch.save file of a state dict, in its zip form (CRC-checked records) or the one before
/// PyTorch 1.6: a pickle machine with an allow-list (OrderedDict, _rebuild_tensor_v2,
/// _rebuild_parameter, storages), nothing executed.
[[nodiscard]] std::unique_ptr<TensorSource> open_torch_file(const std::filesystem::path& file);

/// The same for files of torch.save through their pytorch_model.bin.index.json.
[[nodiscard]] std::unique_ptr<TensorSource> open_sharded_torch_files(
    const std::filesystem::path& index_file);

/// The weights of a checkpoint folder, whichever of model.safetensors, its index, model.pt,
/// pytorch_model.bin or its index it has (in this order). @throws Error(kModel) listing what was
/// looked for, and what to do with what is there instead (shards without an index, OLMo's sharded
/// training checkpoints, a .gguf file).
[[nodiscard]] std::unique_ptr<TensorSource> open_folder(const std::filesystem::path& folder);

/// A tensor to write: contiguous bytes in `dtype`.
struct TensorToWrite {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

/// Writes a safetensors file atomically: aligned header, tensors in the order given.
void write_safetensors(const std::filesystem::path& file, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata);

/// f32 to bf16 with round-to-nearest-even, as bytes.
[[nodiscard]] std::vector<std::byte> to_bfloat16_bytes(std::span<const float> values);

}  // namespace yardstick::checkpoint
