// Files made by hand for tests of the readers: safetensors of any header, zip archives of any
// records, and pickles spelled opcode by opcode.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::test {

[[nodiscard]] std::span<const std::byte> as_bytes(std::string_view text);
void write_bytes(const std::filesystem::path& file, std::string_view bytes);

/// `value` as `count` little-endian bytes.
[[nodiscard]] std::string little(std::uint64_t value, int count);

/// 8 bytes of length, `header`, then `data_size` zero bytes.
[[nodiscard]] std::string safetensors_file(std::string_view header, std::size_t data_size);

struct ZipRecord {
  std::string name;
  std::string data;
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
};

enum class ZipEnd { kPlain, kZip64 };

/// A zip archive as torch.save lays it out. With kZip64 every size and offset stands in zip64
/// fields, as in archives beyond 4 GiB.
[[nodiscard]] std::string zip_file(const std::vector<ZipRecord>& records,
                                   ZipEnd end = ZipEnd::kPlain);

/// Pieces of a pickle of protocol 2.
namespace pickled {
[[nodiscard]] std::string text(std::string_view value);
[[nodiscard]] std::string integer(std::int32_t value);
[[nodiscard]] std::string tuple(const std::vector<std::string>& items);
[[nodiscard]] std::string global(std::string_view module, std::string_view name);
[[nodiscard]] std::string storage(std::string_view type, std::string_view key,
                                  std::int32_t elements);
struct View {
  std::int32_t offset = 0;
  std::vector<std::int32_t> shape;
  std::vector<std::int32_t> strides;
};
[[nodiscard]] std::string tensor(const std::string& stored, const View& view);
[[nodiscard]] std::string dict(const std::vector<std::pair<std::string, std::string>>& items);
[[nodiscard]] std::string document(const std::string& root);
}  // namespace pickled

/// A torch.save file whose pickle is `document`, with one storage "0" of these bytes.
[[nodiscard]] std::string torch_file(const std::string& document, const std::string& storage);

}  // namespace yardstick::test
