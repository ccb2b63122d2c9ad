#include "core/file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/write_target.hpp"

namespace yardstick {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view what) {
  const int code = errno;
  throw Error(ErrorKind::kData,
              fmt::format("{}: {}: {}", file.string(), what, std::strerror(code)));
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& file, int flags)
      : value_(::open(file.c_str(), flags | O_CLOEXEC, 0666)) {
    if (value_ < 0) fail(file, "cannot open");
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(value_); }
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  const auto bytes = mapped.bytes();
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  mapped.check_whole();
  return text;
}

std::filesystem::path write_target(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto status = std::filesystem::status(file, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(
        ErrorKind::kData,
        fmt::format("{}: is {}; expected a file, or a name that is not there yet", file.string(),
                    std::filesystem::is_directory(status) ? "a folder" : "no regular file"));
  }
  return std::filesystem::is_symlink(file, ignored) ? std::filesystem::weakly_canonical(file)
                                                    : file;
}

std::filesystem::path new_temporary(const std::filesystem::path& target) {
  // A program that was killed may have left a few, one of another machine has the same numbers.
  constexpr int kMostNames = 1000;
  for (int i = 0; i < kMostNames; ++i) {
    std::filesystem::path name = target.string() + fmt::format(".{}.{}.tmp", ::getpid(), i);
    const int made =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (made >= 0) {
      ::close(made);
      return name;
    }
    if (errno != EEXIST) break;
  }
  fail(target, "cannot make a temporary file beside it");
}

void write_file_atomically(const std::filesystem::path& path, std::string_view contents) {
  const std::filesystem::path file = write_target(path);
  std::error_code ignored;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), ignored);
  const std::filesystem::path temporary = new_temporary(file);
  try {
    const Descriptor out(temporary, O_WRONLY | O_NOFOLLOW);
    std::size_t done = 0;
    while (done < contents.size()) {
      const ssize_t n = ::write(out.get(), contents.data() + done, contents.size() - done);
      if (n < 0 && errno != EINTR) fail(file, "cannot write");
      if (n > 0) done += static_cast<std::size_t>(n);
    }
    if (::fsync(out.get()) != 0) fail(file, "cannot flush to disk");
    if (::rename(temporary.c_str(), file.c_str()) != 0) fail(file, "cannot replace");
  } catch (...) {
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

MappedFile::MappedFile(const std::filesystem::path& file) : path_(file) {
  const Descriptor in(file, O_RDONLY | O_NONBLOCK);  // a pipe is refused, not waited for
  struct stat status {};
  if (::fstat(in.get(), &status) != 0) fail(file, "cannot read its size");
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::kData, fmt::format("{}: is not a regular file", file.string()));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;  // an empty map is not allowed by mmap; an empty span is what it means
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, in.get(), 0);
  if (address == MAP_FAILED) fail(file, "cannot map into memory");
  bytes_ = {static_cast<const std::byte*>(address), size};
  guard_ = MappingGuard(bytes_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::exchange(other.bytes_, {})),
      guard_(std::move(other.guard_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(guard_, other.guard_);
  return *this;
}

void MappedFile::release(std::span<const std::byte> part) const {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes_.data());
  const auto first = reinterpret_cast<std::uintptr_t>(part.data());
  if (bytes_.empty() || first < begin || first + part.size() > begin + bytes_.size()) return;
  const std::uintptr_t inner = (first + page - 1) / page * page;
  const std::uintptr_t end = (first + part.size()) / page * page;
  // Advice: whether it is taken changes nothing that is read.
  if (inner < end) ::madvise(reinterpret_cast<void*>(inner), end - inner, MADV_DONTNEED);
}

void MappedFile::check_whole() const {
  if (!guard_.met_end()) return;
  std::error_code ignored;
  throw Error(
      ErrorKind::kData,
      fmt::format("{}: shrank while it was read: it had {} bytes when it was opened and has "
                  "{} now; is it being written? Copy it whole, then run again",
                  path_.string(), bytes_.size(), std::filesystem::file_size(path_, ignored)));
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  guard_ = {};  // before another map may lie at this address
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace yardstick
