// Any bytes as a safetensors file: views that stay inside, or one Error.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "core/error.hpp"
#include "models/checkpoint/safetensors_header.hpp"
#include "tests/fuzz/read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    yardstick::fuzz::read_all(yardstick::checkpoint::read_safetensors(bytes, "fuzzed"));
  } catch (const yardstick::Error& error) {
    if (error.kind() != yardstick::ErrorKind::kData) std::abort();
  }
  return 0;
}
