// torch.save before PyTorch 1.6: five pickles one after another (magic number, protocol version,
// system, the object, the order of its storages), then every storage: int64 length, elements.
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/checkpoint/layout.hpp"
#include "models/checkpoint/pickle_machine.hpp"
#include "models/checkpoint/torch_file.hpp"

namespace yardstick::checkpoint {
namespace {

using Kind = PickleValue::Kind;

// PROTO 2, LONG1 of 10 bytes: 0x1950a86a20f9469cfc6c.
constexpr std::string_view kMagic("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
constexpr std::int64_t kProtocolVersion = 1001;

[[noreturn]] void fail(const std::string& file, std::string_view message) {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", file, message));
}

void check_preamble(ByteInput& input, const std::string& file) {
  const Pickle version = unpickle(input);
  if (version.root.kind != Kind::kInteger || version.root.number != kProtocolVersion) {
    fail(file, "has another version than 1001 of the format before PyTorch 1.6");
  }
  const Pickle system = unpickle(input);
  const PickleValue* is_little =
      system.root.kind == Kind::kDict ? system.find(system.root, "little_endian") : nullptr;
  if (is_little == nullptr || is_little->kind != Kind::kBool || is_little->number != 1) {
    fail(file, "was not saved on a little-endian machine; save it again on one");
  }
}

using Storages = std::map<std::string, std::span<const std::byte>, std::less<>>;

/// Reads the storages in the order of `keys`. Their elements' size is known from `pickle` only.
Storages read_storages(ByteInput& input, const Pickle& keys, const Pickle& pickle,
                       const std::string& file) {
  std::map<std::string_view, const PickleStorage*> known;
  for (const PickleStorage& storage : pickle.storages) known[storage.key] = &storage;
  if (keys.root.kind != Kind::kList) fail(file, "does not list its storages");
  Storages storages;
  for (const PickleValue& key : keys.sequence(keys.root)) {
    const auto found = key.kind == Kind::kText ? known.find(key.text) : known.end();
    if (found == known.end()) fail(file, "lists a storage that no tensor uses");
    const PickleStorage& storage = *found->second;
    const std::uint64_t elements = input.u64();
    const auto needed = checked_multiply(storage.elements, size_of(storage.dtype));
    if (!needed || elements != static_cast<std::uint64_t>(storage.elements)) {
      fail(file, fmt::format("storage {} has {} elements, but the pickle says {}", storage.key,
                             elements, storage.elements));
    }
    const std::string_view bytes = input.text(static_cast<std::uint64_t>(*needed));
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    if (!storages.emplace(storage.key, std::span(begin, bytes.size())).second) {
      fail(file, fmt::format("lists storage {} twice", storage.key));
    }
  }
  return storages;
}

}  // namespace

bool is_legacy_file(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

std::vector<TensorView> read_legacy_file(std::span<const std::byte> bytes,
                                         const std::string& file) {
  ByteInput input(bytes, file);
  static_cast<void>(input.text(kMagic.size()));
  check_preamble(input, file);
  const Pickle pickle = unpickle(input);
  const Pickle keys = unpickle(input);
  const Storages storages = read_storages(input, keys, pickle, file);
  if (input.position() != bytes.size()) {
    fail(file, fmt::format("has {} bytes after its last storage", bytes.size() - input.position()));
  }
  const auto read = [&](const PickleStorage& storage) {
    const auto found = storages.find(storage.key);
    if (found == storages.end()) fail(file, fmt::format("has no storage {}", storage.key));
    return found->second;
  };
  return make_views(pickle, read, file);
}

}  // namespace yardstick::checkpoint
