#include "core/home_path.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick {
namespace {

bool is_at_home(std::string_view path) { return path == "~" || path.starts_with("~/"); }

}  // namespace

std::string expand_home(std::string_view written) {
  const std::size_t equals = written.find('=');
  if (!is_at_home(written) && equals != std::string_view::npos &&
      is_at_home(written.substr(equals + 1))) {
    return std::string(written.substr(0, equals + 1)) + expand_home(written.substr(equals + 1));
  }
  const char* const home = std::getenv("HOME");
  if (!is_at_home(written) || home == nullptr) return std::string(written);
  return home + std::string(written.substr(1));
}

std::filesystem::path path_from(const std::filesystem::path& base, std::string_view written) {
  return base / (is_at_home(written) ? expand_home(written) : std::string(written));
}

bool is_present(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return true;
  if (!std::filesystem::is_symlink(path, ignored)) return false;
  throw Error(
      ErrorKind::kData,
      fmt::format("{}: is a link to {}, which is not there; download the file again, or copy it "
                  "with what its links point to",
                  path.string(), std::filesystem::read_symlink(path, ignored).string()));
}

}  // namespace yardstick
