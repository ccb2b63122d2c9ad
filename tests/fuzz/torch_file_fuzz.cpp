// Any bytes as a file of torch.save. A zip archive's checksums stop most mutations, so the bytes
// are also tried as the pickle inside one, with a storage of 64 elements.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "core/error.hpp"
#include "models/checkpoint/pickle_machine.hpp"
#include "models/checkpoint/torch_file.hpp"
#include "tests/fuzz/read_all.hpp"

namespace {

using yardstick::checkpoint::PickleStorage;

std::span<const std::byte> small_storage(const PickleStorage& storage) {
  static const std::string kBytes(64 * 8, '\1');
  const auto size = static_cast<std::size_t>(64 * yardstick::checkpoint::size_of(storage.dtype));
  return {reinterpret_cast<const std::byte*>(kBytes.data()), size};
}

template <typename Action>
void expect_result_or_error(const Action& action) {
  try {
    action();
  } catch (const yardstick::Error& error) {
    if (error.kind() != yardstick::ErrorKind::kData) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  expect_result_or_error(
      [&] { yardstick::fuzz::read_all(yardstick::checkpoint::read_torch_file(bytes, "fuzzed")); });
  expect_result_or_error([&] {
    yardstick::checkpoint::ByteInput input(bytes, "fuzzed");
    const auto pickle = yardstick::checkpoint::unpickle(input);
    yardstick::fuzz::read_all(yardstick::checkpoint::make_views(pickle, small_storage, "fuzzed"));
  });
  return 0;
}
