// The reference model folders open, and those whose golden.json lists a state dict have exactly its
// tensors, shapes and dtypes. golden.json was written by the code that made the weights.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "models/checkpoint/containers.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

namespace fs = std::filesystem;

using checkpoint::TensorSource;
using checkpoint::TensorView;

std::vector<fs::path> model_folders(std::string_view golden) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(shared_path(golden))) {
    if (fs::exists(entry.path() / "golden.json")) folders.push_back(entry.path());
  }
  return folders;
}

std::string torch_name(checkpoint::DType dtype) {
  switch (dtype) {
    case checkpoint::DType::kFloat32: return "float32";
    case checkpoint::DType::kFloat16: return "float16";
    case checkpoint::DType::kBFloat16: return "bfloat16";
    default: return std::string(to_string(dtype));
  }
}

void expect_state_dict(const TensorSource& source, const nlohmann::json& expected) {
  EXPECT_EQ(source.tensors().size(), expected.size());
  for (const auto& [name, entry] : expected.items()) {
    const TensorView* view = find_tensor(source, name);
    ASSERT_NE(view, nullptr) << name;
    EXPECT_EQ(view->shape, entry[0].get<std::vector<std::int64_t>>()) << name;
    EXPECT_EQ(torch_name(view->dtype), entry[1].get<std::string>()) << name;
  }
}

TEST(GoldenModels, OlmoCheckpointsHaveTheirStateDictInEveryContainer) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  int opened = 0;
  for (const fs::path& folder : model_folders("golden/olmo_fope")) {
    SCOPED_TRACE(folder.string());
    const nlohmann::json golden = read_json(folder / "golden.json");
    ASSERT_TRUE(golden.contains("state_dict"));
    if (fs::exists(folder / "model.pt")) {
      expect_state_dict(*checkpoint::open_torch_file(folder / "model.pt"), golden["state_dict"]);
      ++opened;
    }
    if (fs::exists(folder / "model.safetensors")) {
      expect_state_dict(*checkpoint::open_safetensors(folder / "model.safetensors"),
                        golden["state_dict"]);
      ++opened;
    }
  }
  EXPECT_GE(opened, 22);
}

TEST(GoldenModels, TorchFileAndSafetensorsOfOneModelHoldTheSameNumbers) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const fs::path folder = shared_path("golden/olmo_fope/fope");
  const auto torch = checkpoint::open_torch_file(folder / "model.pt");
  const auto safe = checkpoint::open_safetensors(folder / "model.safetensors");
  ASSERT_EQ(torch->tensors().size(), safe->tensors().size());
  for (std::size_t i = 0; i < safe->tensors().size(); ++i) {
    EXPECT_EQ(torch->tensors()[i].name, safe->tensors()[i].name);
    EXPECT_EQ(to_floats(torch->tensors()[i]), to_floats(safe->tensors()[i]));
  }
}

TEST(GoldenModels, HuggingFaceFoldersOpenAndEveryFloatingTensorReads) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  int opened = 0;
  for (const fs::path& folder : model_folders("golden/hf")) {
    SCOPED_TRACE(folder.string());
    const auto source = checkpoint::open_folder(folder);
    ASSERT_GT(source->tensors().size(), 4U);
    for (const TensorView& view : source->tensors()) {
      if (view.dtype == checkpoint::DType::kBool || view.dtype == checkpoint::DType::kUInt8)
        continue;
      EXPECT_EQ(static_cast<std::int64_t>(to_floats(view).size()), view.element_count());
    }
    ++opened;
  }
  EXPECT_GE(opened, 20);
}

TEST(GoldenModels, ShardsAreOneCheckpointWithItsIndexFirst) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const fs::path folder = shared_path("golden/hf/qwen2_sharded");
  const auto source = checkpoint::open_folder(folder);
  const nlohmann::json index = read_json(folder / "model.safetensors.index.json");
  EXPECT_EQ(source->tensors().size(), index["weight_map"].size());
  std::int64_t bytes = 0;
  for (const TensorView& view : source->tensors())
    bytes += static_cast<std::int64_t>(view.storage.size());
  EXPECT_EQ(bytes, index["metadata"]["total_size"].get<std::int64_t>());
  EXPECT_THAT(source->files(),
              testing::ElementsAre(testing::EndsWith("model.safetensors.index.json"),
                                   testing::EndsWith("model-00001-of-00002.safetensors"),
                                   testing::EndsWith("model-00002-of-00002.safetensors")));
}

}  // namespace
}  // namespace yardstick::test
