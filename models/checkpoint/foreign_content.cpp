#include "models/checkpoint/foreign_content.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::checkpoint {
namespace {

using namespace std::string_view_literals;

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kBeginnings = {
    {{"version https://git-lfs.github.com/spec/"sv,
      "is a Git LFS pointer, not the weights; fetch them with `git lfs pull`"sv},
     {"\x1f\x8b"sv, "is gzip data; unpack it"sv},
     {"\x28\xb5\x2f\xfd"sv, "is Zstandard data; unpack it"sv},
     {"<!DOCTYPE"sv, "is a web page, not weights; download the file itself"sv},
     {"<html"sv, "is a web page, not weights; download the file itself"sv}}};

}  // namespace

void refuse_foreign_content(std::span<const std::byte> bytes, const std::string& file) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const auto& [beginning, meaning] : kBeginnings) {
    if (text.starts_with(beginning)) {
      throw Error(ErrorKind::kData, fmt::format("{}: {}", file, meaning));
    }
  }
}

}  // namespace yardstick::checkpoint
