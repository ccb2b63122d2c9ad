// Puts a tokenizer together from a SentencePiece model. The library itself is not used: its BPE is
// many times slower on long texts, its models are not checked as untrusted input, and it would
// bring Protocol Buffers a second time beside LibTorch's. The tests hold ids of the library.
#include <algorithm>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "models/tokenizer/bpe.hpp"
#include "models/tokenizer/byte_fallback.hpp"
#include "models/tokenizer/formats.hpp"
#include "models/tokenizer/sentencepiece_model.hpp"
#include "models/tokenizer/sentencepiece_text.hpp"
#include "models/tokenizer/unigram.hpp"

namespace yardstick::tokenizer {
namespace {

namespace fs = std::filesystem;
using ModelPiece = SentencePieceModel::Piece;

// Control pieces are known by name and id, but never found in a text.
Vocabulary make_vocabulary(const SentencePieceModel& model) {
  Vocabulary out;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const ModelPiece& piece = model.pieces[i];
    const auto id = static_cast<TokenId>(i);
    if (piece.type == ModelPiece::Type::kControl) {
      out.add(piece.text, id, Vocabulary::Role::kSpecial);
    } else {
      out.add_model_token(piece.text, id);
    }
  }
  return out;
}

bool is_ordinary(const ModelPiece& piece) {
  return piece.type == ModelPiece::Type::kNormal || piece.type == ModelPiece::Type::kUserDefined;
}

// The better the score, the earlier the merge; equal scores are one rank.
std::vector<RankedToken> ranked(const SentencePieceModel& model) {
  std::map<float, std::uint32_t, std::greater<>> ranks;
  for (const ModelPiece& piece : model.pieces) {
    if (is_ordinary(piece)) ranks.emplace(piece.score, 0);
  }
  std::uint32_t next = 0;
  for (auto& [score, rank] : ranks) rank = next++;
  std::vector<RankedToken> out;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const ModelPiece& piece = model.pieces[id];
    if (is_ordinary(piece)) out.push_back({static_cast<TokenId>(id), ranks.at(piece.score)});
  }
  return out;
}

std::unique_ptr<const Model> make_bpe(const SentencePieceModel& model,
                                      const Vocabulary& vocabulary) {
  BpeOptions options;
  options.unknown_token = model.pieces[static_cast<std::size_t>(model.unknown)].text;
  options.unknown = BpeOptions::Unknown::kFused;
  if (model.byte_fallback) options.byte_fallback = BpeOptions::ByteFallback::kOn;
  return std::make_unique<Bpe>(options, vocabulary, merges_of(ranked(model), vocabulary));
}

std::unique_ptr<const Model> make_unigram(const SentencePieceModel& model,
                                          const Vocabulary& vocabulary) {
  UnigramOptions options;
  options.unknown = model.unknown;
  options.sums = UnigramOptions::Sums::kSingle;
  if (model.byte_fallback) options.bytes = byte_tokens(vocabulary);
  std::vector<ScoredPiece> pieces;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const ModelPiece& piece = model.pieces[id];
    if (!is_ordinary(piece)) continue;
    const bool user = piece.type == ModelPiece::Type::kUserDefined;
    pieces.push_back({piece.text, static_cast<TokenId>(id), piece.score,
                      user ? ScoredPiece::Kind::kUserDefined : ScoredPiece::Kind::kNormal});
  }
  return std::make_unique<Unigram>(options, pieces);
}

// Hugging Face's `legacy` false: U+2581 stands in front of the text alone, not of every part
// between special tokens.
Metaspace::Prepend prepend_of(const SentencePieceModel& model, const TokenizerSettings& settings) {
  if (!settings.add_prefix_space.value_or(model.add_dummy_prefix))
    return Metaspace::Prepend::kNever;
  return settings.legacy.value_or(true) ? Metaspace::Prepend::kAlways : Metaspace::Prepend::kFirst;
}

}  // namespace

PipelineParts read_sentencepiece(const fs::path& file, std::string_view bytes,
                                 const TokenizerSettings& settings) {
  const SentencePieceModel model = parse_sentencepiece_model(bytes);
  const bool is_bpe = model.algorithm == SentencePieceModel::Algorithm::kBpe;
  SentencePieceText text{.character_map = model.character_map,
                         .prepend = prepend_of(model, settings)};
  if (model.remove_extra_whitespaces) text.spaces = SentencePieceText::Spaces::kTrim;
  PipelineParts parts;
  parts.files = {file};
  parts.vocabulary = make_vocabulary(model);
  parts.model = is_bpe ? make_bpe(model, parts.vocabulary) : make_unigram(model, parts.vocabulary);
  parts.vocabulary.respell(model.unknown, model.unknown_surface);
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const ModelPiece& piece = model.pieces[id];
    if (piece.type != ModelPiece::Type::kUserDefined) continue;
    text.user_defined.push_back(piece.text);
    if (!is_bpe) continue;  // Unigram has them among its pieces
    parts.added.push_back({.text = piece.text,
                           .id = static_cast<TokenId>(id),
                           .search_in = AddedToken::SearchIn::kNormalizedLiterally});
  }
  parts.normalizer.push_back(sentencepiece_normalizer(text));
  parts.decoder.steps.push_back(sentencepiece_decoder(text));
  if (model.bos) parts.specials.before = {*model.bos};
  parts.assumption = "from a SentencePiece model";
  add_tokens(settings, parts);
  return parts;
}

}  // namespace yardstick::tokenizer
