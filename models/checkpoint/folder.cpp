// Which file of a checkpoint folder holds its weights.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/home_path.hpp"
#include "models/checkpoint/containers.hpp"

namespace yardstick::checkpoint {
namespace {

namespace fs = std::filesystem;

/// What OLMo's trainers write for a model in parts: torch_legacy, local, and the two that go
/// through torch.distributed.checkpoint. The parts are pickles of FSDP's own objects.
constexpr std::array kShardedOlmo = {"rank0.pt", "model/rank0.pt", "model/.metadata",
                                     "model_and_optim/.metadata"};

/// The folder's files whose names end so, sorted.
std::vector<std::string> files_ending(const fs::path& folder, std::string_view ending) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

/// What the folder has instead of weights that are read, and what to do; "" if nothing is known.
std::string what_instead(const fs::path& folder) {
  const auto has = [&](const char* name) { return is_present(folder / name); };
  if (const auto* found = std::ranges::find_if(kShardedOlmo, has); found != kShardedOlmo.end()) {
    return fmt::format(
        ". It has {}, a part of an OLMo training checkpoint in parts: join them with "
        "OLMo's script: python scripts/unshard.py {} OUTPUT --model-only",
        *found, folder.string());
  }
  for (const std::string_view ending : {".safetensors", ".bin"}) {
    const std::vector<std::string> parts = files_ending(folder, ending);
    if (parts.empty()) continue;
    return fmt::format(
        ". It has {} ({} such files), but no index that says which tensor is where: "
        "fetch the file that ends in .index.json",
        parts.front(), parts.size());
  }
  if (const std::vector<std::string> found = files_ending(folder, ".gguf"); !found.empty()) {
    return fmt::format(". It has {}: name that file as the model", found.front());
  }
  return "";
}

}  // namespace

std::unique_ptr<TensorSource> open_folder(const fs::path& folder) {
  struct Choice {
    const char* name;
    std::unique_ptr<TensorSource> (*open)(const fs::path&);
  };
  constexpr Choice kChoices[] = {{"model.safetensors", open_safetensors},
                                 {"model.safetensors.index.json", open_sharded_safetensors},
                                 {"model.pt", open_torch_file},
                                 {"pytorch_model.bin", open_torch_file},
                                 {"pytorch_model.bin.index.json", open_sharded_torch_files}};
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("{}: is not a folder; expected a checkpoint's folder", folder.string()));
  }
  std::string looked_for;
  for (const Choice& choice : kChoices) {
    if (is_present(folder / choice.name)) return choice.open(folder / choice.name);
    looked_for += looked_for.empty() ? choice.name : std::string(", ") + choice.name;
  }
  throw Error(ErrorKind::kModel, fmt::format("{}: has no weights; looked for {}{}", folder.string(),
                                             looked_for, what_instead(folder)));
}

}  // namespace yardstick::checkpoint
