// Reads a tokenizer.json and puts its parts together; the parts are described in their own files.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "models/tokenizer/pipeline.hpp"
#include "models/tokenizer/post_processor.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace yardstick::tokenizer {
namespace {

namespace fs = std::filesystem;

void refuse_unless_null(Fields& fields, std::string_view key) {
  if (!fields.has(key)) return;
  throw fields.error(key,
                     "is not supported (it would cut or lengthen encoded texts); set it to "
                     "null in the file");
}

BpeOptions read_bpe_options(const Located& file, ModelInput input) {
  Fields fields(file, "/model", "the model");
  const std::string type = fields.optional_text("type").value_or("BPE");  // old files lack it
  if (type != "BPE") {
    throw fields.error("type",
                       fmt::format("the model '{}' is not supported; supported is BPE", type));
  }
  BpeOptions options;
  options.input = input;
  options.unknown_token = fields.optional_text("unk_token");
  if (fields.optional_flag("fuse_unk").value_or(false))
    options.unknown = BpeOptions::Unknown::kFused;
  if (fields.optional_flag("byte_fallback").value_or(false))
    options.byte_fallback = BpeOptions::ByteFallback::kOn;
  if (fields.optional_flag("ignore_merges").value_or(false))
    options.words = BpeOptions::Words::kWhole;
  if (fields.optional_number("dropout", 0, 1).value_or(0) != 0)
    throw fields.error("dropout", "is not supported (ids would be random); set it to null");
  for (const char* const key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!fields.optional_text(key).value_or("").empty())
      throw fields.error(key, "is not supported; supported are null and \"\"");
  }
  fields.finish();
  if (options.input == ModelInput::kBytes && options.byte_fallback == BpeOptions::ByteFallback::kOn)
    throw fields.error("byte_fallback", "is not supported together with a ByteLevel pre-tokenizer");
  return options;
}

// The two large parts, taken out of the tree so that the rest can be handed around.
struct LargeParts {
  nlohmann::json vocab;
  nlohmann::json merges;
};

LargeParts take_large_parts(nlohmann::json& tree) {
  if (!tree.is_object() || !tree.contains("model") || !tree["model"].is_object())
    throw Error(ErrorKind::kData,
                "has no object \"model\"; is this a Hugging Face tokenizer.json?");
  nlohmann::json& model = tree["model"];
  LargeParts out;
  if (model.contains("vocab")) out.vocab = std::move(model["vocab"]);
  if (model.contains("merges")) out.merges = std::move(model["merges"]);
  model.erase("vocab");
  model.erase("merges");
  return out;
}

PipelineParts read_parts(nlohmann::json tree, const fs::path& path) {
  const LargeParts large = take_large_parts(tree);
  const Located file(std::move(tree), path.string());
  Fields fields(file, "", "the tokenizer");
  const std::string version = fields.optional_text("version").value_or("1.0");
  if (version != "1.0")
    throw fields.error("version", fmt::format("found '{}', supported is \"1.0\"", version));
  refuse_unless_null(fields, "truncation");
  refuse_unless_null(fields, "padding");

  PreTokenizer pre_tokenizer;
  if (fields.has("pre_tokenizer")) pre_tokenizer = read_pre_tokenizer(file, "/pre_tokenizer");
  const BpeOptions options = read_bpe_options(file, pre_tokenizer.input);
  static_cast<void>(fields.has("model"));
  Vocabulary vocabulary(large.vocab);
  Bpe model(options, vocabulary, large.merges);
  std::vector<AddedToken> added = read_added_tokens(file, fields.elements("added_tokens"));
  for (const AddedToken& token : added) vocabulary.add(token.text, token.id, token.role);

  Normalizer normalizer;
  if (fields.has("normalizer")) normalizer = read_normalizer(file, "/normalizer");
  Decoder decoder{{}, " "};
  if (fields.has("decoder")) decoder = read_decoder(file, "/decoder");
  Tokenizer::Specials specials;
  if (fields.has("post_processor"))
    specials = read_post_processor(file, "/post_processor", vocabulary);
  fields.finish();
  return {path,
          std::move(vocabulary),
          std::move(added),
          std::move(normalizer),
          std::move(pre_tokenizer),
          std::move(model),
          std::move(decoder),
          std::move(specials)};
}

fs::path find_file(const fs::path& path) {
  std::error_code ignored;
  const fs::path file = fs::is_directory(path, ignored) ? path / "tokenizer.json" : path;
  const bool sentencepiece =
      file.extension() == ".model" ||
      (!fs::exists(file, ignored) && fs::exists(path / "tokenizer.model", ignored));
  if (sentencepiece) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: a tokenizer.model is not supported, a tokenizer.json is; convert "
                            "it once with Hugging Face transformers: "
                            "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)",
                            path.string()));
  }
  if (!fs::exists(file, ignored)) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: not found; expected a tokenizer.json or a folder that has one",
                            file.string()));
  }
  return file;
}

}  // namespace

std::unique_ptr<const Tokenizer> make_tokenizer(nlohmann::json tree, const fs::path& file) {
  try {
    return std::make_unique<PipelineTokenizer>(read_parts(std::move(tree), file));
  } catch (const Error& error) {
    const std::string_view message = error.what();
    const std::string name = file.string();
    const std::string prefix = message.starts_with(name) ? "" : name + ": ";
    throw Error(ErrorKind::kData, fmt::format("{}{}", prefix, message));
  }
}

std::unique_ptr<const Tokenizer> open_tokenizer(const fs::path& path) {
  const fs::path file = find_file(path);
  return make_tokenizer(read_json(file), file);
}

}  // namespace yardstick::tokenizer
