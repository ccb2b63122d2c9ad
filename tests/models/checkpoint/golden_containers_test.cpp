// Every file of golden/containers: read with the values of its expected.json (written by PyTorch),
// or refused with a message that says what is wrong.
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "models/checkpoint/containers.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

using checkpoint::DType;
using checkpoint::TensorSource;
using checkpoint::TensorView;
using testing::ElementsAre;
using testing::HasSubstr;

std::filesystem::path container(const std::string& name) {
  return shared_path("golden/containers") / name;
}

DType dtype_of(const std::string& torch_name) {
  static const std::map<std::string, DType> kNames = {
      {"float64", DType::kFloat64},   {"float32", DType::kFloat32}, {"float16", DType::kFloat16},
      {"bfloat16", DType::kBFloat16}, {"int64", DType::kInt64},     {"int32", DType::kInt32},
      {"uint8", DType::kUInt8},       {"bool", DType::kBool}};
  return kNames.at(torch_name);
}

std::int64_t integer_at(const TensorView& view, std::int64_t index) {
  const std::byte* from = view.storage.data() + index * checkpoint::size_of(view.dtype);
  std::int64_t value = 0;  // little endian; the stored integers that are signed are I64 and I32
  std::memcpy(&value, from, static_cast<std::size_t>(checkpoint::size_of(view.dtype)));
  return view.dtype == DType::kInt32 ? static_cast<std::int32_t>(value) : value;
}

void expect_values(const TensorView& view, const nlohmann::json& values) {
  if (is_floating(view.dtype)) {
    const std::vector<float> found = to_floats(view);
    ASSERT_EQ(found.size(), values.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i], static_cast<float>(values[i].get<double>())) << view.name << " at " << i;
    }
    return;
  }
  ASSERT_TRUE(view.is_contiguous()) << view.name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(integer_at(view, view.offset + static_cast<std::int64_t>(i)),
              static_cast<std::int64_t>(values[i].get<double>()))
        << view.name << " at " << i;
  }
}

void expect_all_tensors(const TensorSource& source, const nlohmann::json& expected) {
  std::set<std::string> found;
  for (const TensorView& view : source.tensors()) found.insert(view.name);
  std::set<std::string> names;
  for (const auto& [name, entry] : expected.items()) names.insert(name);
  EXPECT_EQ(found, names);
  for (const auto& [name, entry] : expected.items()) {
    const TensorView* view = find_tensor(source, name);
    ASSERT_NE(view, nullptr) << name;
    EXPECT_EQ(view->dtype, dtype_of(entry["dtype"])) << name;
    EXPECT_EQ(view->shape, entry["shape"].get<std::vector<std::int64_t>>()) << name;
    expect_values(*view, entry["values"]);
  }
}

class TorchContainer : public testing::TestWithParam<const char*> {};

TEST_P(TorchContainer, GivesEveryTensorOfExpectedJson) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto source = checkpoint::open_torch_file(container(GetParam()));
  expect_all_tensors(*source, read_json(container("expected.json")));
  EXPECT_THAT(source->files(), ElementsAre(container(GetParam()).string()));
}

INSTANTIATE_TEST_SUITE_P(All, TorchContainer,
                         testing::Values("zip_default.pt", "zip_newer_layout.pt", "protocol4.pt",
                                         "nested_dict.pt", "legacy_nonzip.pt"),
                         [](const auto& instance) {
                           const std::string name = instance.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(GoldenContainers, SafetensorsOfTheSameTensorsHasTheSameValues) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto source = checkpoint::open_safetensors(container("ok.safetensors"));
  const nlohmann::json all = read_json(container("expected.json"));
  nlohmann::json expected;
  ASSERT_GT(source->tensors().size(), 4U);
  for (const TensorView& view : source->tensors()) {
    ASSERT_TRUE(all.contains(view.name)) << view.name;
    expected[view.name] = all[view.name];
  }
  expect_all_tensors(*source, expected);
}

TEST(GoldenContainers, EscapesInNamesUnknownMetadataAndScalarsAreRead) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto source =
      checkpoint::open_safetensors(container("ok_unknown_metadata_escapes.safetensors"));
  ASSERT_EQ(source->tensors().size(), 2U);
  const TensorView* weights = find_tensor(*source, "layer.0/wA");
  ASSERT_NE(weights, nullptr);
  EXPECT_THAT(to_floats(*weights), ElementsAre(1.5F, -2.0F));
  const TensorView* scalar = find_tensor(*source, "scalar");
  ASSERT_NE(scalar, nullptr);
  EXPECT_TRUE(scalar->shape.empty());
  EXPECT_THAT(to_floats(*scalar), ElementsAre(0.25F));
}

struct Refusal {
  const char* file;
  const char* says;
};

class RefusedContainer : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedContainer, SaysWhatIsWrong) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::filesystem::path file = container(GetParam().file);
  const std::string message = error_message([&] {
    static_cast<void>(file.extension() == ".pt" ? checkpoint::open_torch_file(file)
                                                : checkpoint::open_safetensors(file));
  });
  EXPECT_THAT(message, HasSubstr(file.string()));
  EXPECT_THAT(message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedContainer,
    testing::Values(Refusal{"refuse_global.pt", "asks for os.getcwd"},
                    Refusal{"refuse_short_storage.pt", "data/0 has 8 bytes"},
                    Refusal{"refuse_truncated.pt", "no zip directory at its end"},
                    Refusal{"refuse_header_too_long.safetensors", "1152921504606846976"},
                    Refusal{"refuse_not_json.safetensors", "not valid JSON"},
                    Refusal{"refuse_offsets_past_end.safetensors", "'a'"},
                    Refusal{"refuse_overflow_shape.safetensors", "more than 2^63"},
                    Refusal{"refuse_overlap.safetensors", "overlap"},
                    Refusal{"refuse_shape_mismatch.safetensors", "[5]"}),
    [](const auto& instance) {
      const std::string name = instance.param.file;
      return name.substr(0, name.find('.'));
    });

TEST(GoldenContainers, EveryFileOfTheFolderIsReadOrRefusedByATestAbove) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  for (const auto& entry : std::filesystem::directory_iterator(container(""))) {
    const std::string name = entry.path().filename().string();
    const std::string extension = entry.path().extension().string();
    if (extension != ".pt" && extension != ".safetensors") continue;
    const auto open = [&] {
      static_cast<void>(extension == ".pt" ? checkpoint::open_torch_file(entry.path())
                                           : checkpoint::open_safetensors(entry.path()));
    };
    if (name.starts_with("refuse_")) {
      EXPECT_THROW(open(), Error) << name;
    } else {
      EXPECT_NO_THROW(open()) << name;
    }
  }
}

}  // namespace
}  // namespace yardstick::test
