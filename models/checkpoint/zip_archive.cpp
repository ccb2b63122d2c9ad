// Source of the layout: PKWARE's APPNOTE 6.3, sections 4.3 (structures) and 4.5.3 (zip64).
#include "models/checkpoint/zip_archive.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.hpp"

namespace yardstick::checkpoint {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryEntry = 0x02014b50;
constexpr std::uint32_t kEndOfDirectory = 0x06054b50;
constexpr std::uint32_t kEndOfDirectory64 = 0x06064b50;
constexpr std::uint32_t kEndLocator64 = 0x07064b50;
constexpr std::size_t kLocalHeaderBytes = 30;
constexpr std::size_t kDirectoryEntryBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kMaxCommentBytes = 65535;
constexpr std::uint16_t kEncrypted = 1;  // general purpose flag
constexpr std::uint16_t kZip64Extra = 1;
constexpr std::uint32_t kSee64 = 0xffffffff;  // "the zip64 field holds it"

/// Little-endian fields of a byte range whose size was checked.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint16_t u16(std::size_t at) const { return load<std::uint16_t>(at); }
  [[nodiscard]] std::uint32_t u32(std::size_t at) const { return load<std::uint32_t>(at); }
  [[nodiscard]] std::uint64_t u64(std::size_t at) const { return load<std::uint64_t>(at); }

 private:
  static_assert(std::endian::native == std::endian::little);

  template <typename T>
  [[nodiscard]] T load(std::size_t at) const {
    check(at + sizeof(T) <= bytes_.size(), "a zip field lies inside its structure");
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }

  std::span<const std::byte> bytes_;
};

[[noreturn]] void fail(const std::string& file, std::string_view message) {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", file, message));
}

/// `size` bytes at `at`, or nothing if they are not all inside.
std::optional<std::span<const std::byte>> part(std::span<const std::byte> bytes, std::uint64_t at,
                                               std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
  return bytes.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
}

/// Where the end-of-central-directory structure begins: the last one whose comment ends the file.
std::optional<std::size_t> find_end(std::span<const std::byte> bytes) {
  if (bytes.size() < kEndBytes) return std::nullopt;
  const std::size_t last = bytes.size() - kEndBytes;
  const std::size_t first = last - std::min(last, kMaxCommentBytes);
  for (std::size_t at = last + 1; at-- > first;) {
    const Bytes end(bytes.subspan(at, kEndBytes));
    if (end.u32(0) == kEndOfDirectory && at + kEndBytes + end.u16(20) == bytes.size()) return at;
  }
  return std::nullopt;
}

struct Directory {
  std::uint64_t entries = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint64_t disks = 0;  ///< any disk number other than this one's; 0 in a whole archive
};

Directory read_directory64(std::span<const std::byte> bytes, const Bytes& locator,
                           const std::string& file) {
  const auto found = part(bytes, locator.u64(8), kEnd64Bytes);
  if (!found || Bytes(*found).u32(0) != kEndOfDirectory64) {
    fail(file, "its zip64 directory is not where the file says; the file is damaged");
  }
  const Bytes end(*found);
  return {.entries = end.u64(32),
          .size = end.u64(40),
          .offset = end.u64(48),
          .disks = end.u32(16) | end.u32(20)};
}

Directory locate_directory(std::span<const std::byte> bytes, const std::string& file) {
  const std::optional<std::size_t> at = find_end(bytes);
  if (!at) {
    fail(file, "has no zip directory at its end; the file was cut short: fetch or save it again");
  }
  if (*at >= kLocatorBytes) {
    const Bytes locator(bytes.subspan(*at - kLocatorBytes, kLocatorBytes));
    if (locator.u32(0) == kEndLocator64) return read_directory64(bytes, locator, file);
  }
  const Bytes end(bytes.subspan(*at, kEndBytes));
  return {.entries = end.u16(10),
          .size = end.u32(12),
          .offset = end.u32(16),
          .disks = static_cast<std::uint64_t>(end.u16(4) | end.u16(6))};
}

/// Replaces the fields that are kSee64 by those of the entry's zip64 extra field, in its order.
void read_zip64_extra(std::span<const std::byte> extra, std::uint64_t& size,
                      std::uint64_t& compressed, std::uint64_t& offset, const std::string& file) {
  std::size_t at = 0;
  while (at + 4 <= extra.size()) {
    const Bytes field(extra.subspan(at));
    const auto body = part(extra, at + 4, field.u16(2));
    if (!body) fail(file, "an extra field of its zip directory runs past its entry");
    if (field.u16(0) == kZip64Extra) {
      std::size_t inside = 0;
      for (std::uint64_t* value : {&size, &compressed, &offset}) {
        if (*value != kSee64) continue;
        if (inside + 8 > body->size()) fail(file, "a zip64 field of its directory is too short");
        *value = Bytes(*body).u64(inside);
        inside += 8;
      }
      return;
    }
    at += 4 + body->size();
  }
}

}  // namespace

ZipArchive::ZipArchive(std::span<const std::byte> bytes, std::string file)
    : bytes_(bytes), file_(std::move(file)) {
  const Directory directory = locate_directory(bytes_, file_);
  if (directory.disks != 0) fail(file_, "is a part of a zip archive on several disks");
  const auto listing = part(bytes_, directory.offset, directory.size);
  if (!listing) fail(file_, "its zip directory lies outside the file; the file is damaged");
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    const auto fixed = part(*listing, at, kDirectoryEntryBytes);
    if (!fixed || Bytes(*fixed).u32(0) != kDirectoryEntry) {
      fail(file_,
           fmt::format("entry {} of {} of its zip directory is damaged", i + 1, directory.entries));
    }
    const Bytes entry(*fixed);
    const auto name = part(*listing, at + kDirectoryEntryBytes, entry.u16(28));
    const auto extra = part(*listing, at + kDirectoryEntryBytes + entry.u16(28), entry.u16(30));
    if (!name || !extra) fail(file_, "an entry of its zip directory runs past its end");
    std::uint64_t size = entry.u32(24);
    std::uint64_t compressed = entry.u32(20);
    std::uint64_t offset = entry.u32(42);
    read_zip64_extra(*extra, size, compressed, offset, file_);
    const std::string text(reinterpret_cast<const char*>(name->data()), name->size());
    if ((entry.u16(8) & kEncrypted) != 0)
      fail(file_, fmt::format("record '{}' is encrypted", text));
    if (entry.u16(10) == 0 && size != compressed) {
      fail(file_, fmt::format("record '{}' is stored, but states two sizes", text));
    }
    const Record record{
        .header_offset = offset, .size = size, .crc = entry.u32(16), .method = entry.u16(10)};
    if (!records_.emplace(text, record).second) {
      fail(file_, fmt::format("has the record '{}' twice", text));
    }
    at += kDirectoryEntryBytes + name->size() + extra->size() + entry.u16(32);
  }
  if (at != directory.size) fail(file_, "its zip directory has bytes that belong to no entry");
}

std::span<const std::byte> ZipArchive::read(std::string_view name) const {
  const auto found = records_.find(name);
  if (found == records_.end()) fail(file_, fmt::format("has no record '{}'", name));
  const Record& record = found->second;
  if (record.method != 0) {
    fail(file_, fmt::format("record '{}' is compressed (method {}); torch.save stores records as "
                            "they are: unpack the archive and save it again with torch.save",
                            name, record.method));
  }
  const auto fixed = part(bytes_, record.header_offset, kLocalHeaderBytes);
  if (!fixed || Bytes(*fixed).u32(0) != kLocalHeader) {
    fail(file_, fmt::format("record '{}' is not where the directory says", name));
  }
  const Bytes header(*fixed);
  const auto local_name = part(bytes_, record.header_offset + kLocalHeaderBytes, header.u16(26));
  if (!local_name || std::string_view(reinterpret_cast<const char*>(local_name->data()),
                                      local_name->size()) != name) {
    fail(file_, fmt::format("record '{}' has another name where it stands", name));
  }
  const auto data =
      part(bytes_, record.header_offset + kLocalHeaderBytes + header.u16(26) + header.u16(28),
           record.size);
  if (!data) {
    fail(file_,
         fmt::format("record '{}' of {} bytes runs past the end of the file", name, record.size));
  }
  const auto crc = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(data->data()), data->size()));
  if (crc != record.crc) {
    fail(file_, fmt::format("record '{}' has the checksum {:08x}, expected {:08x}; the file is "
                            "damaged: fetch or save it again",
                            name, crc, record.crc));
  }
  return *data;
}

}  // namespace yardstick::checkpoint
