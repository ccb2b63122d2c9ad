// The container of a GGUF file: typed metadata and named tensors. Every length, count, type and
// offset is checked against the file before it is used, and nothing is copied but names.
// Layout: the GGUF specification of the ggml project, versions 2 and 3, little endian.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/checkpoint/tensor.hpp"

namespace yardstick::checkpoint::gguf {

/// As numbered by the specification.
enum class Type : std::uint32_t {
  kUInt8,
  kInt8,
  kUInt16,
  kInt16,
  kUInt32,
  kInt32,
  kFloat32,
  kBool,
  kText,
  kArray,
  kUInt64,
  kInt64,
  kFloat64
};

struct Value {
  Type type = Type::kUInt32;  ///< of the value, or of an array's items
  bool is_array = false;
  std::uint64_t count = 1;           ///< items
  std::span<const std::byte> bytes;  ///< as in the file; each text behind its length (uint64)
};

struct Tensor {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;  ///< slowest dimension first, unlike in the file
  std::span<const std::byte> data;
};

struct File {
  std::string name;  ///< for messages
  std::map<std::string, Value, std::less<>> metadata;
  std::vector<Tensor> tensors;  ///< in the file's order, names unique
};

/// @throws Error(kData) naming file, key or tensor, what was found and what was expected.
[[nodiscard]] File read_file(std::span<const std::byte> bytes, const std::string& name);

/// The items of an array of texts, or a text alone. The bytes were checked by read_file().
[[nodiscard]] std::vector<std::string_view> texts(const Value& value);

/// The tensor called `name`, or nullptr.
[[nodiscard]] const Tensor* find_tensor(const File& file, std::string_view name);

}  // namespace yardstick::checkpoint::gguf
