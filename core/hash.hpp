// Content identities: SHA-256 of bytes, and a Fingerprint built from named, typed values.
// Keys of cells, models and tasks are fingerprints, so every input has a name and a type tag:
// two different lists of inputs never give the same byte stream.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace yardstick {

/// Lower-case hexadecimal SHA-256 of `bytes` (64 characters).
[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);
[[nodiscard]] std::string sha256_hex(std::string_view text);

/// SHA-256 of a file's contents. @throws Error(kData) naming the file if it cannot be read.
[[nodiscard]] std::string sha256_file(const std::filesystem::path& file);

/// Collects everything that determines a result and turns it into one key.
/// Not thread-safe; copyable (a prefix may be shared by many keys).
class Fingerprint {
 public:
  Fingerprint();
  Fingerprint(const Fingerprint& other);
  Fingerprint& operator=(const Fingerprint& other);
  Fingerprint(Fingerprint&&) noexcept;
  Fingerprint& operator=(Fingerprint&&) noexcept;
  ~Fingerprint();

  Fingerprint& add(std::string_view name, std::string_view value);
  Fingerprint& add(std::string_view name, const char* value);
  Fingerprint& add(std::string_view name, std::int64_t value);
  Fingerprint& add(std::string_view name, std::uint64_t value);
  Fingerprint& add(std::string_view name, int value);
  Fingerprint& add(std::string_view name, double value);  ///< exact bits; -0.0 equals 0.0

  /// 64 hexadecimal characters over all that was added so far.
  [[nodiscard]] std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace yardstick
