// Which file of a checkpoint folder holds its weights.
#include <fmt/format.h>

#include "core/error.hpp"
#include "models/checkpoint/containers.hpp"

namespace yardstick::checkpoint {

std::unique_ptr<TensorSource> open_folder(const std::filesystem::path& folder) {
  struct Choice {
    const char* name;
    std::unique_ptr<TensorSource> (*open)(const std::filesystem::path&);
  };
  constexpr Choice kChoices[] = {{"model.safetensors", open_safetensors},
                                 {"model.safetensors.index.json", open_sharded_safetensors},
                                 {"model.pt", open_torch_file},
                                 {"pytorch_model.bin", open_torch_file}};
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("{}: is not a folder; expected a checkpoint's folder", folder.string()));
  }
  std::string looked_for;
  for (const Choice& choice : kChoices) {
    if (std::filesystem::exists(folder / choice.name, ignored))
      return choice.open(folder / choice.name);
    looked_for += looked_for.empty() ? choice.name : std::string(", ") + choice.name;
  }
  const bool has_torch_index =
      std::filesystem::exists(folder / "pytorch_model.bin.index.json", ignored);
  throw Error(ErrorKind::kModel,
              fmt::format("{}: has no weights; looked for {}{}", folder.string(), looked_for,
                          has_torch_index ? ". It has sharded PyTorch files, which are not read: "
                                            "save the model as safetensors"
                                          : ""));
}

}  // namespace yardstick::checkpoint
