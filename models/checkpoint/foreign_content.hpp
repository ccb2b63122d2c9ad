// What a file of weights is when it is none. Inside models/.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace yardstick::checkpoint {

/// @throws Error(kData) if `bytes` begin like something that often stands in the place of weights:
/// a Git LFS pointer, gzip or Zstandard data, a web page.
void refuse_foreign_content(std::span<const std::byte> bytes, const std::string& file);

}  // namespace yardstick::checkpoint
