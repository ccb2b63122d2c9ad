#include "core/content_kind.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace yardstick {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf"sv;

// UTF-32's mark begins with UTF-16's.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kBeginnings = {{
    {"\x1f\x8b"sv, "is gzip data; give its name the ending .gz, or unpack it"sv},
    {"\x28\xb5\x2f\xfd"sv, "is Zstandard data; give its name the ending .zst, or unpack it"sv},
    {"PK\x03\x04"sv, "is a zip archive; unpack it"sv},
    {"PAR1"sv, "is a Parquet file; write it as JSON lines"sv},
    {"\xff\xfe\x00\x00"sv, "is UTF-32 text; save it as UTF-8"sv},
    {"\x00\x00\xfe\xff"sv, "is UTF-32 text; save it as UTF-8"sv},
    {"\xff\xfe"sv, "is UTF-16 text; save it as UTF-8"sv},
    {"\xfe\xff"sv, "is UTF-16 text; save it as UTF-8"sv},
    {"version https://git-lfs.github.com/spec/"sv,
     "is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`"sv},
}};

/// Latin text in UTF-16: every other byte of the beginning is 0.
bool is_utf16_without_mark(std::string_view bytes) {
  constexpr std::size_t kLooked = 64;
  const std::string_view beginning = bytes.substr(0, std::min(kLooked, bytes.size()));
  if (beginning.size() < 4) return false;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < beginning.size(); ++i) {
    if (beginning[i] == '\0') ++zeros[i % 2];
  }
  const std::size_t half = beginning.size() / 2;
  return (zeros[0] == half && zeros[1] == 0) || (zeros[1] == half && zeros[0] == 0);
}

}  // namespace

std::optional<std::string> why_not_text(std::string_view bytes) {
  for (const auto& [beginning, meaning] : kBeginnings) {
    if (bytes.starts_with(beginning)) return std::string(meaning);
  }
  if (bytes == kUtf8Mark) return "holds a byte-order mark and nothing else";
  const std::size_t nul = bytes.find('\0');
  if (nul == std::string_view::npos) return std::nullopt;
  if (is_utf16_without_mark(bytes)) {
    return "looks like UTF-16 text without a byte-order mark; save it as UTF-8";
  }
  return fmt::format("holds a NUL byte at byte {}, which no text has; is it the right file?", nul);
}

}  // namespace yardstick
