// `include` of a task file: an entry laid over the mappings of the files that it names, each value
// with the place that it came from.
#pragma once

#include <filesystem>

#include "core/yaml.hpp"
#include "harness/suite/task_library.hpp"

namespace yardstick::harness {

/// `entry` without its key `include`, laid over the mapping in the file (or the files, in order)
/// that the key names: later files win over earlier ones, the entry's own keys over all, as whole
/// values. A file may include others in turn. Relative files are looked for beside the file that
/// names them, then in the library. A relative file that an included file names as its data starts
/// from its own folder. Returns `entry` if there is nothing to include.
/// @throws Error(kConfig) at the key's place if a file is missing, is no mapping or includes
/// itself.
[[nodiscard]] Located merge_include(const Located& entry, const std::filesystem::path& base,
                                    const TaskLibrary& library);

/// The mapping in a task file with its own includes merged, as merge_include() would lay it under
/// an entry; its places are its own. @throws as merge_include().
[[nodiscard]] Located read_task_file(const std::filesystem::path& file,
                                     const std::filesystem::path& base, const TaskLibrary& library);

}  // namespace yardstick::harness
