#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/file.hpp"
#include "tasks/data/continuation.hpp"
#include "tasks/data/documents.hpp"
#include "tasks/data/jsonl.hpp"
#include "tasks/data/subset.hpp"
#include "tasks/data/text_file.hpp"
#include "tasks/data/token_file.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/fake_codec.hpp"

namespace yardstick::tasks {
namespace {

using test::kFakeBos;
using test::kFakeEnd;
using test::PieceCodec;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> out;
  for_each_json_line(file, [&](std::int64_t line, nlohmann::json&& object) {
    out.push_back(std::to_string(line) + object.dump());
    return Proceed::kNext;
  });
  return out;
}

TEST(JsonLines, SplitOnLineFeedsAlone) {
  const test::TemporaryFolder folder;
  // U+2028 and U+0085 inside strings, a carriage return at the end, a blank line, no final newline.
  write_file_atomically(folder / "a.jsonl", "{\"t\":\"a\u2028b\u0085c\"}\r\n\n{\"t\":1}");
  EXPECT_THAT(lines_of(folder / "a.jsonl"),
              ElementsAre("1{\"t\":\"a\u2028b\u0085c\"}", "3{\"t\":1}"));
}

TEST(JsonLines, ErrorsNameFileLineAndColumn) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a.jsonl", "{\"t\":1}\n{\"t\":}\n");
  EXPECT_THAT(test::error_message([&] { lines_of(folder / "a.jsonl"); }),
              HasSubstr("a.jsonl:2:6: not valid JSON"));
  write_file_atomically(folder / "b.jsonl", "{\"t\":1}\n[1]\n");
  EXPECT_THAT(test::error_message([&] { lines_of(folder / "b.jsonl"); }),
              HasSubstr("b.jsonl:2: expected a JSON object"));
  write_file_atomically(folder / "c.jsonl", "{\"t\":1,\"t\":2}\n");
  EXPECT_THAT(test::error_message([&] { lines_of(folder / "c.jsonl"); }), HasSubstr("c.jsonl:1"));
}

TEST(TextFile, B29cInvalidUtf8IsRefusedWithItsOffset) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a.txt", "abc\xff");
  EXPECT_THAT(test::error_message([&] { static_cast<void>(read_text_file(folder / "a.txt")); }),
              HasSubstr("byte 3 (0xff) is not valid UTF-8"));
}

TEST(TextFile, WhatIsNoTextIsNamed) {
  const test::TemporaryFolder folder;
  const auto message = [&](const std::string& bytes) {
    write_file_atomically(folder / "a.txt", bytes);
    return test::error_message([&] { static_cast<void>(read_text_file(folder / "a.txt")); });
  };
  EXPECT_THAT(message("\x1f\x8b\x08"),
              HasSubstr("a.txt: is gzip data; give its name the ending .gz"));
  EXPECT_THAT(message("\x28\xb5\x2f\xfd"), HasSubstr("is Zstandard data"));
  EXPECT_THAT(message("PAR1abc"), HasSubstr("is a Parquet file"));
  EXPECT_THAT(message("PK\x03\x04"), HasSubstr("is a zip archive"));
  EXPECT_THAT(message(std::string("\xff\xfeh\0i\0", 6)),
              HasSubstr("is UTF-16 text; save it as UTF-8"));
  EXPECT_THAT(message(std::string("\xfe\xff\0h\0i", 6)), HasSubstr("is UTF-16 text"));
  EXPECT_THAT(message(std::string("\xff\xfe\0\0h\0\0\0", 8)), HasSubstr("is UTF-32 text"));
  EXPECT_THAT(message(std::string("h\0i\0!\0", 6)), HasSubstr("looks like UTF-16 text without"));
  EXPECT_THAT(message("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"),
              HasSubstr("is a Git LFS pointer"));
  EXPECT_THAT(message("\xef\xbb\xbf"), HasSubstr("holds a byte-order mark and nothing else"));
  EXPECT_THAT(message(std::string("once\0upon a time", 16)), HasSubstr("a NUL byte at byte 4"));
  write_file_atomically(folder / "a.txt", "PK yes\xef\xbb\xbf");
  EXPECT_NO_THROW(static_cast<void>(read_text_file(folder / "a.txt")));
  write_file_atomically(folder / "a.txt.gz", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_THAT(test::error_message([&] { static_cast<void>(read_text_file(folder / "a.txt.gz")); }),
              HasSubstr("a.txt.gz: is a Git LFS pointer"));
}

TEST(TextFile, GzipIsInflatedAndATruncatedOneRefused) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "a.txt.gz").string();
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  for (int i = 0; i < 1000; ++i) gzprintf(file, "line %d\n", i * 7919 % 1000);
  gzclose(file);
  const std::string text = read_text_file(path);
  EXPECT_EQ(text.substr(0, 14), "line 0\nline 91");
  EXPECT_THAT(text, testing::EndsWith("\nline 81\n"));  // 999 x 7919 mod 1000
  const std::string whole = read_file(path);
  write_file_atomically(path, whole + whole);
  EXPECT_EQ(read_text_file(path), text + text);
  const auto refusal = [&](const std::string& content) {
    write_file_atomically(path, content);
    return test::error_message([&] { static_cast<void>(read_text_file(path)); });
  };
  EXPECT_THAT(refusal(whole.substr(0, whole.size() / 2)),
              HasSubstr("the gzip stream ends too early"));
  EXPECT_THAT(refusal(""), HasSubstr("the gzip stream ends too early"));
  EXPECT_THAT(refusal("plain text\n"), HasSubstr("is not a sound gzip file"));
  EXPECT_THAT(refusal(whole + "more"), HasSubstr("is not a sound gzip file"));
}

DataSource source_of(std::filesystem::path path, DataFormat format) {
  return {.path = std::move(path), .format = format};
}

// The bytes are those that NumPy's format description lists: magic, version, header length, header.
std::string npy_u2(const std::vector<unsigned>& values) {
  std::string header = "{'descr': '<u2', 'fortran_order': False, 'shape': (" +
                       std::to_string(values.size()) + ",), }";
  header += std::string((64 - (10 + header.size() + 1) % 64) % 64, ' ') + "\n";
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xffU);
  out += static_cast<char>(header.size() >> 8U);
  out += header;
  for (const unsigned value : values) {
    out += static_cast<char>(value & 0xffU);
    out += static_cast<char>(value >> 8U);
  }
  return out;
}

TEST(TokenFile, EveryFormatGivesTheSameIds) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a.npy", npy_u2({5, 300, 7}));
  write_file_atomically(folder / "a.bin", std::string("\x05\x00\x2c\x01\x07\x00", 6));
  write_file_atomically(folder / "a.json", "[5, 300, 7]");
  const TokenLimits limits{.vocabulary = 301, .max_tokens = std::nullopt};
  const std::vector<std::vector<TokenId>> expected = {{5, 300, 7}};
  EXPECT_EQ(read_token_file(source_of(folder / "a.npy", DataFormat::kNpy), limits), expected);
  EXPECT_EQ(read_token_file(source_of(folder / "a.bin", DataFormat::kBin), limits), expected);
  EXPECT_EQ(read_token_file(source_of(folder / "a.json", DataFormat::kJson), limits), expected);
  write_file_atomically(folder / "b.json", "[[5, 300], [7]]");
  EXPECT_EQ(read_token_file(source_of(folder / "b.json", DataFormat::kJson), limits).size(), 2U);
}

TEST(TokenFile, AnIdOutsideTheVocabularyIsNamed) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a.json", "[5, 300, 7]");
  const std::string message = test::error_message([&] {
    static_cast<void>(read_token_file(source_of(folder / "a.json", DataFormat::kJson),
                                      {.vocabulary = 300, .max_tokens = std::nullopt}));
  });
  EXPECT_THAT(message, HasSubstr("token 1 is 300, but the model knows ids from 0 to 299"));
}

TEST(TokenFile, ABrokenFileIsRefused) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "odd.bin", "abc");
  write_file_atomically(folder / "a.json", "[1, 2.5]");
  write_file_atomically(folder / "b.json", "{\"ids\": [1]}");
  const TokenLimits limits{.vocabulary = 300, .max_tokens = std::nullopt};
  EXPECT_THROW(
      static_cast<void>(read_token_file(source_of(folder / "odd.bin", DataFormat::kBin), limits)),
      Error);
  EXPECT_THROW(
      static_cast<void>(read_token_file(source_of(folder / "a.json", DataFormat::kJson), limits)),
      Error);
  EXPECT_THROW(
      static_cast<void>(read_token_file(source_of(folder / "b.json", DataFormat::kJson), limits)),
      Error);
}

TEST(Documents, JoinedDocumentsHaveTheEndOfTextBetweenThem) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a.jsonl",
                        "{\"text\":\"ab\"}\n{\"text\":\"\"}\n{\"text\":\"c\"}\n");
  const DataSource source = source_of(folder / "a.jsonl", DataFormat::kJsonl);
  const PieceCodec codec({.bos = std::nullopt, .end_of_text = kFakeEnd});
  const Documents joined = read_documents(source, DocumentJoin::kJoined, codec, std::nullopt);
  ASSERT_EQ(joined.read.size(), 1U);
  EXPECT_THAT(joined.read[0].tokens, ElementsAre('a', 'b', kFakeEnd, 'c'));
  EXPECT_THAT(joined.read[0].bytes, ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(joined.left_out, ElementsAre("line-2"));
  const Documents apart = read_documents(source, DocumentJoin::kSeparate, codec, std::nullopt);
  ASSERT_EQ(apart.read.size(), 3U);
  EXPECT_EQ(apart.read[2].id, "line-3");
  EXPECT_TRUE(apart.read[1].tokens.empty());
  EXPECT_TRUE(apart.left_out.empty());
  EXPECT_THAT(test::error_message([&] {
                static_cast<void>(
                    read_documents(source, DocumentJoin::kJoined, PieceCodec(), std::nullopt));
              }),
              HasSubstr("set `documents: separate`"));
}

TEST(Documents, TheBudgetBoundsTheStream) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a.jsonl", "{\"text\":\"abcd\"}\n{\"text\":\"efgh\"}\n");
  const DataSource source = source_of(folder / "a.jsonl", DataFormat::kJsonl);
  const PieceCodec codec({.bos = std::nullopt, .end_of_text = kFakeEnd});
  EXPECT_THAT(read_documents(source, DocumentJoin::kJoined, codec, 6).read[0].tokens,
              ElementsAre('a', 'b', 'c', 'd', kFakeEnd, 'e'));
  EXPECT_EQ(read_documents(source, DocumentJoin::kSeparate, codec, 4).read.size(), 1U);
  EXPECT_THAT(read_documents(source, DocumentJoin::kSeparate, codec, 6).read[1].tokens,
              ElementsAre('e', 'f'));
}

TEST(Subset, GrowsWithItsSizeAndDependsOnTheSeed) {
  const auto ten = choose_subset(500, {.limit = 10}, 42, "x");
  const auto twenty = choose_subset(500, {.limit = 20}, 42, "x");
  EXPECT_EQ(ten.size(), 10U);
  EXPECT_TRUE(std::includes(twenty.begin(), twenty.end(), ten.begin(), ten.end()));
  EXPECT_EQ(ten, choose_subset(500, {.limit = 10}, 42, "x"));
  EXPECT_NE(ten, choose_subset(500, {.limit = 10}, 1234, "x"));
  EXPECT_EQ(choose_subset(3, {.limit = 10}, 42, "x"), (std::vector<std::size_t>{0, 1, 2}));
}

// lm-evaluation-harness issues 4055 and 1053: continuations that merge into the context's tokens.
TEST(Continuation, AtLeastOneTokenIsScored) {
  const PieceCodec codec({.bos = std::nullopt, .end_of_text = kFakeEnd},
                         {"Ans", "wer", "Answer", "hello", " wor", "ld", " world", ":", ": C"});
  const auto merged = continuation_request("Ans", "wer", Boundary::kJoint, codec).value();
  EXPECT_THAT(merged.tokens, ElementsAre(kFakeEnd, test::kFirstPiece + 2));
  EXPECT_EQ(merged.score_from, 1);
  const auto world = continuation_request("hello wor", "ld", Boundary::kJoint, codec).value();
  EXPECT_THAT(world.tokens, ElementsAre(test::kFirstPiece + 3, test::kFirstPiece + 6));
  EXPECT_EQ(world.score_from, 1);  // joint size 2 less common prefix 1
  const auto letter = continuation_request("Answer:", " C", Boundary::kJoint, codec).value();
  EXPECT_THAT(letter.tokens, ElementsAre(test::kFirstPiece + 2, test::kFirstPiece + 8));
  EXPECT_EQ(letter.score_from, 1);
  const auto apart = continuation_request("Answer:", " C", Boundary::kSeparate, codec).value();
  EXPECT_EQ(apart.tokens.size(), 4U);  // Answer, :, blank, C
  EXPECT_EQ(apart.score_from, 2);
}

TEST(Continuation, BosStandsFirstOnceAndIsNotScored) {
  const PieceCodec codec({.bos = kFakeBos, .end_of_text = kFakeEnd});
  const auto request = continuation_request("ab", "cd", Boundary::kJoint, codec).value();
  EXPECT_THAT(request.tokens, ElementsAre(kFakeBos, 'a', 'b', 'c', 'd'));
  EXPECT_EQ(request.score_from, 3);
  const auto empty = continuation_request("", "cd", Boundary::kJoint, codec).value();
  EXPECT_EQ(empty.score_from, 1);
  EXPECT_FALSE(continuation_request("", "cd", Boundary::kJoint, PieceCodec()).has_value());
}

}  // namespace
}  // namespace yardstick::tasks
