// A GGUF file as a model: the same decoder, tensors and tokens as the Hugging Face folder that it
// stands for.
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/hash.hpp"
#include "core/json.hpp"
#include "models/checkpoint/containers.hpp"
#include "models/checkpoint/gguf.hpp"
#include "tests/models/arch/small_llama.hpp"
#include "tests/support/gguf_file.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

namespace fs = std::filesystem;
using checkpoint::TensorSource;
using checkpoint::TensorView;
using testing::AllOf;
using testing::HasSubstr;

std::string identity(const models::DecoderConfig& config) {
  Fingerprint print;
  describe(config, print);
  return print.hex();
}

/// Every tensor of `found` is the one of `wanted` with this name, to the bit.
void expect_same_numbers(const TensorSource& found, const TensorSource& wanted) {
  for (const TensorView& view : found.tensors()) {
    const TensorView* const other = find_tensor(wanted, view.name);
    ASSERT_NE(other, nullptr) << view.name;
    EXPECT_EQ(view.shape, other->shape) << view.name;
    EXPECT_EQ(to_floats(view), to_floats(*other)) << view.name;
  }
}

// models/stories260K holds one model as a Hugging Face folder and as a GGUF file; its README says
// how the two were checked against each other and against llama.cpp.
TEST(GgufFolder, Stories260KIsTheSameModelInBothForms) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const models::ModelFolder folder = open_model(shared_path("models/stories260K"));
  const models::ModelFolder file = open_model(shared_path("models/stories260K/model.gguf"));
  EXPECT_EQ(file.spec().name, "model");
  EXPECT_EQ(identity(file.config()), identity(folder.config()));
  EXPECT_EQ(file.tensors().tensors().size(), folder.tensors().tensors().size());
  expect_same_numbers(file.tensors(), folder.tensors());
  EXPECT_EQ(file.bos().id, folder.bos().id);
  EXPECT_EQ(file.codec().end_of_text(), folder.codec().end_of_text());
}

TEST(GgufFolder, Stories260KHasTheSameTokensInBothForms) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const models::ModelFolder folder = open_model(shared_path("models/stories260K"));
  const models::ModelFolder file = open_model(shared_path("models/stories260K/model.gguf"));
  std::string text = read_file(shared_path("models/stories260K/wp100k.txt"));
  text += "  two  spaces, a tab\t, \xe2\x96\x81, <s> and \xf0\x9f\x98\x80\n";
  const std::vector<TokenId> ids = file.codec().encode(text);
  EXPECT_EQ(ids, folder.codec().encode(text));
  EXPECT_EQ(file.codec().decode(ids), folder.codec().decode(ids));
}

// As llama.cpp: the ends of a text, of a turn and of a message each end an answer.
TEST(GgufFolder, AnswersEndAtEveryEndThatTheFileNames) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "m.gguf", gguf_llama()
                                               .u32("tokenizer.ggml.eos_token_id", 2)
                                               .u32("tokenizer.ggml.eot_token_id", 1)
                                               .u32("tokenizer.ggml.eom_token_id", 3)
                                               .bytes());
  const models::ModelFolder model = open_model(folder / "m.gguf");
  EXPECT_EQ(model.codec().end_of_generation(), (std::vector<TokenId>{1, 2, 3}));
  EXPECT_EQ(model.codec().end_of_text(), 2);
}

// The vocabulary of a tokenizer.json as the converter stores it, and back: the ids of the golden
// texts must come out. The golden folders' ids are of the Hugging Face tokenizers library.
struct ByteLevel {
  const char* folder;
  const char* pre;
};

class GgufByteLevel : public testing::TestWithParam<ByteLevel> {};

GgufFile with_tokenizer(const nlohmann::json& tree, const std::string& pre) {
  std::map<std::int64_t, std::pair<std::string, std::int32_t>> tokens;
  for (const auto& [text, id] : tree["model"]["vocab"].items()) tokens[id] = {text, 1};
  for (const auto& added : tree["added_tokens"]) {
    tokens[added["id"]] = {added["content"], added["special"].get<bool>() ? 3 : 4};
  }
  std::vector<std::string> texts;
  std::vector<std::int32_t> types;
  for (const auto& [id, token] : tokens) {
    while (std::ssize(texts) < id) {  // holes, as the converter fills them
      texts.push_back("[PAD" + std::to_string(texts.size()) + "]");
      types.push_back(5);
    }
    texts.push_back(token.first);
    types.push_back(token.second);
  }
  std::vector<std::string> merges;
  for (const auto& merge : tree["model"]["merges"]) {
    merges.push_back(merge.is_string()
                         ? merge.get<std::string>()
                         : merge[0].get<std::string>() + " " + merge[1].get<std::string>());
  }
  return gguf_llama({.vocabulary = std::ssize(texts)})
      .text("tokenizer.ggml.model", "gpt2")
      .text("tokenizer.ggml.pre", pre)
      .texts("tokenizer.ggml.tokens", texts)
      .ints("tokenizer.ggml.token_type", types)
      .texts("tokenizer.ggml.merges", merges)
      .flag("tokenizer.ggml.add_bos_token", 0);
}

TEST_P(GgufByteLevel, GivesTheGoldenIds) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const fs::path golden = shared_path("golden/tokenizers") / GetParam().folder;
  const TemporaryFolder folder;
  write_file_atomically(
      folder / "m.gguf",
      with_tokenizer(read_json(golden / "tokenizer.json"), GetParam().pre).bytes());
  const models::ModelFolder model = open_model(folder / "m.gguf");
  std::istringstream cases(read_file(golden / "cases.jsonl"));
  int count = 0;
  for (std::string line; std::getline(cases, line); ++count) {
    const nlohmann::json one = nlohmann::json::parse(line);
    const auto text = one["text"].get<std::string>();
    EXPECT_EQ(model.codec().encode(text), one["ids"].get<std::vector<TokenId>>()) << text;
  }
  EXPECT_GT(count, 100);
}

INSTANTIATE_TEST_SUITE_P(All, GgufByteLevel,
                         testing::Values(ByteLevel{"gpt2-6k", "gpt-2"},
                                         ByteLevel{"llama3-style-6k", "llama-bpe"},
                                         ByteLevel{"qwen2-style-6k", "qwen2"},
                                         ByteLevel{"gpt-neox-olmo-dolma-v1_5", "olmo"}),
                         [](const auto& instance) {
                           std::string name = instance.param.folder;
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

TEST(GgufFolder, AnUnknownSplitIsRefusedUnlessATokenizerStandsBeside) {
  const TemporaryFolder folder;
  const std::string bytes = gguf_llama()
                                .text("tokenizer.ggml.model", "gpt2")
                                .text("tokenizer.ggml.pre", "viking")
                                .texts("tokenizer.ggml.tokens", {"a"})
                                .ints("tokenizer.ggml.token_type", {1})
                                .texts("tokenizer.ggml.merges", {})
                                .bytes();
  write_file_atomically(folder / "m.gguf", bytes);
  EXPECT_THAT(refusal_of(folder / "m.gguf"),
              AllOf(HasSubstr("'tokenizer.ggml.pre' is 'viking'"), HasSubstr("tokenizer.json")));
  write_file_atomically(folder / "tokenizer.json",
                        R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})");
  EXPECT_EQ(open_model(folder / "m.gguf").tokenizer()->size(), 1);
}

TEST(GgufFolder, WithoutATokenizerItOpensAndRefusesText) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "m.gguf", gguf_llama().bytes());
  const models::ModelFolder model = open_model(folder / "m.gguf");
  EXPECT_EQ(model.tokenizer(), nullptr);
  EXPECT_EQ(model.spec().name, "m");
  EXPECT_THAT(error_message([&] { static_cast<void>(model.codec().encode("x")); }),
              HasSubstr("tokenizer.json"));
}

// theta_i = base^(-2i/d) / factor_i, as llama.cpp computes it from rope_freqs.weight.
TEST(GgufFolder, FactorsOfAnyKindDivideTheFrequencies) {
  const std::vector<float> factors = {1.0F, 1.25F, 3.0F, 8.0F};
  const TemporaryFolder folder;
  write_file_atomically(folder / "m.gguf", gguf_llama({.width = 16})
                                               .f32("llama.rope.freq_base", 5000)
                                               .tensor("rope_freqs.weight", {4}, GgufFile::kF32,
                                                       GgufFile::bytes_of(factors))
                                               .bytes());
  const models::ModelFolder model = open_model(folder / "m.gguf");
  const auto found = model.encoding().frequencies(64);
  ASSERT_EQ(found.size(), factors.size());
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const double expected = std::pow(5000.0, -2.0 * static_cast<double>(i) / 8) / factors[i];
    EXPECT_NEAR(found[i], expected, 1e-6 * expected) << i;
  }
  EXPECT_EQ(model.encoding().plan().scaling.attention_factor, 1.0);
}

TEST(GgufFolder, TheFingerprintFollowsTheBytes) {
  const TemporaryFolder folder;
  std::string bytes = gguf_llama().bytes();
  write_file_atomically(folder / "a.gguf", bytes);
  write_file_atomically(folder / "b.gguf", bytes);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file_atomically(folder / "c.gguf", bytes);
  const std::string original = open_model(folder / "a.gguf").fingerprint();
  EXPECT_EQ(open_model(folder / "b.gguf").fingerprint(), original);
  EXPECT_NE(open_model(folder / "c.gguf").fingerprint(), original);
}

// Files of llama.cpp's own converter, where YARDSTICK_GGUF names a folder with them, made of the
// golden folders: hf.NAME.TYPE.gguf of golden/hf/NAME, hft.NAME.TYPE.gguf of
// golden/hf_transformers/NAME. Types f32, f16 and bf16 must give the folder's numbers (rounded to
// the type, but for norms and vectors), q8_0 numbers within half a step of a block's scale.
TEST(GgufPeer, ConvertedFilesHoldTheNumbersOfTheirFolders) {
  const char* const root = std::getenv("YARDSTICK_GGUF");
  if (root == nullptr) GTEST_SKIP() << "YARDSTICK_GGUF names no folder of converted files";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(root)) {
    SCOPED_TRACE(entry.path().string());
    const std::string stem = entry.path().stem().string();
    const std::string group = stem.substr(0, stem.find('.'));
    const std::string name = stem.substr(group.size() + 1, stem.rfind('.') - group.size() - 1);
    const std::string type = stem.substr(stem.rfind('.') + 1);
    const checkpoint::GgufModel file = checkpoint::open_gguf(entry.path());
    const auto folder = checkpoint::open_folder(
        shared_path(group == "hf" ? "golden/hf" : "golden/hf_transformers") / name);
    const nlohmann::json config = read_json(
        shared_path(group == "hf" ? "golden/hf" : "golden/hf_transformers") / name / "config.json");
    for (const auto& [key, value] : file.config.items()) {
      // MPT's code ignores expansion_ratio: its MLP is always four times as wide.
      const bool is_plain = value.is_number() || value.is_boolean();
      if (!is_plain || key == "expansion_ratio" || config.value(key, value).is_null()) continue;
      EXPECT_EQ(value, config.value(key, value)) << key;
    }
    double tolerance = 0;
    if (type == "f16") tolerance = 1.0 / 2048;
    if (type == "bf16") tolerance = 1.0 / 256;
    if (type == "q8_0") tolerance = 1.0 / 64;
    for (const TensorView& view : file.tensors->tensors()) {
      const std::string bare =
          view.name.starts_with("transformer.") ? view.name.substr(12) : view.name;
      const TensorView* other = find_tensor(*folder, view.name);
      if (other == nullptr) other = find_tensor(*folder, bare);
      ASSERT_NE(other, nullptr) << view.name;
      ASSERT_EQ(view.shape, other->shape) << view.name;
      const std::vector<float> found = to_floats(view);
      const std::vector<float> wanted = to_floats(*other);
      const bool is_exact = tolerance == 0 || view.dtype == checkpoint::DType::kFloat32;
      double largest = 0;
      for (const float value : wanted) largest = std::max<double>(largest, std::abs(value));
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (is_exact) {
          ASSERT_EQ(found[i], wanted[i]) << view.name << " at " << i;
        } else {
          ASSERT_NEAR(found[i], wanted[i], tolerance * largest) << view.name << " at " << i;
        }
      }
    }
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace yardstick::test
