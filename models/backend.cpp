// Finding and opening the backend library. It is never closed: its objects live as long as the
// program.
#include "models/backend.hpp"

#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>

#include <dlfcn.h>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/address_space.hpp"
#include "models/interface_id.hpp"

namespace yardstick::models {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "libyardstick_backend.so";
constexpr const char* kEntry = "yardstick_backend_v1";
constexpr const char* kInterface = "yardstick_backend_interface";
constexpr const char* kVariable = "YARDSTICK_BACKEND";

std::vector<fs::path> candidates() {
  const char* const named = std::getenv(kVariable);
  if (named != nullptr && *named != '\0') return {named};
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    throw Error(ErrorKind::kDevice,
                fmt::format("the program's own folder cannot be found (/proc/self/exe: {}); set {} "
                            "to the path of {}",
                            error.message(), kVariable, kFile));
  }
  const fs::path folder = program.parent_path();
  return {folder / kFile, (folder / ".." / "lib" / kFile).lexically_normal()};
}

std::string last_dl_error() {
  const char* const text = ::dlerror();
  return text == nullptr ? "unknown reason" : text;
}

/// Objects of classes that another build lays out otherwise would crash the program.
void check_interface(void* library, const fs::path& file) {
  using Interface = const char* (*)();
  void* const symbol = ::dlsym(library, kInterface);
  const std::string_view found = symbol == nullptr ? "none" : reinterpret_cast<Interface>(symbol)();
  if (found == kInterfaceId) return;
  throw Error(
      ErrorKind::kDevice,
      fmt::format("{} and this program are of different builds (interface {}, expected {}); "
                  "build both: cmake --build --preset release --target yardstick",
                  file.string(), found, kInterfaceId));
}

const Backend& entry_of(void* library, const fs::path& file) {
  check_interface(library, file);
  void* const symbol = ::dlsym(library, kEntry);
  if (symbol == nullptr) {
    throw Error(ErrorKind::kDevice, fmt::format("{} is no backend of this version of yardstick: {}",
                                                file.string(), last_dl_error()));
  }
  using Entry = const Backend* (*)();
  const Backend* const backend = reinterpret_cast<Entry>(symbol)();
  if (backend == nullptr) {
    throw Error(ErrorKind::kDevice, fmt::format("{}: {} gave no backend", file.string(), kEntry));
  }
  return *backend;
}

const Backend& open_backend() {
  check_address_space(address_space_left(), std::thread::hardware_concurrency());
  std::string tried;
  for (const fs::path& file : candidates()) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) {
      tried += fmt::format("\n  {}: no such file", file.string());
      continue;
    }
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return entry_of(library, file);
    tried += fmt::format("\n  {}: {}", file.string(), last_dl_error());
  }
  throw Error(ErrorKind::kDevice,
              fmt::format("the library that computes was not found or could not be opened; looked "
                          "for:{}\nBuild the target yardstick_backend, or set {} to its path",
                          tried, kVariable));
}

}  // namespace

const Backend& load_backend() {
  static const Backend& backend = open_backend();  // thread-safe; tried again after an error
  return backend;
}

}  // namespace yardstick::models
