// Files other than tokenizer.json: which one of a folder counts, what the files beside it add, and
// that one vocabulary gives the same ids from whatever file it is read.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/json.hpp"
#include "models/tokenizer/byte_level.hpp"
#include "tests/models/tokenizer/reference.hpp"
#include "tests/models/tokenizer/small.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::tokenizer {
namespace {

namespace fs = std::filesystem;
using test_support::Ids;
using test_support::ids_of;
using test_support::read_cases;
using test_support::small_tokenizer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

std::string base64(const std::string& bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      bits = (bits << 8U) | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= count ? kAlphabet[(bits >> (18 - 6 * k)) & 63U] : '=';
  }
  return out;
}

void expect_gpt2_ids(const fs::path& folder) {
  const auto tokenizer = open_tokenizer(folder);
  for (const nlohmann::json& item :
       read_cases(test::shared_path("golden/tokenizers_hf/gpt2.jsonl"))) {
    SCOPED_TRACE(item["text"].dump().substr(0, 200));
    EXPECT_EQ(ids_of(tokenizer->encode(item["text"].get<std::string>())), item["ids"].get<Ids>());
    EXPECT_EQ(tokenizer->decode(item["ids"].get<Ids>(), Tokenizer::SpecialTokens::kSkip),
              item["decoded_skip_special"].get<std::string>());
  }
}

// The SentencePiece library finds no control piece in a text, whatever its letters: encode() of the
// .model file is the library's. encode() of the .json makes the token, as transformers does.
TEST(PlainText, SpecialTokensAreTheirLettersAsSentencePieceReadsThem) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto json = open_tokenizer(test::shared_path("models/stories260K/tokenizer.json"));
  const test::TemporaryFolder folder;  // without the files beside it, which rename its pieces
  fs::copy_file(test::shared_path("models/stories260K/tokenizer.model"),
                folder / "tokenizer.model");
  const auto model = open_tokenizer(folder / "tokenizer.model");
  for (const char* const text : {"once</s>upon <s> a <unk>time", "</s>", "no special one"}) {
    EXPECT_EQ(json->encode_plain(text), model->encode(text)) << text;
  }
  const std::vector<TokenSpan> parsed = json->encode("once</s>upon");
  EXPECT_TRUE(std::any_of(parsed.begin(), parsed.end(), [](auto& span) { return span.id == 2; }));
}

// The names of the first release and those of today.
TEST(Gpt2Files, IdsEqualTheReference) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const fs::path gpt2 = test::shared_path("data/tokenizers/gpt2");
  const test::TemporaryFolder folder;
  fs::copy_file(gpt2 / "encoder.json", folder / "encoder.json");
  fs::copy_file(gpt2 / "vocab.bpe", folder / "vocab.bpe");
  expect_gpt2_ids(folder.path());
  fs::rename(folder / "encoder.json", folder / "vocab.json");
  fs::rename(folder / "vocab.bpe", folder / "merges.txt");
  expect_gpt2_ids(folder.path());
}

// Ids of GPT-2 are ranks, so its vocabulary is a tiktoken file as well.
TEST(Tiktoken, IdsOfGpt2EqualTheReference) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const nlohmann::json vocab = read_json(test::shared_path("data/tokenizers/gpt2/encoder.json"));
  std::string lines;
  for (const auto& [text, id] : vocab.items()) {
    if (text == "<|endoftext|>") continue;
    lines += fmt::format("{} {}\n", base64(byte_level_bytes(text).value()), id.get<int>());
  }
  const test::TemporaryFolder folder;
  write(folder / "r50k.tiktoken", lines);
  expect_gpt2_ids(folder.path());
  EXPECT_THAT(open_tokenizer(folder.path())->description(),
              HasSubstr("as GPT-2 (assumed from 50256 ranks)"));
}

std::string byte_ranks() {
  std::string out;
  for (int byte = 0; byte < 256; ++byte)
    out += fmt::format("{} {}\n", base64(std::string(1, static_cast<char>(byte))), byte);
  return out;
}

std::string problem(const fs::path& path) {
  return test::error_message([&] { static_cast<void>(open_tokenizer(path)); });
}

TEST(Tiktoken, WhatIsWrongIsSaidWithItsLine) {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "x.tiktoken";
  write(file, byte_ranks());
  EXPECT_THAT(problem(file), AllOf(HasSubstr("x.tiktoken: has 256 ranks, as no known family has"),
                                   HasSubstr("Llama 3 (128000)")));
  write(file, "IQ== 0\n%%%% 1\n");
  EXPECT_THAT(problem(file),
              HasSubstr("x.tiktoken: line 2 is '%%%% 1', expected a token in base64"));
  write(file, "IQ== 0\nIg== one\n");
  EXPECT_THAT(problem(file), HasSubstr("line 2: the rank is 'one'"));
  write(file, "IQ== 0\nIg== 0\n");
  EXPECT_THAT(problem(file), HasSubstr("line 2: id 0 stands for both"));
  write(file, "IQ== 0\nIQ== 1\n");
  EXPECT_THAT(problem(file), HasSubstr("line 2: the token '!' has two ids"));
  write(file, "IQ== 0\nIg== 7\n");
  EXPECT_THAT(problem(file), HasSubstr("rank 1 is missing"));
  write(file, "IQ== 0\nIg== 1\n");
  EXPECT_THAT(problem(file), HasSubstr("has no token for the byte 0x00; is the file whole?"));
  write(file, "IQ== 99999999\n");
  EXPECT_THAT(problem(file), HasSubstr("id 99999999 is not between"));
}

TEST(Gpt2Files, WhatIsWrongIsSaidWithItsPlace) {
  const test::TemporaryFolder folder;
  write(folder / "vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
  EXPECT_THAT(problem(folder.path()), HasSubstr("no tokenizer found"));
  write(folder / "merges.txt", "#version: 0.2\na b\n");
  EXPECT_THAT(ids_of(open_tokenizer(folder.path())->encode("aba")), ElementsAre(2, 0));
  write(folder / "merges.txt", "#version: 0.2\na b\na c\n");
  EXPECT_THAT(problem(folder.path()),
              HasSubstr("merges.txt: line 3 ('a' + 'c') needs the token 'c', which is not in"));
  write(folder / "merges.txt", "a b c\n");
  EXPECT_THAT(problem(folder.path()), HasSubstr("merges.txt: line 1 is 'a b c', expected two"));
  write(folder / "vocab.json", R"({"a": 0, "b": 0})");
  EXPECT_THAT(problem(folder.path()), HasSubstr("vocab.json: id 0 stands for both 'a' and 'b'"));
  write(folder / "vocab.json", R"({"a": 0, "b": -1})");
  EXPECT_THAT(problem(folder.path()), HasSubstr("vocab.json: the id of 'b' is -1"));
  write(folder / "vocab.json", R"({"a": 0, "b")");
  EXPECT_THAT(problem(folder.path()), HasSubstr("vocab.json:1:"));
}

TEST(Gpt2Files, AnotherClassOfTokenizerIsRefused) {
  const test::TemporaryFolder folder;
  write(folder / "vocab.json", R"({"a": 0})");
  write(folder / "merges.txt", "");
  write(folder / "tokenizer_config.json", R"({"tokenizer_class": "CLIPTokenizerFast"})");
  EXPECT_THAT(problem(folder.path()),
              HasSubstr("tokenizer_class 'CLIPTokenizer' is not supported"));
}

TEST(Folder, TokenizerJsonComesFirst) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(find_tokenizer(folder.path()), std::nullopt);
  write(folder / "a.tiktoken", "");
  EXPECT_EQ(find_tokenizer(folder.path()), folder / "a.tiktoken");
  write(folder / "b.tiktoken", "");
  EXPECT_THAT(test::error_message([&] { static_cast<void>(find_tokenizer(folder.path())); }),
              HasSubstr("a.tiktoken and 1 more"));
  write(folder / "vocab.json", "");
  write(folder / "merges.txt", "");
  EXPECT_EQ(find_tokenizer(folder.path()), folder / "vocab.json");
  write(folder / "tokenizer.model", "");
  EXPECT_EQ(find_tokenizer(folder.path()), folder / "tokenizer.model");
  write(folder / "tokenizer.json", "");
  EXPECT_EQ(find_tokenizer(folder.path()), folder / "tokenizer.json");
}

class Beside : public testing::Test {
 protected:
  Beside() { write(folder_ / "tokenizer.json", small_tokenizer({"a", "b", "<s>"}, {}).dump()); }
  [[nodiscard]] Ids ids(const std::string& text) const {
    return ids_of(open_tokenizer(folder_.path())->encode(text));
  }
  test::TemporaryFolder folder_;
};

TEST_F(Beside, TheConfigurationsTokensAreFoundInTexts) {
  write(folder_ / "tokenizer_config.json", R"({
    "added_tokens_decoder": {"5": {"content": "<x>", "special": true, "rstrip": true}},
    "bos_token": "<s>", "pad_token": "[nowhere]", "chat_template": "..."})");
  EXPECT_THAT(ids("a<x> <s>b"), ElementsAre(0, 5, 2, 1));
  const auto tokenizer = open_tokenizer(folder_.path());
  EXPECT_EQ(tokenizer->size(), 6);
  EXPECT_EQ(tokenizer->model_size(), 3);
  EXPECT_EQ(tokenizer->id_of("[nowhere]"), std::nullopt);
  EXPECT_EQ(tokenizer->decode(Ids{0, 5, 2}, Tokenizer::SpecialTokens::kSkip), "a");
  EXPECT_THAT(tokenizer->files(),
              ElementsAre(folder_ / "tokenizer.json", folder_ / "tokenizer_config.json"));
}

TEST_F(Beside, AddedTokensJsonGivesIds) {
  write(folder_ / "added_tokens.json", R"({"<y>": 3})");
  write(folder_ / "special_tokens_map.json", R"({"additional_special_tokens": ["<y>"]})");
  EXPECT_THAT(ids("a<y>b"), ElementsAre(0, 3, 1));
  EXPECT_EQ(open_tokenizer(folder_.path())->decode(Ids{3}, Tokenizer::SpecialTokens::kSkip), "");
}

TEST_F(Beside, ContradictionsAreNamed) {
  write(folder_ / "added_tokens.json", R"({"<y>": 1})");
  EXPECT_THAT(problem(folder_.path()), HasSubstr("'<y>' has id 1, which belongs to 'b'"));
  write(folder_ / "added_tokens.json", R"({"<y>": "1"})");
  EXPECT_THAT(problem(folder_.path()), HasSubstr("added_tokens.json: the id of '<y>' is \"1\""));
  fs::remove(folder_ / "added_tokens.json");
  write(folder_ / "tokenizer_config.json",
        R"({"added_tokens_decoder": {"one": {"content": "<x>"}}})");
  EXPECT_THAT(problem(folder_.path()), HasSubstr("the key 'one' is no id"));
}

TEST_F(Beside, AddPrefixSpaceOfTheConfigurationWins) {
  nlohmann::json tree = small_tokenizer({"a", "\u0120"}, {});
  tree["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", true}};
  write(folder_ / "tokenizer.json", tree.dump());
  EXPECT_THAT(ids("a"), ElementsAre(1, 0));
  write(folder_ / "tokenizer_config.json", R"({"add_prefix_space": false})");
  EXPECT_THAT(ids("a"), ElementsAre(0));
}

TEST(Folder, AFileOfNoKnownKindIsNamed) {
  const test::TemporaryFolder folder;
  write(folder / "tokenizer.model", "hello");
  EXPECT_THAT(problem(folder.path()),
              HasSubstr("tokenizer.model: has 5 bytes and is neither a SentencePiece model"));
  EXPECT_THAT(problem(folder / "nothing.json"), HasSubstr("nothing.json: not found"));
}

}  // namespace
}  // namespace yardstick::tokenizer
