#include "models/text_codec.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::models {
namespace {

class FolderCodec final : public TextCodec {
 public:
  explicit FolderCodec(CodecParts parts) : parts_(std::move(parts)) {}

  std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    for (const TokenSpan& span : encode_spans(text)) ids.push_back(span.id);
    return ids;
  }

  std::vector<TokenSpan> encode_spans(std::string_view text) const override {
    return tokenizer().encode(text);
  }

  std::vector<TokenSpan> encode_plain_spans(std::string_view text) const override {
    return tokenizer().encode_plain(text);
  }

  std::string decode(std::span<const TokenId> ids) const override {
    return tokenizer().decode(ids, tokenizer::Tokenizer::SpecialTokens::kSkip);
  }

  std::vector<TokenId> window_prefix() const override {
    return parts_.bos ? std::vector<TokenId>{*parts_.bos} : std::vector<TokenId>{};
  }

  std::optional<TokenId> end_of_text() const override { return parts_.end_of_text; }

  std::vector<TokenId> end_of_generation() const override { return parts_.end_of_generation; }

  std::int64_t vocabulary_size() const override { return parts_.vocabulary; }

 private:
  const tokenizer::Tokenizer& tokenizer() const {
    if (parts_.tokenizer != nullptr) return *parts_.tokenizer;
    throw Error(ErrorKind::kModel,
                fmt::format("{} has no tokenizer (tokenizer.json, tokenizer.model, vocab.json with "
                            "merges.txt, *.tiktoken), so text cannot be used with this model; put "
                            "one there, name one with 'tokenizer:', or use pre-tokenised data",
                            parts_.folder));
  }

  CodecParts parts_;
};

}  // namespace

std::unique_ptr<const TextCodec> make_codec(CodecParts parts) {
  return std::make_unique<FolderCodec>(std::move(parts));
}

}  // namespace yardstick::models
