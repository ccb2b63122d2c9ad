#include "models/checkpoint/pickle_input.hpp"

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

PickleInput::PickleInput(std::span<const std::byte> bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {}

std::span<const std::byte> PickleInput::take(std::uint64_t size) {
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

std::uint8_t PickleInput::u8() { return load<std::uint8_t>(take(1)); }
std::uint16_t PickleInput::u16() { return load<std::uint16_t>(take(2)); }
std::uint32_t PickleInput::u32() { return load<std::uint32_t>(take(4)); }
std::uint64_t PickleInput::u64() { return load<std::uint64_t>(take(8)); }
std::int32_t PickleInput::i32() { return load<std::int32_t>(take(4)); }

double PickleInput::big_endian_double() {
  std::uint64_t bits = 0;
  for (const std::byte byte : take(8)) bits = (bits << 8) | std::to_integer<std::uint64_t>(byte);
  return std::bit_cast<double>(bits);
}

std::string_view PickleInput::text(std::uint64_t size) {
  const auto taken = take(size);
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

std::string_view PickleInput::line() {
  const auto rest = bytes_.subspan(position_);
  const auto newline = std::find(rest.begin(), rest.end(), std::byte{'\n'});
  if (newline == rest.end()) throw error("a name runs to the end of the pickle");
  const std::string_view found = text(static_cast<std::uint64_t>(newline - rest.begin()));
  ++position_;
  return found;
}

Error PickleInput::error(std::string_view message) const {
  return Error(ErrorKind::kData, fmt::format("{}: byte {}: {}", name_, position_, message));
}

}  // namespace yardstick::checkpoint
