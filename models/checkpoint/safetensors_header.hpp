// The header of a safetensors file: 8 bytes of length, JSON, then data. Parsed event by event into
// this struct and nothing else, so that a hostile header cannot make a large document in memory.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/checkpoint/tensor.hpp"

namespace yardstick::checkpoint {

struct HeaderEntry {
  std::string name;
  std::string dtype;  ///< as written
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> offsets;  ///< begin and end, in bytes from the end of the header
  bool has_shape = false;
};

struct SafetensorsHeader {
  std::vector<HeaderEntry> entries;  ///< in the file's order, names unique
  std::map<std::string, std::string> metadata;
};

/// Parses the JSON text. Refuses anything but tensors of {dtype, shape, data_offsets} and
/// __metadata__ of texts, duplicate keys included. @throws Error(kData) naming file and tensor.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view text,
                                                         const std::string& file);

/// All views of a safetensors file held in memory: header validated whole (lengths, dtypes, shape x
/// dtype = range, ranges that tile the data without overlap, gap or rest). Sorted by name.
/// @throws Error(kData) naming file and tensor.
[[nodiscard]] std::vector<TensorView> read_safetensors(std::span<const std::byte> bytes,
                                                       const std::string& file);

}  // namespace yardstick::checkpoint
