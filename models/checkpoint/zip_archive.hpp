// A zip archive in memory, as torch.save writes it: stored records, zip64 allowed. Only the central
// directory is believed, and only after every offset in it was checked against the file's size.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace yardstick::checkpoint {

class ZipArchive {
 public:
  /// Reads the directory of `bytes`, which must outlive the archive.
  /// @throws Error(kData) naming `file` if the directory is missing, damaged or encrypted.
  ZipArchive(std::span<const std::byte> bytes, std::string file);

  struct Record {
    std::uint64_t header_offset = 0;
    std::uint64_t size = 0;
    std::uint32_t crc = 0;
    std::uint16_t method = 0;
  };

  /// Records by name.
  [[nodiscard]] const std::map<std::string, Record, std::less<>>& records() const {
    return records_;
  }

  /// The bytes of a record, CRC-32 checked; nothing is copied.
  /// @throws Error(kData) if it is absent, compressed, out of the file or its checksum differs.
  [[nodiscard]] std::span<const std::byte> read(std::string_view name) const;

 private:
  std::span<const std::byte> bytes_;
  std::string file_;
  std::map<std::string, Record, std::less<>> records_;
};

}  // namespace yardstick::checkpoint
