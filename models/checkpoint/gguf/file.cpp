#include "models/checkpoint/gguf/file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "models/checkpoint/byte_input.hpp"
#include "models/checkpoint/foreign_content.hpp"
#include "models/checkpoint/layout.hpp"

namespace yardstick::checkpoint::gguf {
namespace {

constexpr std::uint32_t kOldestVersion = 2;
constexpr std::uint32_t kNewestVersion = 3;
constexpr std::uint32_t kMaxDims = 4;
constexpr std::uint64_t kMaxNameBytes = 65535;
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 20;
// The least bytes that an entry takes, by which its count is checked before anything is stored.
constexpr std::uint64_t kLeastKeyBytes = 8 + 1 + 4 + 1;
constexpr std::uint64_t kLeastTensorBytes = 8 + 1 + 4 + 4 + 8;

/// Names of ggml's tensor types by number, for messages about those that are not read.
constexpr std::array<std::string_view, 31> kTensorTypes = {
    "F32",     "F16",    "Q4_0",    "Q4_1",  "Q4_2",   "Q4_3",  "Q5_0",  "Q5_1",
    "Q8_0",    "Q8_1",   "Q2_K",    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K",  "Q8_K",
    "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS",
    "I8",      "I16",    "I32",     "I64",   "F64",    "IQ1_M", "BF16"};

/// Bytes of a number or a bool; nothing for texts and arrays.
std::optional<std::uint64_t> size_of_type(Type type) {
  switch (type) {
    case Type::kUInt8:
    case Type::kInt8:
    case Type::kBool: return 1;
    case Type::kUInt16:
    case Type::kInt16: return 2;
    case Type::kUInt32:
    case Type::kInt32:
    case Type::kFloat32: return 4;
    case Type::kUInt64:
    case Type::kInt64:
    case Type::kFloat64: return 8;
    case Type::kText:
    case Type::kArray: return std::nullopt;
  }
  throw Error(ErrorKind::kInternal, "a metadata type outside its enumeration");
}

[[noreturn]] void fail(const std::string& file, std::string_view message) {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", file, message));
}

void check_version(std::uint32_t version, const std::string& file) {
  if (version >= kOldestVersion && version <= kNewestVersion) return;
  if (version != 0 && version % 0x10000 == 0) {
    fail(file,
         "is a big-endian GGUF file; little-endian ones are read: convert it again without "
         "--bigendian");
  }
  fail(file, fmt::format("is a GGUF file of version {}; versions 2 and 3 are read: convert the "
                         "model again",
                         version));
}

std::string read_name(ByteInput& input, std::string_view what) {
  const std::uint64_t size = input.u64();
  if (size == 0 || size > kMaxNameBytes) {
    throw input.error(
        fmt::format("{} is {} bytes long; expected 1 to {}", what, size, kMaxNameBytes));
  }
  const std::string_view name = input.text(size);
  if (find_invalid_utf8(name)) {
    throw input.error(fmt::format("{} '{}' is not UTF-8", what, printable(name)));
  }
  return std::string(name);
}

Type read_type(ByteInput& input, const std::string& key) {
  const std::uint32_t number = input.u32();
  if (number > static_cast<std::uint32_t>(Type::kFloat64)) {
    throw input.error(fmt::format("key '{}' has the unknown type {}", printable(key), number));
  }
  return static_cast<Type>(number);
}

std::span<const std::byte> take_texts(ByteInput& input, std::span<const std::byte> all,
                                      std::uint64_t count) {
  const std::size_t begin = input.position();
  for (std::uint64_t i = 0; i < count; ++i) static_cast<void>(input.take(input.u64()));
  return all.subspan(begin, input.position() - begin);
}

Value read_value(ByteInput& input, std::span<const std::byte> all, const std::string& key) {
  Value value;
  value.type = read_type(input, key);
  if (value.type == Type::kArray) {
    value.is_array = true;
    value.type = read_type(input, key);
    value.count = input.u64();
    if (value.type == Type::kArray) {
      throw input.error(
          fmt::format("key '{}' is a list of lists, which no model has", printable(key)));
    }
  }
  const std::uint64_t item = size_of_type(value.type).value_or(sizeof(std::uint64_t));
  if (value.count > input.left() / item) {
    throw input.error(
        fmt::format("key '{}' claims {} items, but only {} bytes are left; the file "
                    "was cut short or is damaged",
                    printable(key), value.count, input.left()));
  }
  value.bytes = value.type == Type::kText ? take_texts(input, all, value.count)
                                          : input.take(value.count * item);
  return value;
}

DType read_dtype(std::uint32_t number, const std::string& file, const std::string& tensor) {
  const std::string_view name =
      number < kTensorTypes.size() ? kTensorTypes[number] : std::string_view();
  for (const DType dtype :
       {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kQ8_0}) {
    if (name == to_string(dtype)) return dtype;
  }
  throw tensor_error(
      file, tensor,
      fmt::format("is stored as {}; F32, F16, BF16, F64 and Q8_0 are read: convert "
                  "the model again with --outtype f16 or q8_0",
                  name.empty() ? fmt::format("type {}", number) : std::string(name)));
}

/// A tensor's entry; `data` is set later, when it is known where the data begin.
struct Entry {
  Tensor tensor;
  std::uint64_t offset = 0;
  std::int64_t bytes = 0;
};

Entry read_entry(ByteInput& input, const std::string& file) {
  Entry entry;
  Tensor& tensor = entry.tensor;
  tensor.name = read_name(input, "a tensor's name");
  const std::uint32_t rank = input.u32();
  if (rank > kMaxDims) {
    throw tensor_error(file, tensor.name,
                       fmt::format("has {} dimensions; expected at most {}", rank, kMaxDims));
  }
  for (std::uint32_t d = 0; d < rank; ++d) {
    const std::uint64_t size = input.u64();
    if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw tensor_error(file, tensor.name,
                         fmt::format("has the size {}, which is larger than any size", size));
    }
    tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(size));
  }
  tensor.dtype = read_dtype(input.u32(), file, tensor.name);
  entry.offset = input.u64();
  const std::optional<std::int64_t> count = checked_count(tensor.shape);
  const bool has_whole_rows =
      tensor.dtype != DType::kQ8_0 || (rank > 0 && tensor.shape.back() % kQ8BlockElements == 0);
  if (!has_whole_rows) {
    throw tensor_error(file, tensor.name,
                       fmt::format("is Q8_0 of shape {}; its rows must be multiples of 32 numbers",
                                   shape_text(tensor.shape)));
  }
  const std::optional<std::int64_t> bytes = count ? byte_count(tensor.dtype, *count) : std::nullopt;
  if (!bytes) {
    throw tensor_error(
        file, tensor.name,
        fmt::format("shape {} needs more than 2^63 bytes", shape_text(tensor.shape)));
  }
  entry.bytes = *bytes;
  return entry;
}

std::uint64_t read_alignment(const File& file) {
  const auto found = file.metadata.find("general.alignment");
  if (found == file.metadata.end()) return kDefaultAlignment;
  std::uint32_t alignment = 0;
  if (found->second.type != Type::kUInt32 || found->second.is_array) {
    fail(file.name, "key 'general.alignment' is not a uint32");
  }
  std::memcpy(&alignment, found->second.bytes.data(), sizeof alignment);
  if (!std::has_single_bit(alignment) || alignment > kMaxAlignment) {
    fail(file.name, fmt::format("key 'general.alignment' is {}; expected a power of two up to {}",
                                alignment, kMaxAlignment));
  }
  return alignment;
}

std::uint64_t align(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Gives every tensor its bytes. They tile the data in the order of their entries, each beginning
/// at the next multiple of the alignment; another offset is a damaged or forged header.
void place(std::vector<Entry>& entries, std::span<const std::byte> data, std::uint64_t alignment,
           const std::string& file) {
  std::uint64_t end = 0;
  for (Entry& entry : entries) {
    const std::uint64_t expected = align(end, alignment);
    const auto error = [&](std::string_view message) {
      return tensor_error(file, entry.tensor.name, message);
    };
    if (entry.offset != expected) {
      throw error(fmt::format("begins at byte {} of the data; expected {} ({})", entry.offset,
                              expected, entry.offset < end ? "they overlap" : "a gap"));
    }
    const auto bytes = static_cast<std::uint64_t>(entry.bytes);
    if (expected > data.size() || bytes > data.size() - expected) {
      throw error(
          fmt::format("needs {} bytes from byte {} of the data, which are {} bytes long; "
                      "the file was cut short: fetch it again",
                      bytes, expected, data.size()));
    }
    entry.tensor.data = data.subspan(expected, bytes);
    end = expected + bytes;
  }
  if (data.size() > align(end, alignment)) {
    fail(file, fmt::format("{} bytes behind the last tensor belong to none", data.size() - end));
  }
}

}  // namespace

File read_file(std::span<const std::byte> bytes, const std::string& name) {
  ByteInput input(bytes, name);
  refuse_foreign_content(bytes, name);
  if (bytes.size() < 4 || input.text(4) != "GGUF") fail(name, "does not begin with 'GGUF'");
  check_version(input.u32(), name);
  const std::uint64_t tensors = input.u64();
  const std::uint64_t keys = input.u64();
  if (keys > input.left() / kLeastKeyBytes || tensors > input.left() / kLeastTensorBytes) {
    throw input.error(
        fmt::format("claims {} keys and {} tensors, but only {} bytes are left; the "
                    "file was cut short or is damaged",
                    keys, tensors, input.left()));
  }
  File file{.name = name, .metadata = {}, .tensors = {}};
  for (std::uint64_t i = 0; i < keys; ++i) {
    std::string key = read_name(input, "a metadata key");
    const Value value = read_value(input, bytes, key);
    if (!file.metadata.emplace(key, value).second) {
      throw input.error(fmt::format("key '{}' stands in the file twice", printable(key)));
    }
  }
  std::vector<Entry> entries;
  std::set<std::string_view> names;
  for (std::uint64_t i = 0; i < tensors; ++i) entries.push_back(read_entry(input, name));
  for (const Entry& entry : entries) {
    if (!names.insert(entry.tensor.name).second) {
      throw tensor_error(name, entry.tensor.name, "stands in the file twice");
    }
  }
  const std::uint64_t alignment = read_alignment(file);
  const std::uint64_t begin =
      std::min<std::uint64_t>(align(input.position(), alignment), bytes.size());
  place(entries, bytes.subspan(begin), alignment, name);
  for (Entry& entry : entries) file.tensors.push_back(std::move(entry.tensor));
  return file;
}

std::vector<std::string_view> texts(const Value& value) {
  check(value.type == Type::kText, "the value is made of texts");
  ByteInput input(value.bytes, "metadata");
  std::vector<std::string_view> out;
  out.reserve(value.count);
  for (std::uint64_t i = 0; i < value.count; ++i) out.push_back(input.text(input.u64()));
  return out;
}

const Tensor* find_tensor(const File& file, std::string_view name) {
  const auto found = std::ranges::find(file.tensors, name, &Tensor::name);
  return found == file.tensors.end() ? nullptr : &*found;
}

}  // namespace yardstick::checkpoint::gguf
