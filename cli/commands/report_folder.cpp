#include "cli/commands/report_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/suite_run.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "reports/report.hpp"

namespace yardstick::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Error folder_error(const fs::path& folder, std::string_view what) {
  return {ErrorKind::kConfig,
          fmt::format("report folder {}: {}; name another one with -o", folder.string(), what)};
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder))
    throw folder_error(folder, "is a file or a device, no folder");
  fs::create_directories(folder, error);
  if (error) throw folder_error(folder, "cannot be made: " + error.message());
}

/// The mark's text. The database is named as seen from the folder: both may move together.
std::string mark_of(const fs::path& folder, const fs::path& database, const std::string& suite) {
  const fs::path from = fs::weakly_canonical(fs::absolute(folder));
  const fs::path to = fs::weakly_canonical(fs::absolute(database));
  const json mark = {{"database", to.lexically_relative(from).string()}, {"suite", suite}};
  return mark.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// False if there is a mark already.
bool write_new(const fs::path& folder, const fs::path& file, const std::string& text) {
  const int descriptor =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    if (errno == EEXIST) return false;
    throw folder_error(folder, fmt::format("cannot be written: {}", std::strerror(errno)));
  }
  const ssize_t written = ::write(descriptor, text.data(), text.size());
  const int code = errno;
  ::close(descriptor);
  if (written == static_cast<ssize_t>(text.size())) return true;
  ::unlink(file.c_str());
  throw folder_error(folder, fmt::format("cannot be written: {}",
                                         written < 0 ? std::strerror(code) : "the disk is full"));
}

/// "suite 'a' of ../a.db", as far as the mark can be read.
std::string owner_of(const std::string& mark) {
  const json found = json::parse(mark, nullptr, /*allow_exceptions=*/false);
  const bool is_whole = found.is_object() && found.contains("suite") &&
                        found.contains("database") && found["suite"].is_string() &&
                        found["database"].is_string();
  if (!is_whole) return "another run";
  return fmt::format("suite '{}' of the database {}", found["suite"].get<std::string>(),
                     found["database"].get<std::string>());
}

/// Reports of a program that left no mark may be anyone's.
void warn_of_reports(const fs::path& folder) {
  for (const std::string& name : reports::report_files()) {
    if (!fs::exists(folder / name)) continue;
    warn(fmt::format("{}: is from a run that left no mark of its suite, and will be replaced",
                     (folder / name).string()));
  }
}

}  // namespace

void claim_report_folder(const fs::path& folder, const fs::path& database,
                         const std::string& suite) {
  make_folder(folder);
  const fs::path file = folder / ".yardstick-report";
  const std::string mark = mark_of(folder, database, suite);
  if (write_new(folder, file, mark)) return warn_of_reports(folder);
  const std::string found = read_file(file);
  if (found == mark) {
    if (::access(folder.c_str(), W_OK) != 0)
      throw folder_error(folder, fmt::format("cannot be written: {}", std::strerror(errno)));
    return;
  }
  throw folder_error(folder, fmt::format("belongs to {}, whose report would be overwritten (its "
                                         "mark is {}; remove it to give the folder to this suite)",
                                         owner_of(found), file.string()));
}

}  // namespace yardstick::cli
