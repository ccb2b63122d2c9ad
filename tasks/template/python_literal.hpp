// Python's way to write data, which lm-evaluation-harness prints and reads back: a rendered
// "['a', 'b']" is a list of choices.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace yardstick::tasks {

/// What Python's ast.literal_eval reads: numbers, strings (also with the prefixes r and u, triple
/// quotes, or several side by side), None, True, False, lists, tuples (as arrays), and dicts with
/// text as keys. Nothing if `text` is no such literal, or one that JSON cannot hold: bytes, sets,
/// complex numbers, integers beyond 64 bits, other keys.
[[nodiscard]] std::optional<nlohmann::ordered_json> parse_python_literal(std::string_view text);

/// Python's repr(): [1.0, 'a', None]. @throws Error(kData) for what is nested more than 100 deep.
[[nodiscard]] std::string python_repr(const nlohmann::ordered_json& value);

/// Python's str(): text as it is, all else as python_repr.
[[nodiscard]] std::string python_str(const nlohmann::ordered_json& value);

}  // namespace yardstick::tasks
