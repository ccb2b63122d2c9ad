// torch.save's zip form: NAME/data.pkl refers to storages NAME/data/KEY, stored as they are.
#include "models/checkpoint/torch_file.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/checkpoint/containers.hpp"
#include "models/checkpoint/foreign_content.hpp"
#include "models/checkpoint/layout.hpp"
#include "models/checkpoint/pickle_machine.hpp"
#include "models/checkpoint/state_dict.hpp"
#include "models/checkpoint/zip_archive.hpp"

namespace yardstick::checkpoint {
namespace {

constexpr std::size_t kMaxPickleBytes = std::size_t{64} << 20;  // names and shapes, no weights

[[noreturn]] void fail(const std::string& file, std::string_view message) {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", file, message));
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The folder inside the archive that all records share, with its '/'.
std::string find_root(const ZipArchive& archive, const std::string& file) {
  constexpr std::string_view kPickle = "data.pkl";
  std::optional<std::string> root;
  for (const auto& [name, record] : archive.records()) {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos || std::string_view(name).substr(slash + 1) != kPickle) continue;
    if (root) fail(file, fmt::format("has two pickles, in {} and {}", *root, name));
    root = name.substr(0, slash + 1);
  }
  if (!root) {
    fail(file, "is a zip archive without a data.pkl; expected a state dict written by torch.save");
  }
  return *root;
}

void check_byte_order(const ZipArchive& archive, const std::string& root, const std::string& file) {
  const std::string name = root + "byteorder";
  if (!archive.records().contains(name)) return;  // files before PyTorch 2.1 have none
  const std::string_view order = as_text(archive.read(name));
  if (order != "little") {
    fail(file, fmt::format("was saved with byte order '{}'; expected 'little': save it again on a "
                           "little-endian machine",
                           order.substr(0, 16)));
  }
}

std::vector<TensorView> read_zip_file(std::span<const std::byte> bytes, const std::string& file) {
  const ZipArchive archive(bytes, file);
  const std::string root = find_root(archive, file);
  check_byte_order(archive, root, file);
  const std::span<const std::byte> pickled = archive.read(root + "data.pkl");
  if (pickled.size() > kMaxPickleBytes) {
    fail(file, fmt::format("data.pkl has {} bytes, too many for a state dict", pickled.size()));
  }
  ByteInput input(pickled, fmt::format("{}: data.pkl", file));
  const Pickle pickle = unpickle(input);
  const auto read = [&](const PickleStorage& storage) {
    const std::span<const std::byte> record =
        archive.read(fmt::format("{}data/{}", root, storage.key));
    const auto needed = checked_multiply(storage.elements, size_of(storage.dtype));
    if (!needed || static_cast<std::uint64_t>(*needed) != record.size()) {
      fail(file,
           fmt::format("record data/{} has {} bytes, but the pickle says {} x {}; the file is "
                       "damaged",
                       storage.key, record.size(), storage.elements, to_string(storage.dtype)));
    }
    return record;
  };
  return make_views(pickle, read, file);
}

}  // namespace

std::vector<TensorView> make_views(const Pickle& pickle, const StorageReader& read,
                                   const std::string& file) {
  std::vector<std::optional<std::span<const std::byte>>> storages(pickle.storages.size());
  std::vector<TensorView> views;
  for (const NamedTensor& named : find_state_dict(pickle, file)) {
    const PickleTensor& tensor = pickle.tensors.at(named.tensor);
    auto& bytes = storages.at(tensor.storage);
    if (!bytes) {
      try {
        bytes = read(pickle.storages.at(tensor.storage));
      } catch (const Error& error) {
        throw error.within(fmt::format("tensor '{}'", named.name));
      }
    }
    TensorView view{.name = named.name,
                    .dtype = pickle.storages.at(tensor.storage).dtype,
                    .shape = tensor.shape,
                    .strides = tensor.strides,
                    .storage = *bytes,
                    .offset = tensor.offset,
                    .file = file};
    check_view(view);
    views.push_back(std::move(view));
  }
  sort_by_name(views);
  return views;
}

std::vector<TensorView> read_torch_file(std::span<const std::byte> bytes, const std::string& file) {
  refuse_foreign_content(bytes, file);
  if (as_text(bytes).starts_with("PK")) return read_zip_file(bytes, file);
  if (is_legacy_file(bytes)) return read_legacy_file(bytes, file);
  fail(file, bytes.empty()
                 ? "is empty; expected a file of torch.save"
                 : "does not begin like a file of torch.save (zip archive, or pickle with "
                   "torch's magic number)");
}

std::unique_ptr<TensorSource> open_torch_file(const std::filesystem::path& file) {
  std::vector<MappedFile> mapped;
  mapped.emplace_back(file);
  std::vector<TensorView> views = read_torch_file(mapped.front().bytes(), file.string());
  return std::make_unique<MappedSource>(std::move(mapped), std::move(views),
                                        std::vector<std::string>{file.string()});
}

}  // namespace yardstick::checkpoint
