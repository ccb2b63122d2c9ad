// A tokenizer as a whole: added tokens, normalizer, pre-tokenizer, model, decoder.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/tokenizer/added_tokens.hpp"
#include "models/tokenizer/decoder.hpp"
#include "models/tokenizer/model.hpp"
#include "models/tokenizer/normalizer.hpp"
#include "models/tokenizer/pre_tokenizer.hpp"
#include "models/tokenizer/scratch_pool.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "models/tokenizer/vocabulary.hpp"

namespace yardstick::tokenizer {

/// What a tokenizer is made of.
struct PipelineParts {
  std::vector<std::filesystem::path> files;  ///< all that say something about the ids
  Vocabulary vocabulary;
  std::vector<AddedToken> added;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  std::unique_ptr<const Model> model;
  Decoder decoder;
  Tokenizer::Specials specials;
  std::string assumption;          ///< what the files do not say, for description(); usually empty
  std::vector<std::string> notes;  ///< what was read and does not count
};

class PipelineTokenizer final : public Tokenizer {
 public:
  explicit PipelineTokenizer(PipelineParts parts);

  [[nodiscard]] std::vector<TokenSpan> encode(std::string_view text) const override {
    return encode_with(text, all_);
  }
  [[nodiscard]] std::vector<TokenSpan> encode_plain(std::string_view text) const override {
    return encode_with(text, ordinary_);
  }
  [[nodiscard]] const Specials& specials() const override { return parts_.specials; }
  [[nodiscard]] std::string decode(std::span<const TokenId> ids,
                                   SpecialTokens specials) const override;
  [[nodiscard]] std::optional<TokenId> id_of(std::string_view token) const override;
  [[nodiscard]] std::int64_t size() const override { return parts_.vocabulary.size(); }
  [[nodiscard]] std::int64_t model_size() const override { return parts_.vocabulary.model_size(); }
  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::vector<std::filesystem::path> files() const override { return parts_.files; }
  [[nodiscard]] std::vector<std::string> notes() const override { return parts_.notes; }

 private:
  class Output;
  /// The added tokens that are found in a text, and those in the normalised text.
  struct Finders {
    AddedTokenFinder in_source;
    AddedTokenFinder in_normalized;
  };
  [[nodiscard]] std::vector<TokenSpan> encode_with(std::string_view text,
                                                   const Finders& finders) const;
  void encode_part(AlignedText part, const Finders& finders, Output& out) const;
  void encode_word(const AlignedText& text, const Piece& piece, Output& out) const;

  PipelineParts parts_;
  Finders all_;
  Finders ordinary_;  // without the special ones
  mutable ScratchPool scratches_;
};

}  // namespace yardstick::tokenizer
