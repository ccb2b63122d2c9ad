#include "tasks/data/token_file.hpp"

#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/json.hpp"
#include "core/npy.hpp"

namespace yardstick::tasks {
namespace {

TokenId checked_id(std::int64_t id, std::int64_t index, const DataSource& source,
                   const TokenLimits& limits) {
  if (id >= 0 && id < limits.vocabulary) return static_cast<TokenId>(id);
  throw Error(ErrorKind::kData,
              fmt::format("{}: token {} is {}, but the model knows ids from 0 to {}; was the file "
                          "made with another tokenizer?",
                          source.path.string(), index, id, limits.vocabulary - 1));
}

std::int64_t bounded(std::int64_t available, const TokenLimits& limits) {
  return limits.max_tokens ? std::min(available, *limits.max_tokens) : available;
}

std::vector<TokenId> read_npy(const DataSource& source, const TokenLimits& limits) {
  const NpyArray array(source.path);
  if (array.shape().size() != 1) {
    throw Error(ErrorKind::kData, fmt::format("{}: a token stream has one dimension, found {}",
                                              source.path.string(), array.shape().size()));
  }
  std::vector<TokenId> out(static_cast<std::size_t>(bounded(array.size(), limits)));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    out[i] = checked_id(array.integer_at(index), index, source, limits);
  }
  array.check_whole();
  return out;
}

std::int64_t little_endian(std::span<const std::byte> bytes) {
  std::int64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value * 256 + std::to_integer<std::int64_t>(bytes[i - 1]);
  }
  return value;
}

std::vector<TokenId> read_bin(const DataSource& source, const TokenLimits& limits) {
  const MappedFile file(source.path);
  const std::size_t width = source.width == TokenWidth::kU2 ? 2 : 4;
  const std::span<const std::byte> bytes = file.bytes();
  if (bytes.size() % width != 0) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: {} bytes are no whole number of {}-byte ids; is dtype right?",
                            source.path.string(), bytes.size(), width));
  }
  const auto available = static_cast<std::int64_t>(bytes.size() / width);
  std::vector<TokenId> out(static_cast<std::size_t>(bounded(available, limits)));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = checked_id(little_endian(bytes.subspan(i * width, width)),
                        static_cast<std::int64_t>(i), source, limits);
  }
  file.check_whole();
  return out;
}

std::vector<TokenId> ids_of_array(const nlohmann::json& array, const DataSource& source,
                                  const TokenLimits& limits) {
  std::vector<TokenId> out;
  const std::int64_t count = bounded(static_cast<std::int64_t>(array.size()), limits);
  out.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const nlohmann::json& id = array.at(static_cast<std::size_t>(i));
    if (!id.is_number_integer()) {
      throw Error(ErrorKind::kData, fmt::format("{}: token {} is {}, expected a whole number",
                                                source.path.string(), i, id.dump()));
    }
    out.push_back(checked_id(id.get<std::int64_t>(), i, source, limits));
  }
  return out;
}

std::vector<std::vector<TokenId>> read_ids_json(const DataSource& source, TokenLimits limits) {
  const nlohmann::json root = read_json(source.path);
  if (!root.is_array()) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: expected an array of ids or an array of such arrays, found {}",
                            source.path.string(), root.type_name()));
  }
  if (root.empty() || !root.front().is_array()) return {ids_of_array(root, source, limits)};
  std::vector<std::vector<TokenId>> out;
  for (const nlohmann::json& document : root) {
    if (!document.is_array()) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}: document {} is {}, expected an array of ids",
                              source.path.string(), out.size(), document.type_name()));
    }
    if (limits.max_tokens && *limits.max_tokens == 0) break;
    out.push_back(ids_of_array(document, source, limits));
    if (limits.max_tokens) *limits.max_tokens -= static_cast<std::int64_t>(out.back().size());
  }
  return out;
}

}  // namespace

std::vector<std::vector<TokenId>> read_token_file(const DataSource& source,
                                                  const TokenLimits& limits) {
  if (source.format == DataFormat::kNpy) return {read_npy(source, limits)};
  if (source.format == DataFormat::kBin) return {read_bin(source, limits)};
  check(source.format == DataFormat::kJson, "a token file is .npy, .bin or .json");
  return read_ids_json(source, limits);
}

}  // namespace yardstick::tasks
