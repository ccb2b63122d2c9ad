#include "tasks/data/records.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "core/error.hpp"
#include "core/file.hpp"
#include "tasks/data/compressed.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::tasks {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

/// "line: object" of each record.
std::vector<std::string> read(const test::TemporaryFolder& folder, const std::string& name,
                              const std::string& content) {
  write_file_atomically(folder / name, content);
  std::vector<std::string> out;
  for (const Record& record : read_records(folder / name)) {
    out.push_back(std::to_string(record.line) + ": " + record.fields.dump());
  }
  return out;
}

std::string refusal(const test::TemporaryFolder& folder, const std::string& name,
                    const std::string& content) {
  return test::error_message([&] { read(folder, name, content); });
}

std::string compressed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST(Records, CommaSeparatedAsRfc4180SaysIt) {
  const test::TemporaryFolder folder;
  // The RFC's section 2: CRLF, quotes around separators, line breaks and doubled quotes.
  EXPECT_THAT(
      read(folder, "a.csv",
           "\xef\xbb\xbfname,text\r\naaa,\"b \r\nbb\"\r\n\"x,y\",\"b\"\"bb\"\r\n\r\nlast,"),
      ElementsAre(R"(2: {"name":"aaa","text":"b \r\nbb"})", R"(4: {"name":"x,y","text":"b\"bb"})",
                  R"(6: {"name":"last","text":""})"));
}

TEST(Records, TabSeparated) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(read(folder, "a.tsv", "a\tb\n1,5\tsay \"yes\"\n"),
              ElementsAre(R"(2: {"a":"1,5","b":"say \"yes\""})"));
}

TEST(Records, UnsoundTablesAreRefusedWithTheirLine) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(refusal(folder, "a.csv", "a,b\n1,2\n1,2,3\n"),
              HasSubstr("a.csv:3: the row has 3 values, the header has 2 names"));
  EXPECT_THAT(refusal(folder, "b.csv", "a,b\n1,\"2\n3,4\n"),
              HasSubstr("b.csv:2: a quoted value is not closed"));
  EXPECT_THAT(refusal(folder, "c.csv", "a,b\n\"1\"2,3\n"),
              HasSubstr("c.csv:2: text stands behind a closing quote"));
  EXPECT_THAT(refusal(folder, "d.csv", "a,b,a\n1,2,3\n"), HasSubstr("names 'a' twice"));
  EXPECT_THAT(refusal(folder, "f.csv", ",a\n0,1\n"),
              HasSubstr("f.csv:1: column 1 of the header has no name"));
  for (const char* const text : {"a,b\r1,2\r3,4\r", "\"a\",\"b\"\r\"1\",\"2\"\r"}) {
    EXPECT_THAT(refusal(folder, "g.csv", text),
                HasSubstr("g.csv:1: a carriage return stands alone, as old Macs end lines"));
  }
  EXPECT_THAT(refusal(folder, "e.csv", ""), HasSubstr("e.csv:1: the file is empty"));
  EXPECT_THAT(refusal(folder, "h.csv", "a;b\n1;2\n"),
              HasSubstr("h.csv:1: the values are separated by semicolons, expected commas"));
  EXPECT_THAT(refusal(folder, "i.csv", "\xef\xbb\xbf\"a\"\t\"b\"\n\"1\"\t\"2\"\n"),
              HasSubstr("i.csv:1"));
  EXPECT_THAT(refusal(folder, "j.csv", "a\tb\n1\t2\n"), HasSubstr("separated by tabs"));
  EXPECT_THAT(refusal(folder, "k.tsv", "a,b\n1,2\n"), HasSubstr("separated by commas"));
  EXPECT_THAT(read(folder, "l.csv", "a; b\n1\n"), ElementsAre(R"(2: {"a; b":"1"})"));
}

TEST(Records, JsonHoldsAnArrayOrAnObjectWithOneOrLines) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(read(folder, "a.json", R"([{"b":1,"a":2},{"c":3}])"),
              ElementsAre(R"(1: {"b":1,"a":2})", R"(2: {"c":3})"));
  EXPECT_THAT(read(folder, "b.json", R"({"version": "1", "data": [{"a":1}]})"),
              ElementsAre(R"(1: {"a":1})"));
  EXPECT_THAT(read(folder, "c.json", "{\"a\":1}\n{\"a\":2}\n"),
              ElementsAre(R"(1: {"a":1})", R"(2: {"a":2})"));
}

TEST(Records, UnsoundJsonIsRefused) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(refusal(folder, "a.json", "[{\"a\":1}, 2]"),
              HasSubstr("a.json: element 2 is number, expected an object"));
  EXPECT_THAT(refusal(folder, "b.json", R"({"a":[{"x":1}],"b":[{"x":1}]})"),
              HasSubstr("found an object with 2 arrays: a, b"));
  EXPECT_THAT(
      refusal(folder, "c.json",
              R"({"data":[{"title":"t","paragraphs":[{"context":"c","qas":[{"id":"1"}]}]}]})"),
      HasSubstr("'paragraphs' holds objects that hold lists of objects"));
  EXPECT_THAT(refusal(folder, "d.json", "[{\"a\":1},\n {\"a\":}]"), HasSubstr("d.json:2:7"));
}

TEST(Records, TextIsARecordALine) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(read(folder, "a.txt", "one\r\n\ntwo"),
              ElementsAre(R"(1: {"text":"one"})", R"(2: {"text":""})", R"(3: {"text":"two"})"));
}

TEST(Records, ANameThatSaysNoFormatIsRefused) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(refusal(folder, "a.parquet", "x"), HasSubstr("write a Parquet file as JSON lines"));
  EXPECT_THAT(refusal(folder, "a.gz", "x"), HasSubstr("expected an ending of: .jsonl"));
}

TEST(Records, ZstandardIsInflatedFrameByFrameAndATruncatedOneRefused) {
  const test::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "{\"n\":" + std::to_string(i * 7919 % 20000) + "}\n";
  const std::string frames = compressed(text) + compressed("{\"n\":-1}\n");
  write_file_atomically(folder / "a.jsonl.zst", frames);
  const std::vector<Record> records = read_records(folder / "a.jsonl.zst");
  ASSERT_EQ(records.size(), 20001U);
  EXPECT_EQ(records[1].fields, ordered_json({{"n", 7919}}));
  EXPECT_EQ(records.back().fields, ordered_json({{"n", -1}}));
  write_file_atomically(folder / "b.jsonl.zst", frames.substr(0, frames.size() - 3));
  EXPECT_THAT(test::error_message([&] { static_cast<void>(read_records(folder / "b.jsonl.zst")); }),
              HasSubstr("the Zstandard stream ends too early"));
  write_file_atomically(folder / "c.jsonl.zst", text);
  EXPECT_THAT(test::error_message([&] { static_cast<void>(read_records(folder / "c.jsonl.zst")); }),
              HasSubstr("is not a sound Zstandard file"));
}

}  // namespace
}  // namespace yardstick::tasks
