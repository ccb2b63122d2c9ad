// Where a file that replaces another as a whole is written.
#pragma once

#include <filesystem>

namespace yardstick {

/// The regular file that `file` names or links to, or that is to be made there.
/// @throws Error(kData) for a folder, a device, a pipe: they cannot be replaced by a file.
[[nodiscard]] std::filesystem::path write_target(const std::filesystem::path& file);

/// Makes an empty file beside `target`, under a name that nothing had, not even a link.
/// @throws Error(kData) naming `target` and the system's reason.
[[nodiscard]] std::filesystem::path new_temporary(const std::filesystem::path& target);

}  // namespace yardstick
