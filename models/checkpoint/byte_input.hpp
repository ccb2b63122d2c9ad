// The bytes of an untrusted file, read forward with every length checked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace yardstick::checkpoint {

/// A name from the file as it may stand in a message: short and without control characters.
[[nodiscard]] std::string printable(std::string_view text);

class ByteInput {
 public:
  /// `name` stands in messages: "model.pt: data.pkl". The bytes must outlive what is read.
  ByteInput(std::span<const std::byte> bytes, std::string name);

  [[nodiscard]] std::uint8_t u8();
  [[nodiscard]] std::uint16_t u16();
  [[nodiscard]] std::uint32_t u32();
  [[nodiscard]] std::uint64_t u64();
  [[nodiscard]] std::int32_t i32();
  [[nodiscard]] double big_endian_double();
  [[nodiscard]] std::span<const std::byte> take(std::uint64_t size);
  [[nodiscard]] std::string_view text(std::uint64_t size);
  [[nodiscard]] std::string_view line();  ///< up to the next newline, which is skipped

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - position_; }

  /// Error(kData) "model.pt: data.pkl: byte 17: message".
  [[nodiscard]] Error error(std::string_view message) const;

 private:
  std::span<const std::byte> bytes_;
  std::string name_;
  std::size_t position_ = 0;
};

}  // namespace yardstick::checkpoint
