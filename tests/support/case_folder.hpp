// A folder of shared/cases, whole. What are links there into other shared folders may have come as
// small texts that name their targets; those are links again here.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/support/shared.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {

class CaseFolder {
 public:
  explicit CaseFolder(std::string_view relative) {
    const auto source = std::filesystem::canonical(shared_path("cases") / relative);
    for (const auto& entry : std::filesystem::directory_iterator(source)) {
      std::filesystem::path target = entry.path();
      if (const std::string text = beginning(target); text.starts_with("../"))
        target = std::filesystem::canonical(source / text);
      std::filesystem::create_symlink(target, folder_ / entry.path().filename().string());
    }
  }

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  /// The first line, or what of it fits.
  static std::string beginning(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text(200, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return text.substr(0, text.find('\n'));
  }

  TemporaryFolder folder_;
};

}  // namespace yardstick::test
