#include "models/tokenizer/protobuf.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tokenizer {
namespace {

[[noreturn]] void fail(std::size_t offset, std::string_view what) {
  throw Error(ErrorKind::kData, fmt::format("byte {}: {}", offset, what));
}

}  // namespace

std::uint64_t ProtobufReader::varint() {
  std::uint64_t out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at_ >= message_.size()) fail(offset_ + at_, "the file or message ends inside a number");
    const auto byte = static_cast<unsigned char>(message_[at_++]);
    out |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) return out;
  }
  fail(offset_ + at_, "a number has more than 10 bytes");
}

std::uint64_t ProtobufReader::fixed(std::size_t size) {
  if (message_.size() - at_ < size) fail(offset_ + at_, "the file or message ends inside a number");
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < size; ++i)
    out |= static_cast<std::uint64_t>(static_cast<unsigned char>(message_[at_ + i])) << (8 * i);
  at_ += size;
  return out;
}

std::optional<ProtobufField> ProtobufReader::next() {
  if (at_ >= message_.size()) return std::nullopt;
  ProtobufField out{.offset = offset_ + at_};
  const std::uint64_t tag = varint();
  out.number = static_cast<std::uint32_t>(tag >> 3U);
  if (tag >> 32U != 0 || out.number == 0)
    fail(out.offset, fmt::format("no field can begin with the tag {}", tag));
  switch (tag & 7U) {
    case 0:
      out.type = ProtobufField::Type::kVarint;
      out.value = varint();
      return out;
    case 1:
      out.type = ProtobufField::Type::kFixed64;
      out.value = fixed(8);
      return out;
    case 2: {
      out.type = ProtobufField::Type::kBytes;
      const std::uint64_t size = varint();
      if (size > message_.size() - at_) {
        fail(out.offset, fmt::format("field {} is said to have {} bytes, but only {} are left",
                                     out.number, size, message_.size() - at_));
      }
      out.bytes = message_.substr(at_, size);
      out.bytes_offset = offset_ + at_;
      at_ += size;
      return out;
    }
    case 5:
      out.type = ProtobufField::Type::kFixed32;
      out.value = fixed(4);
      return out;
    default:
      fail(out.offset, fmt::format("field {} has the wire type {}, expected 0, 1, 2 or 5",
                                   out.number, tag & 7U));
  }
}

}  // namespace yardstick::tokenizer
