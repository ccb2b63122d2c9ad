// A GGUF file put together: container, family, configuration, views, tokenizer.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/checkpoint/gguf.hpp"
#include "models/checkpoint/gguf/family.hpp"
#include "models/checkpoint/gguf/tensors.hpp"
#include "models/checkpoint/gguf/tokenizer.hpp"
#include "models/checkpoint/layout.hpp"

namespace yardstick::checkpoint {
namespace {

using gguf::Dims;
using gguf::File;
using gguf::Metadata;

nlohmann::json read_config(const File& file, Metadata& metadata, const gguf::Family& family,
                           const Dims& dims) {
  const gguf::Facts facts{.file = file,
                          .metadata = metadata,
                          .dims = dims,
                          .prefix = std::string(family.architecture) + "."};
  nlohmann::json config = family.config(facts);
  config["vocab_size"] = dims.vocabulary;
  config["tie_word_embeddings"] = !facts.has_tensor("output.weight") || gguf::has_copied_head(file);
  for (const char* const token : {"bos", "eos"}) {
    const auto id = metadata.integer(fmt::format("tokenizer.ggml.{}_token_id", token));
    if (id) config[fmt::format("{}_token_id", token)] = *id;
  }
  metadata.finish(facts.prefix);
  return config;
}

/// As llama.cpp: the end of text, of a turn and of a message each end an answer.
nlohmann::json read_generation(Metadata& metadata) {
  nlohmann::json ends = nlohmann::json::array();
  for (const char* const token : {"eos", "eot", "eom"}) {
    const auto id = metadata.integer(fmt::format("tokenizer.ggml.{}_token_id", token));
    if (id) ends.push_back(*id);
  }
  return {{"eos_token_id", ends}};
}

}  // namespace

GgufContents read_gguf(std::span<const std::byte> bytes, const std::string& name) {
  const File file = gguf::read_file(bytes, name);
  Metadata metadata(file);
  const gguf::Family& family = gguf::choose_family(metadata);
  const Dims dims = gguf::read_dims(file, metadata, family);
  GgufContents contents;
  contents.config = read_config(file, metadata, family, dims);
  contents.generation = read_generation(metadata);
  contents.tensors = gguf::make_views(file, family, dims);
  contents.tokenizer = gguf::read_tokenizer(file, dims.vocabulary);
  return contents;
}

GgufModel open_gguf(const std::filesystem::path& file) {
  std::vector<MappedFile> mapped;
  mapped.emplace_back(file);
  GgufContents contents = read_gguf(mapped.front().bytes(), file.string());
  return {.tensors = std::make_unique<MappedSource>(std::move(mapped), std::move(contents.tensors),
                                                    std::vector<std::string>{file.string()}),
          .config = std::move(contents.config),
          .generation = std::move(contents.generation),
          .tokenizer = std::move(contents.tokenizer)};
}

}  // namespace yardstick::checkpoint
