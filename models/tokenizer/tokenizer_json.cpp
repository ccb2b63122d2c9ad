// Reads a tokenizer.json and puts its parts together; the parts are described in their own files.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "models/tokenizer/formats.hpp"
#include "models/tokenizer/json_model.hpp"
#include "models/tokenizer/post_processor.hpp"

namespace yardstick::tokenizer {
namespace {

namespace fs = std::filesystem;

/// A setting of how texts are batched for training; transformers turns it off as well.
void ignore(Fields& fields, const std::string& key, std::vector<std::string>& notes) {
  if (!fields.has(key)) return;
  notes.push_back(fmt::format(
      "tokenizer.json sets {}, which is ignored: an evaluation neither cuts nor pads a text", key));
}

// Taken out of the tree so that the rest can be handed around.
ModelTables take_large_parts(nlohmann::json& tree) {
  if (!tree.is_object() || !tree.contains("model") || !tree["model"].is_object())
    throw Error(ErrorKind::kData,
                "has no object \"model\"; is this a Hugging Face tokenizer.json?");
  nlohmann::json& model = tree["model"];
  ModelTables out;
  if (model.contains("vocab")) out.vocab = std::move(model["vocab"]);
  if (model.contains("merges")) out.merges = std::move(model["merges"]);
  model.erase("vocab");
  model.erase("merges");
  return out;
}

// As Hugging Face's fast tokenizers do: tokenizer_config.json's word on a ByteLevel wins.
void set_prefix_space(const TokenizerSettings& settings, nlohmann::json& tree) {
  const auto found = tree.find("pre_tokenizer");
  if (!settings.add_prefix_space || found == tree.end() || !found->is_object()) return;
  if (found->value("type", nlohmann::json()) == "ByteLevel")
    (*found)["add_prefix_space"] = *settings.add_prefix_space;
}

}  // namespace

PipelineParts read_tokenizer_json(nlohmann::json tree, const fs::path& path,
                                  const TokenizerSettings& settings) {
  const ModelTables tables = take_large_parts(tree);
  set_prefix_space(settings, tree);
  const Located file(std::move(tree), path.string());
  Fields fields(file, "", "the tokenizer");
  const std::string version = fields.optional_text("version").value_or("1.0");
  if (version != "1.0")
    throw fields.error("version", fmt::format("found '{}', supported is \"1.0\"", version));

  PipelineParts parts;
  ignore(fields, "truncation", parts.notes);
  ignore(fields, "padding", parts.notes);
  parts.files = {path};
  if (fields.has("pre_tokenizer")) parts.pre_tokenizer = read_pre_tokenizer(file, "/pre_tokenizer");
  static_cast<void>(fields.has("model"));
  ReadModel read = read_model(file, tables, parts.pre_tokenizer.input);
  parts.vocabulary = std::move(read.vocabulary);
  parts.model = std::move(read.model);
  parts.added = read_added_tokens(file, fields.elements("added_tokens"));
  for (const AddedToken& token : parts.added)
    parts.vocabulary.add(token.text, token.id, token.role);
  if (fields.has("normalizer")) parts.normalizer = read_normalizer(file, "/normalizer");
  parts.decoder.separator = " ";
  if (fields.has("decoder")) parts.decoder = read_decoder(file, "/decoder");
  if (fields.has("post_processor"))
    parts.specials = read_post_processor(file, "/post_processor", parts.vocabulary);
  parts.specials.origin = Tokenizer::Specials::Origin::kPostProcessor;
  fields.finish();
  add_tokens(settings, parts);
  return parts;
}

}  // namespace yardstick::tokenizer
