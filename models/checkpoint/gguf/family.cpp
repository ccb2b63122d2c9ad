// The table of architectures, and the sizes that all of them state alike.
#include "models/checkpoint/gguf/family.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace yardstick::checkpoint::gguf {
namespace {

std::int64_t read_head_dim(Metadata& metadata, const std::string& prefix, const Dims& dims) {
  const std::string key = prefix + "attention.key_length";
  const std::string value_key = prefix + "attention.value_length";
  const std::optional<std::int64_t> keys = metadata.size(key);
  const std::optional<std::int64_t> values = metadata.size(value_key);
  if (keys != values) {
    throw metadata.error(value_key, fmt::format("is {}, {} is {}; heads whose keys and values "
                                                "differ in size are not supported",
                                                values.value_or(0), key, keys.value_or(0)));
  }
  if (keys) return *keys;
  if (dims.width % dims.heads != 0) {
    throw metadata.error(
        prefix + "attention.head_count",
        fmt::format("is {}, which does not divide the width {}", dims.heads, dims.width));
  }
  return dims.width / dims.heads;
}

std::int64_t read_vocabulary(const File& file, Metadata& metadata, const std::string& prefix) {
  const Tensor* const embedding = find_tensor(file, "token_embd.weight");
  if (embedding == nullptr || embedding->shape.size() != 2) {
    throw Error(ErrorKind::kData, fmt::format("{}: has no matrix 'token_embd.weight'; is this a "
                                              "whole language model?",
                                              file.name));
  }
  const std::int64_t rows = embedding->shape[0];
  const std::string key = prefix + "vocab_size";
  const std::optional<std::int64_t> stated = metadata.size(key);
  if (stated && *stated != rows) {
    throw metadata.error(key,
                         fmt::format("is {}, but 'token_embd.weight' has {} rows", *stated, rows));
  }
  return rows;
}

}  // namespace

const Family& choose_family(Metadata& metadata) {
  const std::string type = metadata.text("general.type").value_or("model");
  if (type != "model") {
    throw metadata.error("general.type", fmt::format("is '{}'; expected a whole model", type));
  }
  if (metadata.integer("split.count").value_or(0) > 1) {
    throw metadata.error("split.count",
                         "is more than 1: the model is split over several files, which are not "
                         "read; merge them with llama-gguf-split --merge");
  }
  const std::optional<std::string> found = metadata.text("general.architecture");
  if (!found) throw metadata.error("general.architecture", "is missing");
  std::vector<std::string> names;
  for (const Family* const family : {&bloom_family(), &gpt2_family(), &gptneox_family(),
                                     &llama_family(), &mpt_family(), &qwen2_family()}) {
    if (family->architecture == *found) return *family;
    names.emplace_back(family->architecture);
  }
  throw metadata.error("general.architecture",
                       fmt::format("is '{}', which is not supported{}; supported are: {}", *found,
                                   did_you_mean(*found, names), fmt::join(names, ", ")));
}

Dims read_dims(const File& file, Metadata& metadata, const Family& family) {
  const std::string prefix = std::string(family.architecture) + ".";
  Dims dims;
  dims.layers = metadata.needed_size(prefix + "block_count");
  dims.width = metadata.needed_size(prefix + "embedding_length");
  dims.mlp_width = metadata.needed_size(prefix + "feed_forward_length");
  dims.context_length = metadata.needed_size(prefix + "context_length");
  dims.heads = metadata.needed_size(prefix + "attention.head_count");
  dims.kv_heads = metadata.size(prefix + "attention.head_count_kv").value_or(dims.heads);
  dims.head_dim = read_head_dim(metadata, prefix, dims);
  dims.vocabulary = read_vocabulary(file, metadata, prefix);
  for (const char* const key : {"expert_count", "expert_used_count"}) {
    metadata.require(prefix + key, 0, "mixtures of experts are not");
  }
  if (!metadata.flag(prefix + "attention.causal").value_or(true)) {
    throw metadata.error(prefix + "attention.causal", "is false; expected a causal model");
  }
  return dims;
}

void require_own_keys(const Facts& facts) {
  facts.metadata.require(facts.key("attention.head_count_kv"),
                         static_cast<double>(facts.dims.heads),
                         "every query head has keys of its own");
}

}  // namespace yardstick::checkpoint::gguf
