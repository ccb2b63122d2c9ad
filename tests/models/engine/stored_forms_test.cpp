// One model in several stored forms: whatever numbers the file holds, the engine computes with
// exactly those, so forms that hold the same numbers give the same losses to the bit.
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "core/file.hpp"
#include "models/checkpoint/gguf.hpp"
#include "models/engine/load_engine.hpp"
#include "models/model_folder.hpp"
#include "tests/models/arch/small_llama.hpp"
#include "tests/support/gguf_file.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

namespace fs = std::filesystem;

std::vector<double> losses(const fs::path& path, const std::vector<TokenId>& tokens,
                           models::ComputeType type = models::ComputeType::kFloat32) {
  const models::ModelFolder model = open_model(path);
  models::EngineOptions options;
  options.dtype = type;
  const auto engine = models::load_engine(model, options);
  const Request request{.tokens = tokens, .score_from = 1};
  const Response response = engine->respond({&request, 1}, {}).front();
  return {response.nll.begin(), response.nll.end()};
}

const std::vector<TokenId> kTokens = {1, 4, 2, 5, 3, 0, 4, 4, 1, 2};

TEST(StoredForms, AGgufFileGivesTheLossesOfItsFolder) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::vector<TokenId> tokens = {1, 400, 410, 42, 300, 33, 77, 500, 2, 9};
  EXPECT_EQ(losses(shared_path("models/stories260K/model.gguf"), tokens),
            losses(shared_path("models/stories260K"), tokens));
}

/// A folder with the tensors of `source` as f32.
void write_as_floats(const checkpoint::TensorSource& source, const nlohmann::json& config,
                     const TemporaryFolder& folder) {
  std::vector<checkpoint::TensorToWrite> tensors;
  for (const checkpoint::TensorView& view : source.tensors()) {
    const std::vector<float> values = to_floats(view);
    const auto bytes = std::as_bytes(std::span(values));
    tensors.push_back(
        {.name = view.name, .shape = view.shape, .bytes = {bytes.begin(), bytes.end()}});
  }
  checkpoint::write_safetensors(folder / "model.safetensors", tensors, {});
  write_file_atomically(folder / "config.json", config.dump());
}

std::string q8_blocks(std::int64_t elements) {
  std::string out;
  for (std::int64_t i = 0; i < elements; ++i) {
    const std::int64_t scale = 0x2000 + i % 7 * 64;  // binary16: 2^-7 and above
    if (i % 32 == 0) out += GgufFile::raw(static_cast<std::uint16_t>(scale));
    out.push_back(static_cast<char>((i * 29) % 200 - 100));
  }
  return out;
}

TEST(StoredForms, Q8NumbersAreThoseOfTheirFloats) {
  GgufFile file = gguf_keys("llama", {.width = 64, .mlp = 96, .heads = 2});
  file.u32("llama.attention.head_count_kv", 1).f32("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  const auto q8 = [&](const char* name, std::int64_t rows, std::int64_t columns) {
    file.tensor(name, {rows, columns}, GgufFile::kQ8, q8_blocks(rows * columns));
  };
  q8("token_embd.weight", 6, 64);
  q8("blk.0.attn_q.weight", 64, 64);
  q8("blk.0.attn_k.weight", 32, 64);
  q8("blk.0.attn_v.weight", 32, 64);
  q8("blk.0.attn_output.weight", 64, 64);
  q8("blk.0.ffn_gate.weight", 96, 64);
  q8("blk.0.ffn_up.weight", 96, 64);
  q8("blk.0.ffn_down.weight", 64, 96);
  for (const char* const norm :
       {"blk.0.attn_norm.weight", "blk.0.ffn_norm.weight", "output_norm.weight"}) {
    file.matrix(norm, {64}, small_number);
  }
  const TemporaryFolder folder;
  write_file_atomically(folder / "m.gguf", file.bytes());
  const checkpoint::GgufModel stored = checkpoint::open_gguf(folder / "m.gguf");
  write_as_floats(*stored.tensors, stored.config, folder);
  EXPECT_EQ(losses(folder / "m.gguf", kTokens), losses(folder.path(), kTokens));
  EXPECT_EQ(losses(folder / "m.gguf", kTokens, models::ComputeType::kBFloat16),
            losses(folder.path(), kTokens, models::ComputeType::kBFloat16));
}

class EightBits : public testing::TestWithParam<checkpoint::DType> {};

TEST_P(EightBits, NumbersAreThoseOfTheirFloats) {
  SmallLlama model;
  for (checkpoint::TensorToWrite& tensor : model.tensors) {
    tensor.dtype = GetParam();
    tensor.bytes.resize(tensor.bytes.size() / sizeof(float));
    for (std::size_t i = 0; i < tensor.bytes.size(); ++i) {
      tensor.bytes[i] = static_cast<std::byte>((i * 37) % 0x40 + (i % 2) * 0x80);  // no NaN there
    }
  }
  const TemporaryFolder folder;
  model.write(folder);
  const TemporaryFolder floats;
  write_as_floats(*checkpoint::open_folder(folder.path()), model.config, floats);
  const std::vector<double> found = losses(folder.path(), kTokens);
  EXPECT_EQ(found, losses(floats.path(), kTokens));
  for (const double loss : found) EXPECT_TRUE(std::isfinite(loss));
}

INSTANTIATE_TEST_SUITE_P(Formats, EightBits,
                         testing::Values(checkpoint::DType::kFloat8E4M3,
                                         checkpoint::DType::kFloat8E5M2),
                         [](const auto& instance) {
                           return std::string(to_string(instance.param));
                         });

}  // namespace
}  // namespace yardstick::test
