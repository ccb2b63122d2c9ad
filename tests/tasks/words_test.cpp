#include "tasks/data/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tasks/data/documents.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tasks/fake_codec.hpp"

namespace yardstick::tasks {
namespace {

using testing::ElementsAre;

// Python 3.11: len(text.encode()), len(text.split()), len(re.split(r"\s+", text)).
TEST(Words, CountsArePythons) {
  EXPECT_EQ(count_text("a\u00a0b\u3000c\x1c"
                       "d\u200be"),
            (TextCounts{14, 4, 4}));
  EXPECT_EQ(count_text(" a b\n"), (TextCounts{5, 2, 4}));
  EXPECT_EQ(count_text(""), (TextCounts{0, 0, 1}));
  EXPECT_EQ(count_text("  "), (TextCounts{2, 0, 2}));
  EXPECT_EQ(count_text("\u2028x\u0085y\u1680z\u205f"), (TextCounts{14, 3, 5}));
  EXPECT_EQ(count_text("a\u180eb \ufeffc"), (TextCounts{10, 2, 2}));
  EXPECT_EQ(count_text("\u00e9 \U0001F415"), (TextCounts{7, 2, 2}));
}

TEST(Words, BeginWhereNoWhiteSpaceFollowsSome) {
  EXPECT_THAT(word_begins("one  two\u2003three"), ElementsAre(0, 5, 11));
  EXPECT_THAT(word_begins(" \n"), ElementsAre());
}

TEST(Words, BelongToTheTokenInWhichTheyBegin) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a.txt", "the cat sat");
  const DataSource source{.path = folder / "a.txt", .format = DataFormat::kText};
  // "the c" "a" "t" " sa" "t": "cat" begins in the first, "sat" in the fourth.
  const test::PieceCodec codec({}, {"the c", " sa"});
  const Document document =
      read_documents(source, DocumentJoin::kSeparate, codec, std::nullopt).read.at(0);
  EXPECT_THAT(document.words, ElementsAre(2, 0, 0, 1, 0));
  EXPECT_THAT(document.bytes, ElementsAre(5, 1, 1, 3, 1));
  EXPECT_THAT(document.offsets, ElementsAre(0, 5, 6, 7, 10));
}

}  // namespace
}  // namespace yardstick::tasks
