#include "core/npy.hpp"

#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick {
namespace {

using testing::HasSubstr;

std::string npy(const std::string& header, const std::string& data) {
  std::string out = "\x93NUMPY";
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xFFU);
  out += static_cast<char>(header.size() >> 8U);
  return out + header + data;
}

TEST(Npy, WrittenRowsAreReadBack) {
  const test::TemporaryFolder folder;
  std::vector<float> values(6);
  std::iota(values.begin(), values.end(), 0.5F);
  NpyWriter writer(folder / "a.npy", 3, 2);
  writer.append(std::span(values).first(2));
  writer.append(std::span(values).subspan(2));
  writer.finish();
  const NpyArray array(folder / "a.npy");
  EXPECT_EQ(array.shape(), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(array.floats(), values);
  EXPECT_EQ(read_file(folder / "a.npy").size() % 8, 0U);
}

TEST(Npy, NumPysOwnFilesAreRead) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const NpyArray ids(test::shared_path("golden/olmo_fope/fope/input_ids.npy"));
  EXPECT_EQ(ids.dtype(), "<i4");
  EXPECT_EQ(ids.shape(), (std::vector<std::int64_t>{160}));
  for (std::int64_t i = 0; i < ids.size(); ++i) EXPECT_LT(ids.integer_at(i), 256);
}

TEST(Npy, UnsignedStreamsAreRead) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a.npy",
                        npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }\n",
                            std::string("\x01\x00\xFF\xFF", 4)));
  const NpyArray array(folder / "a.npy");
  EXPECT_EQ(array.integer_at(0), 1);
  EXPECT_EQ(array.integer_at(1), 65535);
}

TEST(Npy, BrokenFilesAreRefusedWithTheReason) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes) {
    write_file_atomically(folder / "a.npy", bytes);
    return test::error_message([&] { const NpyArray array(folder / "a.npy"); });
  };
  EXPECT_THAT(refused("PK"), HasSubstr("NUMPY"));
  EXPECT_THAT(refused(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "1234")),
              HasSubstr("Fortran"));
  EXPECT_THAT(refused(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "1234")),
              HasSubstr(">f4"));
  EXPECT_THAT(refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234")),
              HasSubstr("needs 8 bytes of data, found 4"));
  EXPECT_THAT(
      refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }",
                  "1234")),
      HasSubstr("more bytes than the file has"));
  EXPECT_THAT(refused(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "1234")),
              HasSubstr("dtype '|O'"));
}

}  // namespace
}  // namespace yardstick
