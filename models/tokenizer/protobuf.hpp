// Protocol Buffers' wire format, read as untrusted input: a message as a list of fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace yardstick::tokenizer {

struct ProtobufField {
  std::uint32_t number = 0;
  enum class Type { kVarint, kFixed64, kBytes, kFixed32 } type = Type::kVarint;
  std::uint64_t value = 0;       ///< of the three numeric types
  std::string_view bytes;        ///< of kBytes: a text or a message
  std::size_t offset = 0;        ///< of the field in the file
  std::size_t bytes_offset = 0;  ///< of `bytes` in the file
};

/// Goes through the fields of one message. Source: protobuf.dev, "Encoding".
class ProtobufReader {
 public:
  /// @param offset of the message in its file, for messages
  ProtobufReader(std::string_view message, std::size_t offset)
      : message_(message), offset_(offset) {}

  /// The next field, or nothing at the end.
  /// @throws Error(kData) "byte N: .." if the message ends too early or no field can begin so.
  [[nodiscard]] std::optional<ProtobufField> next();

 private:
  [[nodiscard]] std::uint64_t varint();
  [[nodiscard]] std::uint64_t fixed(std::size_t size);

  std::string_view message_;
  std::size_t offset_;
  std::size_t at_ = 0;
};

}  // namespace yardstick::tokenizer
