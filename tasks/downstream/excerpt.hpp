// The beginning and the end of a text, cut between characters: for messages and stored samples.
#pragma once

#include <cstddef>
#include <string_view>

namespace yardstick::tasks {

/// The longest beginning of at most `most` bytes that ends with a whole character (UTF-8).
[[nodiscard]] std::string_view beginning_of(std::string_view text, std::size_t most);

/// The longest end of at most `most` bytes that begins with a whole character (UTF-8).
[[nodiscard]] std::string_view end_of(std::string_view text, std::size_t most);

}  // namespace yardstick::tasks
