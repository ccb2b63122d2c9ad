#include "core/hash.hpp"

#include <array>
#include <bit>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "core/error.hpp"
#include "core/file_stamp.hpp"

namespace yardstick {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

Context new_context() {
  Context context(EVP_MD_CTX_new());
  check(context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1,
        "OpenSSL provides SHA-256");
  return context;
}

void update(EVP_MD_CTX* context, const void* data, std::size_t size) {
  check(EVP_DigestUpdate(context, data, size) == 1, "SHA-256 accepts data");
}

std::string finish(EVP_MD_CTX* context) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(context, digest.data(), &size) == 1, "SHA-256 finishes");
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace

std::string sha256_hex(std::span<const std::byte> bytes) {
  const Context context = new_context();
  update(context.get(), bytes.data(), bytes.size());
  return finish(context.get());
}

std::string sha256_hex(std::string_view text) { return sha256_hex(std::as_bytes(std::span(text))); }

std::string sha256_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorKind::kData, fmt::format("{}: cannot open for reading", file.string()));
  const FileStamp before = stamp_file(file);
  const Context context = new_context();
  std::vector<char> buffer(std::size_t{1} << 20);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    update(context.get(), buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) throw Error(ErrorKind::kData, fmt::format("{}: read error", file.string()));
  check_unchanged(before);
  return finish(context.get());
}

struct Fingerprint::State {
  Context context = new_context();

  // Length-prefixed, so that ("ab","c") and ("a","bc") differ.
  void field(std::string_view name, char type, const void* data, std::uint64_t size) {
    const std::uint64_t name_size = name.size();
    update(context.get(), &name_size, sizeof name_size);
    update(context.get(), name.data(), name.size());
    update(context.get(), &type, 1);
    update(context.get(), &size, sizeof size);
    update(context.get(), data, size);
  }
};

Fingerprint::Fingerprint() : state_(std::make_unique<State>()) {}
Fingerprint::Fingerprint(const Fingerprint& other) : Fingerprint() { *this = other; }
Fingerprint::Fingerprint(Fingerprint&&) noexcept = default;
Fingerprint& Fingerprint::operator=(Fingerprint&&) noexcept = default;
Fingerprint::~Fingerprint() = default;

Fingerprint& Fingerprint::operator=(const Fingerprint& other) {
  check(EVP_MD_CTX_copy_ex(state_->context.get(), other.state_->context.get()) == 1,
        "SHA-256 state can be copied");
  return *this;
}

Fingerprint& Fingerprint::add(std::string_view name, std::string_view value) {
  state_->field(name, 's', value.data(), value.size());
  return *this;
}
Fingerprint& Fingerprint::add(std::string_view name, const char* value) {
  return add(name, std::string_view(value));
}
Fingerprint& Fingerprint::add(std::string_view name, std::int64_t value) {
  state_->field(name, 'i', &value, sizeof value);
  return *this;
}
Fingerprint& Fingerprint::add(std::string_view name, std::uint64_t value) {
  state_->field(name, 'u', &value, sizeof value);
  return *this;
}
Fingerprint& Fingerprint::add(std::string_view name, int value) {
  return add(name, static_cast<std::int64_t>(value));
}
Fingerprint& Fingerprint::add(std::string_view name, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value);
  state_->field(name, 'd', &bits, sizeof bits);
  return *this;
}

std::string Fingerprint::hex() const {
  const Context copy = new_context();
  check(EVP_MD_CTX_copy_ex(copy.get(), state_->context.get()) == 1, "SHA-256 state can be copied");
  return finish(copy.get());
}

}  // namespace yardstick
