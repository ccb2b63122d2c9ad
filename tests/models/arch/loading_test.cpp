// The loading faults of the field, each on real files and by the number that users know it by
// (users.md, part B): one message that names file and tensor, before anything is loaded.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tests/models/arch/small_llama.hpp"
#include "tests/support/gguf_file.hpp"

namespace yardstick::test {
namespace {

using models::Head;
using testing::AllOf;
using testing::HasSubstr;

/// The refusal of a folder, and that it comes at once (a machine that builds beside is slow).
std::string quick_refusal(const std::filesystem::path& path) {
  const auto begin = std::chrono::steady_clock::now();
  std::string message = refusal_of(path);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 500) << message;
  return message;
}

TEST(Loading, TheWholeModelOpens) {
  const TemporaryFolder folder;
  SmallLlama().write(folder);
  EXPECT_EQ(open_model(folder.path()).config().head, Head::kTied);
  const TemporaryFolder shards;
  SmallLlama().write_shards(shards, 5);
  EXPECT_EQ(open_model(shards.path()).config().width, 8);
}

TEST(Loading, B65_AMissingShardIsNamed) {
  const TemporaryFolder folder;
  SmallLlama().write_shards(folder, 5);
  std::filesystem::remove(folder / "model-00002-of-00002.safetensors");
  EXPECT_THAT(quick_refusal(folder.path()),
              AllOf(HasSubstr("model.safetensors.index.json"),
                    HasSubstr("not in the folder: model-00002-of-00002.safetensors")));
}

TEST(Loading, B65_AFolderWithoutWeightsIsRefused) {
  const TemporaryFolder folder;
  SmallLlama().write_config(folder);
  EXPECT_THAT(quick_refusal(folder.path()), HasSubstr("has no weights"));
}

TEST(Loading, B66_AShardShorterThanItsHeaderIsRefusedWithBothSizes) {
  const TemporaryFolder folder;
  SmallLlama().write_shards(folder, 5);
  const auto shard = folder / "model-00001-of-00002.safetensors";
  const std::string whole = read_file(shard);
  write_file_atomically(shard, std::string_view(whole).substr(0, whole.size() - 100));
  EXPECT_THAT(quick_refusal(folder.path()), AllOf(HasSubstr("model-00001-of-00002.safetensors"),
                                                  HasSubstr("bytes"), HasSubstr("cut off")));
}

TEST(Loading, B66_AGgufFileThatWasCutIsRefusedWithBothSizes) {
  const TemporaryFolder folder;
  const std::string whole = gguf_llama().bytes();
  write_file_atomically(folder / "m.gguf", whole);
  EXPECT_NO_THROW(static_cast<void>(open_model(folder / "m.gguf")));
  write_file_atomically(folder / "m.gguf", std::string_view(whole).substr(0, whole.size() - 100));
  EXPECT_THAT(quick_refusal(folder / "m.gguf"), AllOf(HasSubstr("m.gguf"), HasSubstr("cut short")));
}

struct BadHeader {
  const char* name;
  std::uint64_t length;  ///< 0: that of the text
  const char* header;
  std::size_t data;
  const char* says;
};

class B67 : public testing::TestWithParam<BadHeader> {};

TEST_P(B67, IsRefused) {
  const TemporaryFolder folder;
  SmallLlama().write_config(folder);
  const std::string header = GetParam().header;
  const std::uint64_t length = GetParam().length == 0 ? header.size() : GetParam().length;
  write_file_atomically(folder / "model.safetensors",
                        GgufFile::raw(length) + header + std::string(GetParam().data, '\0'));
  EXPECT_THAT(quick_refusal(folder.path()),
              AllOf(HasSubstr("model.safetensors"), HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(
    Safetensors, B67,
    testing::Values(
        BadHeader{"HeaderLength", std::uint64_t{1} << 63, "{}", 0, "9223372036854775808"},
        BadHeader{"EndBeforeStart", 0, R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
                  4, "'w'"},
        BadHeader{"Overlap", 0,
                  R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                  R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
                  6, "overlap"},
        BadHeader{"ShapeAgainstRange", 0,
                  R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8,
                  "needs 12 bytes, its data_offsets hold 8"},
        BadHeader{"TrailingBytes", 0, R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                  7, "3 bytes behind the last tensor"},
        BadHeader{"DuplicateKey", 0,
                  R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                  R"("w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                  4, "stands in the header twice"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Loading, B69_UntiedWithoutAHeadNamesBothFactsAndTheOverrideTies) {
  const TemporaryFolder folder;
  SmallLlama model;
  model.config["tie_word_embeddings"] = false;
  model.write(folder);
  EXPECT_THAT(quick_refusal(folder.path()),
              AllOf(HasSubstr("tie_word_embeddings is false"),
                    HasSubstr("no tensor 'lm_head.weight'"), HasSubstr("tie_embeddings")));
  EXPECT_EQ(open_model(folder.path(), true).config().head, Head::kTied);
}

TEST(Loading, B70_TiedWithAnEqualHeadIsTied) {
  const TemporaryFolder folder;
  SmallLlama().add("lm_head.weight", {6, 8}).write(folder);
  EXPECT_EQ(open_model(folder.path()).config().head, Head::kTied);
}

TEST(Loading, B70_TiedWithADifferentHeadIsRefusedUntilItIsUntied) {
  const TemporaryFolder folder;
  SmallLlama().add("lm_head.weight", {6, 8}, 1.0F).write(folder);
  EXPECT_THAT(quick_refusal(folder.path()),
              AllOf(HasSubstr("tie_word_embeddings is true"), HasSubstr("differs")));
  EXPECT_EQ(open_model(folder.path(), false).config().head, Head::kSeparate);
}

TEST(Loading, B71_NamesThatArePickledPythonAreRefusedWithWhatToDo) {
  const TemporaryFolder folder;
  SmallLlama model;
  for (auto& tensor : model.tensors) tensor.name = "gASVHAAAAAAAAACM" + tensor.name;
  for (auto& tensor : model.tensors) std::erase(tensor.name, '.');
  model.write(folder);
  EXPECT_THAT(quick_refusal(folder.path()),
              AllOf(HasSubstr("Python pickle in base64"), HasSubstr("model.pt")));
}

// 50277 tokens and 50432 rows in small: 5 and 6 open, 7 and 6 do not.
TEST(Loading, B72_ATokenizerMayHaveFewerTokensThanRowsButNotMore) {
  const auto with_tokens = [](int count) {
    std::vector<std::string> tokens = {"<unk>", "<s>", "a", "b", "ab", "x", "y"};
    std::vector<std::int32_t> types = {2, 3, 1, 1, 1, 1, 1};
    tokens.resize(static_cast<std::size_t>(count));
    types.resize(tokens.size());
    return gguf_llama()
        .text("tokenizer.ggml.model", "llama")
        .texts("tokenizer.ggml.tokens", tokens)
        .floats("tokenizer.ggml.scores", std::vector<float>(tokens.size(), -1))
        .ints("tokenizer.ggml.token_type", types)
        .u32("tokenizer.ggml.bos_token_id", 1)
        .bytes();
  };
  const TemporaryFolder folder;
  write_file_atomically(folder / "m.gguf", with_tokens(5));
  const models::ModelFolder model = open_model(folder / "m.gguf");
  EXPECT_EQ(model.tokenizer()->size(), 5);
  EXPECT_EQ(model.codec().vocabulary_size(), 6);
  write_file_atomically(folder / "m.gguf", with_tokens(7));
  EXPECT_THAT(quick_refusal(folder / "m.gguf"),
              AllOf(HasSubstr("has 7 items"), HasSubstr("has 6 rows")));
}

}  // namespace
}  // namespace yardstick::test
