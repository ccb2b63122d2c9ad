// Any bytes as a GGUF file: views that stay inside, a configuration and a tokenizer, or one Error.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "core/error.hpp"
#include "models/checkpoint/gguf.hpp"
#include "tests/fuzz/read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    const auto contents = yardstick::checkpoint::read_gguf(bytes, "fuzzed");
    yardstick::fuzz::read_all(contents.tensors);
    if (contents.config.dump().empty()) std::abort();  // a text that is not UTF-8 would throw
  } catch (const yardstick::Error& error) {
    if (error.kind() != yardstick::ErrorKind::kData) std::abort();
  }
  return 0;
}
