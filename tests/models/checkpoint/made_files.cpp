#include "tests/models/checkpoint/made_files.hpp"

#include <fstream>

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.hpp"

namespace yardstick::test {
namespace {

std::uint32_t crc_of(std::string_view data) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

}  // namespace

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

void write_bytes(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  check(out.good(), "a test file can be written");
}

std::string little(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
  return bytes;
}

std::string safetensors_file(std::string_view header, std::size_t data_size) {
  return little(header.size(), 8) + std::string(header) + std::string(data_size, '\0');
}

std::string zip_file(const std::vector<ZipRecord>& records, ZipEnd end) {
  const bool is64 = end == ZipEnd::kZip64;
  std::string out;
  std::string directory;
  for (const ZipRecord& record : records) {
    const std::string crc = little(crc_of(record.data), 4);
    const std::string size = little(is64 ? 0xffffffff : record.data.size(), 4);
    const std::string extra = is64 ? little(1, 2) + little(24, 2) + little(record.data.size(), 8) +
                                         little(record.data.size(), 8) + little(out.size(), 8)
                                   : std::string();
    directory += "PK\x01\x02" + little(45, 2) + little(45, 2) + little(record.flags, 2) +
                 little(record.method, 2) + little(0, 4) + crc + size + size +
                 little(record.name.size(), 2) + little(extra.size(), 2) + little(0, 2) +
                 little(0, 2) + little(0, 2) + little(0, 4) +
                 little(is64 ? 0xffffffff : out.size(), 4) + record.name + extra;
    out += "PK\x03\x04" + little(45, 2) + little(record.flags, 2) + little(record.method, 2) +
           little(0, 4) + crc + size + size + little(record.name.size(), 2) + little(0, 2) +
           record.name + record.data;
  }
  const std::size_t begin = out.size();
  const std::size_t count = records.size();
  out += directory;
  if (is64) {
    const std::size_t end64 = out.size();
    out += "PK\x06\x06" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 4) +
           little(0, 4) + little(count, 8) + little(count, 8) + little(directory.size(), 8) +
           little(begin, 8);
    out += "PK\x06\x07" + little(0, 4) + little(end64, 8) + little(1, 4);
  }
  out += "PK\x05\x06" + little(0, 2) + little(0, 2) + little(is64 ? 0xffff : count, 2) +
         little(is64 ? 0xffff : count, 2) + little(is64 ? 0xffffffff : directory.size(), 4) +
         little(is64 ? 0xffffffff : begin, 4) + little(0, 2);
  return out;
}

namespace pickled {

std::string text(std::string_view value) {
  return "X" + little(value.size(), 4) + std::string(value);
}

std::string integer(std::int32_t value) {
  return "J" + little(static_cast<std::uint32_t>(value), 4);
}

std::string tuple(const std::vector<std::string>& items) {
  std::string out = "(";
  for (const std::string& item : items) out += item;
  return out + "t";
}

std::string global(std::string_view module, std::string_view name) {
  return fmt::format("c{}\n{}\n", module, name);
}

std::string storage(std::string_view type, std::string_view key, std::int32_t elements) {
  return tuple({text("storage"), global("torch", type), text(key), text("cuda:7"),
                integer(elements)}) +
         "Q";
}

std::string tensor(const std::string& stored, const View& view) {
  const auto sizes = [](const std::vector<std::int32_t>& values) {
    std::vector<std::string> items;
    for (const std::int32_t value : values) items.push_back(integer(value));
    return tuple(items);
  };
  const std::string hooks = global("collections", "OrderedDict") + ")R";
  return global("torch._utils", "_rebuild_tensor_v2") +
         tuple({stored, integer(view.offset), sizes(view.shape), sizes(view.strides), "\x89",
                hooks}) +
         "R";
}

std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string out = "}(";
  for (const auto& [key, value] : items) out += text(key) + value;
  return out + "u";
}

std::string document(const std::string& root) { return "\x80\x02" + root + "."; }

}  // namespace pickled

std::string torch_file(const std::string& document, const std::string& storage) {
  return zip_file({{.name = "m/data.pkl", .data = document},
                   {.name = "m/data/0", .data = storage},
                   {.name = "m/version", .data = "3\n"}});
}

}  // namespace yardstick::test
