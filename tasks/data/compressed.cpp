#include "tasks/data/compressed.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include "core/error.hpp"
#include "core/file.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 30U;
constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

void check_size(const std::string& out, const std::filesystem::path& file) {
  if (out.size() <= kMostBytes) return;
  throw Error(ErrorKind::kData, fmt::format("{}: inflates to more than {} bytes; split it",
                                            file.string(), kMostBytes));
}

Error damaged(const std::filesystem::path& file, std::string_view format, std::string_view reason) {
  return {ErrorKind::kData, fmt::format("{}: is not a sound {} file ({}); download or compress it "
                                        "again",
                                        file.string(), format, reason)};
}

Error ends_early(const std::filesystem::path& file, std::string_view format) {
  return {ErrorKind::kData,
          fmt::format("{}: the {} stream ends too early; download or compress it again",
                      file.string(), format)};
}

struct CloseGzip {
  void operator()(gzFile file) const { gzclose(file); }
};

std::string inflate_gzip(const std::filesystem::path& file) {
  const std::unique_ptr<gzFile_s, CloseGzip> input(gzopen(file.c_str(), "rb"));
  if (!input) {
    throw Error(ErrorKind::kData, fmt::format("{}: cannot be opened: {}", file.string(),
                                              std::generic_category().message(errno)));
  }
  std::string out;
  std::array<char, kBufferBytes> buffer{};
  for (;;) {
    const int count = gzread(input.get(), buffer.data(), buffer.size());
    if (count < 0) {
      int code = 0;
      throw damaged(file, "gzip", gzerror(input.get(), &code));
    }
    if (count == 0) break;
    out.append(buffer.data(), static_cast<std::size_t>(count));
    check_size(out, file);
  }
  int code = Z_OK;
  static_cast<void>(gzerror(input.get(), &code));
  if (code != Z_OK) throw ends_early(file, "gzip");
  return out;
}

struct FreeZstd {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

std::string inflate_zstd(const std::filesystem::path& file) {
  const MappedFile compressed(file);
  const std::unique_ptr<ZSTD_DStream, FreeZstd> stream(ZSTD_createDStream());
  if (!stream) throw Error(ErrorKind::kMemory, "no memory for a Zstandard stream");
  std::string out;
  std::array<char, kBufferBytes> buffer{};
  ZSTD_inBuffer input{
      .src = compressed.bytes().data(), .size = compressed.bytes().size(), .pos = 0};
  std::size_t expected = compressed.bytes().size();  // 0 once a frame is complete
  for (bool is_full = false; input.pos < input.size || is_full;) {
    ZSTD_outBuffer output{.dst = buffer.data(), .size = buffer.size(), .pos = 0};
    expected = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(expected) != 0) throw damaged(file, "Zstandard", ZSTD_getErrorName(expected));
    out.append(buffer.data(), output.pos);
    check_size(out, file);
    is_full = output.pos == output.size && expected != 0;
  }
  if (expected != 0 || input.size == 0) throw ends_early(file, "Zstandard");
  return out;
}

}  // namespace

std::string read_inflated(const std::filesystem::path& file) {
  if (file.extension() == ".gz") return inflate_gzip(file);
  if (file.extension() == ".zst") return inflate_zstd(file);
  return read_file(file);
}

std::filesystem::path inflated_name(const std::filesystem::path& file) {
  const bool is_compressed = file.extension() == ".gz" || file.extension() == ".zst";
  return is_compressed ? file.parent_path() / file.stem() : file;
}

}  // namespace yardstick::tasks
