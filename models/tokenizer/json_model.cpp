#include "models/tokenizer/json_model.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "models/tokenizer/bpe.hpp"
#include "models/tokenizer/byte_fallback.hpp"
#include "models/tokenizer/unigram.hpp"

namespace yardstick::tokenizer {
namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::kData, message); }

BpeOptions read_bpe_options(Fields& fields, ModelInput input) {
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

ReadModel read_bpe(Fields& fields, const ModelTables& tables, ModelInput input) {
  BpeOptions options = read_bpe_options(fields, input);
  ReadModel out{.vocabulary = read_vocabulary(tables.vocab, "model.vocab")};
  out.model = std::make_unique<Bpe>(std::move(options), out.vocabulary,
                                    read_merges(tables.merges, out.vocabulary));
  return out;
}

// [["piece", score], ..], by id.
std::vector<ScoredPiece> read_pieces(const nlohmann::json& vocab) {
  if (!vocab.is_array()) fail("model.vocab must be a list of [piece, score]");
  std::vector<ScoredPiece> out;
  out.reserve(vocab.size());
  for (std::size_t id = 0; id < vocab.size(); ++id) {
    const nlohmann::json& entry = vocab[id];
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number()) {
      fail(fmt::format("model.vocab: entry {} is {:.60}, expected [piece, score]", id,
                       entry.dump()));
    }
    out.push_back({entry[0].get<std::string>(), static_cast<TokenId>(id), entry[1].get<double>()});
  }
  return out;
}

ReadModel read_unigram(Fields& fields, const ModelTables& tables, ModelInput input) {
  if (input == ModelInput::kBytes)
    throw fields.error("type", "Unigram is not supported together with a ByteLevel pre-tokenizer");
  const std::vector<ScoredPiece> pieces = read_pieces(tables.vocab);
  ReadModel out;
  for (const ScoredPiece& piece : pieces) out.vocabulary.add_model_token(piece.text, piece.id);
  UnigramOptions options;
  if (const auto id = fields.optional_integer("unk_id", 0, std::ssize(pieces) - 1))
    options.unknown = static_cast<TokenId>(*id);
  if (fields.optional_flag("byte_fallback").value_or(false))
    options.bytes = byte_tokens(out.vocabulary);
  fields.finish();
  out.model = std::make_unique<Unigram>(options, pieces);
  return out;
}

}  // namespace

ReadModel read_model(const Located& file, const ModelTables& tables, ModelInput input) {
  Fields fields(file, "/model", "the model");
  const std::string type = fields.optional_text("type").value_or("BPE");  // old files lack it
  if (type == "BPE") return read_bpe(fields, tables, input);
  if (type == "Unigram") return read_unigram(fields, tables, input);
  throw fields.error(
      "type", fmt::format("the model '{}' is not supported; supported are BPE and Unigram", type));
}

}  // namespace yardstick::tokenizer
