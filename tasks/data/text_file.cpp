#include "tasks/data/text_file.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 30U;

struct CloseGzip {
  void operator()(gzFile file) const { gzclose(file); }
};

std::string inflate_file(const std::filesystem::path& file) {
  const std::unique_ptr<gzFile_s, CloseGzip> input(gzopen(file.c_str(), "rb"));
  if (!input) {
    throw Error(ErrorKind::kData, fmt::format("{}: cannot be opened: {}", file.string(),
                                              std::generic_category().message(errno)));
  }
  std::string out;
  std::array<char, std::size_t{1} << 16U> buffer{};
  for (;;) {
    const int count = gzread(input.get(), buffer.data(), buffer.size());
    if (count < 0) {
      int code = 0;
      const char* const reason = gzerror(input.get(), &code);
      throw Error(ErrorKind::kData, fmt::format("{}: is not a sound gzip file ({}); download or "
                                                "compress it again",
                                                file.string(), reason));
    }
    if (count == 0) break;
    out.append(buffer.data(), static_cast<std::size_t>(count));
    if (out.size() > kMostBytes) {
      throw Error(ErrorKind::kData, fmt::format("{}: inflates to more than {} bytes; split it",
                                                file.string(), kMostBytes));
    }
  }
  int code = Z_OK;
  static_cast<void>(gzerror(input.get(), &code));
  if (code != Z_OK) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: the gzip stream ends too early; download or compress it again",
                            file.string()));
  }
  return out;
}

}  // namespace

std::string read_text_file(const std::filesystem::path& file) {
  std::string text = file.extension() == ".gz" ? inflate_file(file) : read_file(file);
  if (const std::optional<std::size_t> offset = find_invalid_utf8(text)) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: byte {} (0x{:02x}) is not valid UTF-8; convert the file to UTF-8",
                            file.string(), *offset, static_cast<unsigned char>(text[*offset])));
  }
  return text;
}

}  // namespace yardstick::tasks
