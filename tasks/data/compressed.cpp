#define ZLIB_CONST  // zlib does not write to its input
#include "tasks/data/compressed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include "core/content_kind.hpp"
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

class GzipStream {
 public:
  GzipStream() {
    constexpr int kGzipAlone = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipAlone) != Z_OK) {
      throw Error(ErrorKind::kMemory, "no memory for a gzip stream");
    }
  }
  ~GzipStream() { inflateEnd(&stream_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  z_stream& operator*() { return stream_; }

 private:
  z_stream stream_{};
};

// Not gzread: it takes plain text for a file, and drops what stands behind a stream.
std::string inflate_gzip(const std::filesystem::path& file) {
  constexpr std::size_t kMostInput = std::size_t{1} << 30U;  // zlib counts in 32 bits
  const MappedFile compressed(file);
  GzipStream gzip;
  z_stream& stream = *gzip;
  std::string out;
  std::array<char, kBufferBytes> buffer{};
  const std::size_t size = compressed.bytes().size();
  const auto* const input = reinterpret_cast<const Bytef*>(compressed.bytes().data());
  int code = Z_OK;
  for (std::size_t at = 0; at < size;) {
    const std::size_t given = std::min(size - at, kMostInput);
    stream.next_in = input + at;
    stream.avail_in = static_cast<uInt>(given);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      code = inflate(&stream, Z_NO_FLUSH);
      if (code == Z_BUF_ERROR) code = Z_OK;  // all input is taken
      if (code != Z_OK && code != Z_STREAM_END) {
        throw damaged(file, "gzip", stream.msg != nullptr ? stream.msg : zError(code));
      }
      out.append(buffer.data(), buffer.size() - stream.avail_out);
      check_size(out, file);
    } while (code == Z_OK && stream.avail_out == 0);
    at += given - stream.avail_in;
    if (code == Z_STREAM_END) inflateReset(&stream);  // a further member may follow
  }
  compressed.check_whole();
  if (code != Z_STREAM_END) throw ends_early(file, "gzip");
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
  compressed.check_whole();
  if (expected != 0 || input.size == 0) throw ends_early(file, "Zstandard");
  return out;
}

/// Git LFS leaves a few lines of text in the place of a file, whatever its name.
void refuse_pointer(const std::filesystem::path& file) {
  constexpr std::size_t kLargestPointer = 1024;
  std::error_code ignored;
  if (std::filesystem::file_size(file, ignored) > kLargestPointer || ignored) return;
  const std::string content = read_file(file);
  if (!content.starts_with("version ")) return;
  if (const std::optional<std::string> reason = why_not_text(content)) {
    throw Error(ErrorKind::kData, fmt::format("{}: {}", file.string(), *reason));
  }
}

std::string inflate(const std::filesystem::path& file) {
  refuse_pointer(file);
  return file.extension() == ".gz" ? inflate_gzip(file) : inflate_zstd(file);
}

}  // namespace

std::string read_inflated(const std::filesystem::path& file) {
  const bool is_compressed = file.extension() == ".gz" || file.extension() == ".zst";
  return is_compressed ? inflate(file) : read_file(file);
}

std::filesystem::path inflated_name(const std::filesystem::path& file) {
  const bool is_compressed = file.extension() == ".gz" || file.extension() == ".zst";
  return is_compressed ? file.parent_path() / file.stem() : file;
}

}  // namespace yardstick::tasks
