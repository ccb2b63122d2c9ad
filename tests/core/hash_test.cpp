#include "core/hash.hpp"

#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick {
namespace {

// FIPS 180-4, appendix B.1 and the empty message.
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(Sha256, EqualsThePublishedVectors) {
  EXPECT_EQ(sha256_hex("abc"), kAbc);
  EXPECT_EQ(sha256_hex(""), kEmpty);
}

TEST(Sha256, OfAFileEqualsThatOfItsBytes) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a", "abc");
  EXPECT_EQ(sha256_file(folder / "a"), kAbc);
}

TEST(Fingerprint, DependsOnNameTypeValueAndOrder) {
  const auto key = [](auto fill) {
    Fingerprint fingerprint;
    fill(fingerprint);
    return fingerprint.hex();
  };
  const std::string base = key([](Fingerprint& f) { f.add("a", 1).add("b", 2); });
  EXPECT_EQ(base, key([](Fingerprint& f) { f.add("a", 1).add("b", 2); }));
  EXPECT_NE(base, key([](Fingerprint& f) { f.add("b", 2).add("a", 1); }));
  EXPECT_NE(base, key([](Fingerprint& f) { f.add("a", 1.0).add("b", 2); }));
  EXPECT_NE(base, key([](Fingerprint& f) { f.add("a", "1").add("b", 2); }));
  EXPECT_NE(base, key([](Fingerprint& f) { f.add("a", 1).add("c", 2); }));
}

TEST(Fingerprint, FieldBordersCannotBeMoved) {
  Fingerprint one;
  one.add("ab", "c");
  Fingerprint two;
  two.add("a", "bc");
  EXPECT_NE(one.hex(), two.hex());
}

TEST(Fingerprint, ACopyGoesOnByItself) {
  Fingerprint one;
  one.add("a", 1);
  Fingerprint two = one;
  EXPECT_EQ(one.hex(), two.hex());
  two.add("b", 2);
  EXPECT_NE(one.hex(), two.hex());
}

TEST(Fingerprint, NegativeZeroIsZero) {
  Fingerprint one;
  one.add("x", 0.0);
  Fingerprint two;
  two.add("x", -0.0);
  EXPECT_EQ(one.hex(), two.hex());
}

}  // namespace
}  // namespace yardstick
