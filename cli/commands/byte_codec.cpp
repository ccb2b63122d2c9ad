#include "cli/commands/byte_codec.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace yardstick::cli {

std::vector<TokenId> ByteCodec::encode(std::string_view text) const {
  if (find_invalid_utf8(text)) throw Error(ErrorKind::kData, "a text is not valid UTF-8");
  std::vector<TokenId> ids;
  ids.reserve(text.size());
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
  return ids;
}

std::vector<TokenSpan> ByteCodec::encode_spans(std::string_view text) const {
  std::vector<TokenSpan> spans;
  for (const TokenId id : encode(text)) {
    const auto at = static_cast<std::int64_t>(spans.size());
    spans.push_back({id, at, at + 1});
  }
  return spans;
}

std::string ByteCodec::decode(std::span<const TokenId> ids) const {
  std::string bytes;
  for (const TokenId id : ids) bytes += static_cast<char>(id);
  std::string text;  // ids may begin or end inside a character
  std::string_view left = bytes;
  while (const auto bad = find_invalid_utf8(left)) {
    text.append(left.substr(0, static_cast<std::size_t>(*bad))).append("\uFFFD");
    left.remove_prefix(static_cast<std::size_t>(*bad) + 1);
  }
  return text.append(left);
}

}  // namespace yardstick::cli
