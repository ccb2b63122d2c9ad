// safetensors: 8 bytes of header length, a JSON header, then the data that it describes without gap
// or overlap. Format: huggingface/safetensors, README "Format".
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/checkpoint/containers.hpp"
#include "models/checkpoint/foreign_content.hpp"
#include "models/checkpoint/layout.hpp"
#include "models/checkpoint/safetensors_header.hpp"

namespace yardstick::checkpoint {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit

constexpr std::array kTypes = {DType::kFloat64,  DType::kFloat32,    DType::kFloat16,
                               DType::kBFloat16, DType::kFloat8E4M3, DType::kFloat8E5M2,
                               DType::kInt64,    DType::kInt32,      DType::kInt16,
                               DType::kInt8,     DType::kUInt8,      DType::kBool};

Error bad(const std::string& file, std::string_view what) {
  return {ErrorKind::kData, fmt::format("{}: not a sound safetensors file: {}", file, what)};
}

std::uint64_t header_length(std::span<const std::byte> bytes, const std::string& file) {
  refuse_foreign_content(bytes, file);
  if (bytes.size() < 8) {
    throw bad(file,
              fmt::format("it has {} bytes, fewer than the header's length takes", bytes.size()));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > kMaxHeaderBytes || length > bytes.size() - 8) {
    throw bad(
        file,
        fmt::format("its header claims {} bytes, the file has {} behind the length (cut off, or "
                    "another format?)",
                    length, bytes.size() - 8));
  }
  return length;
}

DType read_dtype(const HeaderEntry& entry, const std::string& file) {
  std::string known;
  for (const DType dtype : kTypes) {
    if (to_string(dtype) == entry.dtype) return dtype;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", to_string(dtype));
  }
  throw tensor_error(file, entry.name,
                     fmt::format("dtype '{}' is not supported; these are: {}", entry.dtype, known));
}

// OLMo's own safetensors helper names tensors by pickles of Python tuples, in base64. A pickle of
// protocol 2 to 5 starts with the bytes 80 02 to 80 05, and so the name with "gAI" to "gAX".
bool is_pickled_name(std::string_view name) {
  if (name.size() < 16 || !name.starts_with("gA")) return false;
  const auto is_base64 = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '-' || c == '_' || c == '=';
  };
  return name[2] >= 'I' && name[2] <= 'X' && std::all_of(name.begin(), name.end(), is_base64);
}

// The entry as a view, its range inside the data and exactly as long as its shape needs.
TensorView make_view(const HeaderEntry& entry, std::span<const std::byte> data,
                     const std::string& file) {
  if (is_pickled_name(entry.name)) {
    throw tensor_error(file, entry.name,
                       "the name is a Python pickle in base64, as OLMo's safetensors helper "
                       "writes it, and pickles are not run here; use the checkpoint's model.pt, or "
                       "load it with that helper and save it under plain names");
  }
  TensorView view{
      .name = entry.name, .dtype = read_dtype(entry, file), .shape = entry.shape, .file = file};
  const std::int64_t begin = entry.offsets[0];
  const std::int64_t end = entry.offsets[1];
  if (begin < 0 || begin > end || end > static_cast<std::int64_t>(data.size())) {
    throw tensor_error(
        file, entry.name,
        fmt::format("lies at bytes {} to {} of the data, which are {} bytes long (cut off?)", begin,
                    end, data.size()));
  }
  const std::optional<std::int64_t> count = checked_count(entry.shape);
  const std::optional<std::int64_t> needed = count ? byte_count(view.dtype, *count) : std::nullopt;
  if (needed != end - begin) {
    throw tensor_error(
        file, entry.name,
        fmt::format("shape {} of {} needs {} bytes, its data_offsets hold {}",
                    shape_text(entry.shape), to_string(view.dtype),
                    needed ? fmt::format("{}", *needed) : "more than 2^63", end - begin));
  }
  view.strides = row_major_strides(view.shape);
  view.storage =
      data.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  check_view(view);
  return view;
}

// The format wants the tensors to tile the data: a gap or an overlap is a damaged or forged header.
void check_tiling(std::vector<HeaderEntry> entries, std::size_t data_size,
                  const std::string& file) {
  std::sort(entries.begin(), entries.end(),
            [](const HeaderEntry& a, const HeaderEntry& b) { return a.offsets < b.offsets; });
  std::int64_t end = 0;
  for (const HeaderEntry& entry : entries) {
    if (entry.offsets[0] != end) {
      throw tensor_error(
          file, entry.name,
          fmt::format("begins at byte {} of the data, where the tensors before it end at {} ({})",
                      entry.offsets[0], end, entry.offsets[0] < end ? "they overlap" : "a gap"));
    }
    end = entry.offsets[1];
  }
  if (end != static_cast<std::int64_t>(data_size)) {
    throw bad(file, fmt::format("{} bytes behind the last tensor belong to none",
                                static_cast<std::int64_t>(data_size) - end));
  }
}

}  // namespace

std::vector<TensorView> read_safetensors(std::span<const std::byte> bytes,
                                         const std::string& file) {
  const std::uint64_t length = header_length(bytes, file);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8, length);
  if (!text.starts_with('{')) throw bad(file, "its header does not begin with '{'");
  SafetensorsHeader header = parse_safetensors_header(text, file);
  const std::span<const std::byte> data = bytes.subspan(8 + length);
  std::vector<TensorView> views;
  for (const HeaderEntry& entry : header.entries) views.push_back(make_view(entry, data, file));
  check_tiling(std::move(header.entries), data.size(), file);
  sort_by_name(views);
  return views;
}

std::unique_ptr<TensorSource> open_safetensors(const std::filesystem::path& file) {
  std::vector<MappedFile> mapped;
  mapped.emplace_back(file);
  std::vector<TensorView> views = read_safetensors(mapped.front().bytes(), file.string());
  return std::make_unique<MappedSource>(std::move(mapped), std::move(views),
                                        std::vector<std::string>{file.string()});
}

}  // namespace yardstick::checkpoint
