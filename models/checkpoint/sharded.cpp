// A checkpoint in several files: the index says which tensor stands where, and the
// shards have to agree with it exactly, so that a missing or stale shard is found before loading.
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json.hpp"
#include "models/checkpoint/containers.hpp"
#include "models/checkpoint/layout.hpp"
#include "models/checkpoint/safetensors_header.hpp"
#include "models/checkpoint/torch_file.hpp"

namespace yardstick::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIndexBytes = 100'000'000;

using WeightMap = std::map<std::string, std::string>;  // tensor -> shard

[[noreturn]] void fail(const fs::path& file, std::string_view message) {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", file.string(), message));
}

// Shards lie in the index's folder or below it. Whether a name there is a symbolic link (as in the
// hub's cache) is the owner's business; what the index may not do is to name a path elsewhere.
void check_shard_name(const fs::path& index_file, const std::string& name) {
  const fs::path shard(name);
  bool leaves = name.empty() || name.find('\0') != std::string::npos || shard.is_absolute();
  for (const fs::path& part : shard) leaves = leaves || part == "..";
  if (leaves) {
    fail(index_file, fmt::format("weight_map names a shard that is not a file in its folder: '{}'",
                                 name.substr(0, name.find('\0'))));
  }
}

WeightMap read_weight_map(const fs::path& index_file) {
  const MappedFile mapped(index_file);
  if (mapped.bytes().size() > kMaxIndexBytes) fail(index_file, "is too large for an index");
  const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()),
                              mapped.bytes().size());
  const nlohmann::json index = parse_json(text, index_file.string());
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
    fail(index_file, "has no object 'weight_map'; expected tensor names with their shards");
  }
  WeightMap weight_map;
  for (const auto& [tensor, shard] : index["weight_map"].items()) {
    if (!shard.is_string()) {
      fail(index_file, fmt::format("weight_map: the shard of '{}' is not a text", tensor));
    }
    weight_map[tensor] = shard.get<std::string>();
    check_shard_name(index_file, weight_map[tensor]);
  }
  if (weight_map.empty()) fail(index_file, "weight_map is empty; expected the model's tensors");
  return weight_map;
}

void check_present(const fs::path& index_file, const std::set<std::string>& shards) {
  std::string missing;
  for (const std::string& shard : shards) {
    if (fs::exists(index_file.parent_path() / shard)) continue;
    missing += missing.empty() ? shard : ", " + shard;
  }
  if (!missing.empty()) {
    fail(index_file, fmt::format("lists {} shards, of which these are not in the folder: {}; fetch "
                                 "them",
                                 shards.size(), missing));
  }
}

// Every tensor of a shard is listed for that shard, and removed from what is still to be found.
void take_shard(const std::string& shard, const std::vector<TensorView>& views,
                const WeightMap& weight_map, WeightMap& to_find) {
  for (const TensorView& view : views) {
    const auto listed = weight_map.find(view.name);
    if (listed == weight_map.end()) {
      throw tensor_error(view.file, view.name,
                         "is not in the index; index and shards do not match");
    }
    if (listed->second != shard) {
      throw tensor_error(view.file, view.name,
                         fmt::format("is listed in the index for {}; index and shards do not match",
                                     listed->second));
    }
    to_find.erase(view.name);
  }
}

using ReadShard = std::vector<TensorView> (*)(std::span<const std::byte>, const std::string&);

std::unique_ptr<TensorSource> open_sharded(const fs::path& index_file, ReadShard read) {
  const WeightMap weight_map = read_weight_map(index_file);
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : weight_map) shards.insert(shard);
  check_present(index_file, shards);

  std::vector<MappedFile> mapped;
  std::vector<TensorView> views;
  std::vector<std::string> files = {index_file.string()};
  WeightMap to_find = weight_map;
  for (const std::string& shard : shards) {
    const fs::path file = index_file.parent_path() / shard;
    mapped.emplace_back(file);
    const std::vector<TensorView> in_shard = read(mapped.back().bytes(), file.string());
    take_shard(shard, in_shard, weight_map, to_find);
    views.insert(views.end(), in_shard.begin(), in_shard.end());
    files.push_back(file.string());
  }
  if (!to_find.empty()) {
    const auto& [tensor, shard] = *to_find.begin();
    fail(index_file,
         fmt::format("lists tensor '{}' for {}, which does not have it{}", tensor, shard,
                     to_find.size() == 1 ? std::string()
                                         : fmt::format(" (and {} more)", to_find.size() - 1)));
  }
  sort_by_name(views);
  return std::make_unique<MappedSource>(std::move(mapped), std::move(views), std::move(files));
}

}  // namespace

std::unique_ptr<TensorSource> open_sharded_safetensors(const fs::path& index_file) {
  return open_sharded(index_file, read_safetensors);
}

std::unique_ptr<TensorSource> open_sharded_torch_files(const fs::path& index_file) {
  return open_sharded(index_file, read_torch_file);
}

}  // namespace yardstick::checkpoint
