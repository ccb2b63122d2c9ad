// Strict JSON: nlohmann-json with duplicate keys refused and errors that name file and line.
#pragma once

#include <filesystem>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace yardstick {

/// Parses one JSON text. Unlike the library's default, a duplicate key is an error (the last one
/// would win in silence), and so is a value nested more than 256 levels deep. `name` stands in the
/// message: "config.json:12:5: ...".
/// @throws Error(kData) with line and column.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, std::string_view name);

/// parse_json() that keeps the keys of an object in the order of the text.
[[nodiscard]] nlohmann::ordered_json parse_ordered_json(std::string_view text,
                                                        std::string_view name);

/// parse_json of a whole file.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& file);

}  // namespace yardstick
