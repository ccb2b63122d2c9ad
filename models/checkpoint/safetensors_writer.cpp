// The safetensors writer: what the trainer saves, and what any reader of the format opens.
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "models/checkpoint/containers.hpp"

namespace yardstick::checkpoint {

void write_safetensors(const std::filesystem::path& file, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  for (const auto& [key, value] : metadata) {
    check(!find_invalid_utf8(key) && !find_invalid_utf8(value), "metadata is UTF-8");
  }
  std::size_t offset = 0;
  for (const TensorToWrite& tensor : tensors) {
    std::int64_t needed = size_of(tensor.dtype);
    for (const std::int64_t dim : tensor.shape) needed *= dim;
    check(needed == static_cast<std::int64_t>(tensor.bytes.size()),
          "a tensor's bytes match its shape");
    check(tensor.name != "__metadata__" && !find_invalid_utf8(tensor.name),
          "a tensor's name is UTF-8 and not the metadata's key");
    check(!header.contains(tensor.name), "a tensor is written once");
    header[tensor.name] = {{"dtype", to_string(tensor.dtype)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // data begin on a multiple of 8
  const std::uint64_t length = text.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  out += text;
  out.reserve(out.size() + offset);
  for (TensorToWrite& tensor : tensors) {
    out.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    tensor.bytes = {};  // its copy is enough: the weights are not held twice for longer than this
  }
  write_file_atomically(file, out);
}

}  // namespace yardstick::checkpoint
