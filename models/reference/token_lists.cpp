#include "models/reference/token_lists.hpp"

#include <cstring>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/npy.hpp"

namespace yardstick::models {
namespace {

using nlohmann::json;

/// [N], or [1, N] as a batch of one.
bool is_list(std::span<const std::int64_t> shape) {
  return (shape.size() == 1 || (shape.size() == 2 && shape[0] == 1)) && shape.back() > 0;
}

TokenId as_id(std::int64_t value, const std::string& where, std::int64_t element) {
  if (value < 0 || value > std::numeric_limits<TokenId>::max()) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: element {} is {}; expected a token id", where, element, value));
  }
  return static_cast<TokenId>(value);
}

std::vector<TokenId> read_list(const json& list, const std::string& where) {
  if (!list.is_array() || list.empty()) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: expected a list of token ids that is not empty", where));
  }
  std::vector<TokenId> ids;
  for (const json& id : list) {
    const bool fits =
        id.is_number_integer() && id >= 0 && id <= std::numeric_limits<TokenId>::max();
    if (!fits) {
      throw Error(ErrorKind::kData, fmt::format("{}: element {} is {}; expected a token id", where,
                                                ids.size(), id.dump()));
    }
    ids.push_back(id.get<TokenId>());
  }
  return ids;
}

TokenLists read_json_lists(const std::filesystem::path& file) {
  const json contents = read_json(file);
  const bool is_named = contents.is_object() && contents.contains("sequences");
  const json& lists = is_named ? contents.at("sequences") : contents;
  const bool is_nested = lists.is_array() && !lists.empty() && lists.front().is_array();
  if (!is_nested) return {read_list(lists, file.string())};
  TokenLists out;
  for (const json& list : lists)
    out.push_back(read_list(list, fmt::format("{}: list {}", file.string(), out.size())));
  return out;
}

TokenLists read_npy_list(const std::filesystem::path& file) {
  const NpyArray array(file);
  if (!is_list(array.shape())) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: an array {}; expected token ids [tokens]", file.string(),
                            checkpoint::shape_text(array.shape())));
  }
  std::vector<TokenId> ids;
  for (std::int64_t i = 0; i < array.size(); ++i)
    ids.push_back(as_id(array.integer_at(i), file.string(), i));
  array.check_whole();
  return {ids};
}

template <typename Integer>
std::int64_t element(const checkpoint::TensorView& tensor, std::int64_t i) {
  Integer value{};
  const std::int64_t at = tensor.offset + i * tensor.strides.back();
  std::memcpy(&value, tensor.storage.data() + at * std::int64_t{sizeof(Integer)}, sizeof(Integer));
  return value;
}

}  // namespace

TokenLists read_token_lists(const std::filesystem::path& file) {
  return file.extension() == ".npy" ? read_npy_list(file) : read_json_lists(file);
}

std::vector<TokenId> read_ids(const checkpoint::TensorView& tensor) {
  using checkpoint::DType;
  const std::string where = fmt::format("{}: tensor '{}'", tensor.file, tensor.name);
  const bool is_wide = tensor.dtype == DType::kInt64;
  if (!is_list(tensor.shape) || (!is_wide && tensor.dtype != DType::kInt32)) {
    throw Error(ErrorKind::kData,
                fmt::format("{} is {} {}; expected I32 or I64 [tokens]", where,
                            to_string(tensor.dtype), checkpoint::shape_text(tensor.shape)));
  }
  std::vector<TokenId> ids;
  for (std::int64_t i = 0; i < tensor.shape.back(); ++i) {
    const std::int64_t id =
        is_wide ? element<std::int64_t>(tensor, i) : element<std::int32_t>(tensor, i);
    ids.push_back(as_id(id, where, i));
  }
  return ids;
}

}  // namespace yardstick::models
