// The language of Python's module re, in PCRE2's spelling.
#pragma once

#include <string>
#include <string_view>

namespace yardstick::tasks {

/// @throws Error(kConfig) naming the construct and its byte, where Python refuses it or PCRE2 would
/// match differently.
[[nodiscard]] std::string to_pcre2(std::string_view pattern);

}  // namespace yardstick::tasks
