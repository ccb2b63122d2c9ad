#include "core/npy.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <regex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/write_target.hpp"

namespace yardstick {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

Error bad(const std::filesystem::path& file, std::string_view what) {
  return {ErrorKind::kData, fmt::format("{}: not a readable .npy array: {}", file.string(), what)};
}

struct Header {
  std::string text;
  std::size_t data_offset = 0;
};

Header read_header(const MappedFile& file) {
  const auto bytes = file.bytes();
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (all.size() < 12 || !all.starts_with(kMagic))
    throw bad(file.path(), "it does not begin with \\x93NUMPY");
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(all[i]); };
  const int version = byte(6);
  if (version < 1 || version > 3)
    throw bad(file.path(), fmt::format("format version {} (1 to 3 are known)", version));
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::size_t length = byte(8) + 256U * byte(9);
  if (version > 1) length += 65536U * byte(10) + 16777216U * std::size_t{byte(11)};
  if (prefix + length > all.size())
    throw bad(file.path(), "its header runs past the end of the file");
  return {std::string(all.substr(prefix, length)), prefix + length};
}

std::string match_one(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

std::size_t item_size(const std::string& dtype) {
  if (dtype.size() < 3 || (dtype[0] != '<' && dtype[0] != '|')) return 0;
  return static_cast<std::size_t>(std::max(0, std::atoi(dtype.c_str() + 2)));
}

float half_to_float(std::uint16_t half) {
  const int exponent = (half >> 10U) & 0x1FU;
  const int fraction = half & 0x3FFU;
  double value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  }
  return static_cast<float>((half & 0x8000U) != 0 ? -value : value);
}

template <typename T>
T load(std::span<const std::byte> data, std::int64_t i) {
  T value;
  std::memcpy(&value, data.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

NpyArray::NpyArray(const std::filesystem::path& file) : file_(file) {
  const Header header = read_header(file_);
  dtype_ = match_one(header.text, "'descr'\\s*:\\s*'([^']*)'");
  const std::size_t item = item_size(dtype_);
  if (item == 0) {
    throw bad(file, fmt::format("dtype '{}' (a little-endian plain type is expected)", dtype_));
  }
  if (match_one(header.text, "'fortran_order'\\s*:\\s*(\\w+)") != "False") {
    throw bad(file, "it is in Fortran order; save it with numpy.ascontiguousarray");
  }
  std::smatch shape;
  if (!std::regex_search(header.text, shape, std::regex("'shape'\\s*:\\s*\\(([^)]*)\\)"))) {
    throw bad(file, "its header has no shape");
  }
  const std::string dims = shape[1].str();
  size_ = 1;
  const std::regex number("\\d+");
  for (std::sregex_iterator it(dims.begin(), dims.end(), number), end; it != end; ++it) {
    const std::int64_t dim = it->str().size() > 15 ? -1 : std::stoll(it->str());
    if (dim < 0 || (dim > 0 && size_ > static_cast<std::int64_t>(file_.bytes().size()) / dim)) {
      throw bad(file, fmt::format("shape ({}) needs more bytes than the file has", dims));
    }
    shape_.push_back(dim);
    size_ *= dim;
  }
  const std::size_t available = file_.bytes().size() - header.data_offset;
  const std::size_t needed = static_cast<std::size_t>(size_) * item;
  if (needed != available) {
    throw bad(file, fmt::format("shape ({}) of {} needs {} bytes of data, found {}", dims, dtype_,
                                needed, available));
  }
  data_ = file_.bytes().subspan(header.data_offset);
}

std::int64_t NpyArray::integer_at(std::int64_t i) const {
  check(i >= 0 && i < size_, "an .npy index is in range");
  const std::string_view code = std::string_view(dtype_).substr(1);
  if (code == "u1") return load<std::uint8_t>(data_, i);
  if (code == "i1") return load<std::int8_t>(data_, i);
  if (code == "u2") return load<std::uint16_t>(data_, i);
  if (code == "i2") return load<std::int16_t>(data_, i);
  if (code == "u4") return load<std::uint32_t>(data_, i);
  if (code == "i4") return load<std::int32_t>(data_, i);
  if (code == "i8") return load<std::int64_t>(data_, i);
  throw bad(file_.path(),
            fmt::format("dtype '{}' where whole numbers are expected (uint16, uint32, int32, ...)",
                        dtype_));
}

std::vector<float> NpyArray::floats() const {
  std::vector<float> out(static_cast<std::size_t>(size_));
  const std::string_view code = std::string_view(dtype_).substr(1);
  for (std::int64_t i = 0; i < size_; ++i) {
    float& value = out[static_cast<std::size_t>(i)];
    if (code == "f4")
      value = load<float>(data_, i);
    else if (code == "f8")
      value = static_cast<float>(load<double>(data_, i));
    else if (code == "f2")
      value = half_to_float(load<std::uint16_t>(data_, i));
    else
      throw bad(file_.path(), fmt::format("dtype '{}' where floats are expected", dtype_));
  }
  check_whole();
  return out;
}

struct NpyWriter::State {
  std::filesystem::path file;
  std::filesystem::path temporary;
  std::ofstream out;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t written = 0;
};

NpyWriter::NpyWriter(const std::filesystem::path& file, std::int64_t rows, std::int64_t columns)
    : state_(std::make_unique<State>()) {
  state_->file = write_target(file);
  state_->temporary = new_temporary(state_->file);
  state_->rows = rows;
  state_->columns = columns;
  state_->out.open(state_->temporary, std::ios::binary | std::ios::trunc);
  if (!state_->out) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: cannot open for writing", state_->temporary.string()));
  }
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  state_->out << kMagic << '\x01' << '\0' << static_cast<char>(header.size() & 0xFFU)
              << static_cast<char>(header.size() >> 8U) << header;
}

NpyWriter::~NpyWriter() {
  std::error_code ignored;
  if (state_) std::filesystem::remove(state_->temporary, ignored);  // left over only after an error
}

void NpyWriter::append(std::span<const float> values) {
  check(state_->columns > 0 && values.size() % static_cast<std::size_t>(state_->columns) == 0,
        "whole rows are appended");
  state_->out.write(reinterpret_cast<const char*>(values.data()),
                    static_cast<std::streamsize>(values.size_bytes()));
  state_->written += static_cast<std::int64_t>(values.size()) / state_->columns;
}

void NpyWriter::finish() {
  check(state_->written == state_->rows, "all rows of an .npy array were written");
  state_->out.close();
  if (!state_->out) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: write failed (is the disk full?)", state_->file.string()));
  }
  std::filesystem::rename(state_->temporary, state_->file);
}

}  // namespace yardstick
