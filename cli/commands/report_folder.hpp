// Whose reports a folder holds, so that no run writes over another's.
#pragma once

#include <filesystem>
#include <string>

namespace yardstick::cli {

/// Makes `folder` and marks it as that of one suite of one database (file `.yardstick-report`), or
/// finds that mark there. Called before anything is computed, so that two runs with one folder
/// tell each other and a folder that cannot be written costs no time.
/// @throws Error(kConfig) if the folder cannot be made or written, or is another suite's or
/// database's.
void claim_report_folder(const std::filesystem::path& folder, const std::filesystem::path& database,
                         const std::string& suite);

}  // namespace yardstick::cli
