// Paths as users write them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace yardstick {

/// "~" and "~/x" with the home folder ($HOME) in the tilde's place, as a shell does where a path
/// stands alone; anything else as it is ("~user" too). In "name=~/x" the part behind the first '='
/// is meant.
[[nodiscard]] std::string expand_home(std::string_view written);

/// The path that a file names: `written` from the home folder, from the root, or from `base`.
[[nodiscard]] std::filesystem::path path_from(const std::filesystem::path& base,
                                              std::string_view written);

/// Whether there is something at `path`. @throws Error(kData) for a link whose target is missing
/// (a download that was cut off, or a cache that was cleaned): it would seem never to have been.
[[nodiscard]] bool is_present(const std::filesystem::path& path);

}  // namespace yardstick
