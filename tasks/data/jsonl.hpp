// JSON Lines: one JSON object a line, lines split on '\n' alone (U+2028 and U+0085 may stand inside
// a string), and errors that name the file's line and column.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

namespace yardstick::tasks {

enum class Proceed { kNext, kStop };

/// Calls `visit` with the 1-based number and the object of each line; blank lines are passed over.
/// Reads .gz and .zst, too. @throws Error(kData) "items.jsonl:12:7: ..." if a line is not a JSON
/// object.
void for_each_json_line(
    const std::filesystem::path& file,
    const std::function<Proceed(std::int64_t line, nlohmann::ordered_json&& object)>& visit);

}  // namespace yardstick::tasks
