#include "models/checkpoint/byte_input.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace yardstick::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little);

template <typename T>
T load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown(text.substr(0, 100));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return shown;
}

ByteInput::ByteInput(std::span<const std::byte> bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {}

std::span<const std::byte> ByteInput::take(std::uint64_t size) {
  if (size > bytes_.size() - position_) {
    throw error(
        fmt::format("{} more bytes are needed, but only {} are left; the file was cut short "
                    "or is damaged",
                    size, bytes_.size() - position_));
  }
  const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(size));
  position_ += taken.size();
  return taken;
}

std::uint8_t ByteInput::u8() { return load<std::uint8_t>(take(1)); }
std::uint16_t ByteInput::u16() { return load<std::uint16_t>(take(2)); }
std::uint32_t ByteInput::u32() { return load<std::uint32_t>(take(4)); }
std::uint64_t ByteInput::u64() { return load<std::uint64_t>(take(8)); }
std::int32_t ByteInput::i32() { return load<std::int32_t>(take(4)); }

double ByteInput::big_endian_double() {
  std::uint64_t bits = 0;
  for (const std::byte byte : take(8)) bits = (bits << 8) | std::to_integer<std::uint64_t>(byte);
  return std::bit_cast<double>(bits);
}

std::string_view ByteInput::text(std::uint64_t size) {
  const auto taken = take(size);
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

std::string_view ByteInput::line() {
  const auto rest = bytes_.subspan(position_);
  const auto newline = std::find(rest.begin(), rest.end(), std::byte{'\n'});
  if (newline == rest.end()) throw error("a name runs to the end of the data");
  const std::string_view found = text(static_cast<std::uint64_t>(newline - rest.begin()));
  ++position_;
  return found;
}

Error ByteInput::error(std::string_view message) const {
  return Error(ErrorKind::kData, fmt::format("{}: byte {}: {}", name_, position_, message));
}

}  // namespace yardstick::checkpoint
