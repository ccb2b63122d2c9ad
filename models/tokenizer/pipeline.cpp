#include "models/tokenizer/pipeline.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace yardstick::tokenizer {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

}  // namespace

// Collects tokens; keeps their ranges ordered and free of overlap.
class PipelineTokenizer::Output {
 public:
  Output(std::size_t text_size, ScratchPool& scratches) : scratch_(scratches) {
    spans_.reserve(text_size / 4 + 4);
  }

  void add(TokenId id, std::int64_t begin, std::int64_t end) {
    begin = std::max(begin, end_);
    end_ = std::max(begin, end);
    spans_.push_back({id, begin, end_});
  }

  Scratch& scratch() { return *scratch_; }
  std::vector<TokenSpan> take() { return std::move(spans_); }

 private:
  std::vector<TokenSpan> spans_;
  std::int64_t end_ = 0;
  ScratchPool::Lease scratch_;
};

PipelineTokenizer::PipelineTokenizer(PipelineParts parts) : parts_(std::move(parts)) {
  for (const AddedToken& token : parts_.added) {
    std::string text = token.text;
    if (token.search_in == AddedToken::SearchIn::kNormalized) {
      AlignedText aligned(token.text, 0);
      normalize(parts_.normalizer, aligned);
      text = aligned.text();
      parts_.vocabulary.respell(token.id, text);
    }
    const bool is_source = token.search_in == AddedToken::SearchIn::kSource;
    (is_source ? all_.in_source : all_.in_normalized).add(token, text);
    if (token.role == Vocabulary::Role::kSpecial) continue;
    (is_source ? ordinary_.in_source : ordinary_.in_normalized).add(token, text);
  }
}

void PipelineTokenizer::encode_word(const AlignedText& text, const Piece& piece,
                                    Output& out) const {
  std::string_view rest = text.text().substr(piece.begin, piece.end - piece.begin);
  std::size_t at = piece.begin;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, parts_.model->independent_prefix(rest));
    rest.remove_prefix(part.size());
    for (const Symbol& symbol : parts_.model->encode(part, out.scratch())) {
      const std::size_t end = at + symbol.length_bytes;
      out.add(symbol.id, text.source_at(at), text.source_at(end));
      at = end;
    }
  }
}

void PipelineTokenizer::encode_part(AlignedText part, const Finders& finders, Output& out) const {
  normalize(parts_.normalizer, part);
  std::vector<Piece> found = finders.in_normalized.find(part.text());
  Pieces pieces{std::move(part), std::move(found)};
  for (const auto& step : parts_.pre_tokenizer.steps) step->apply(pieces);
  const AlignedText& aligned = pieces.text;
  for (const Piece& piece : pieces.parts) {
    if (piece.token) {
      out.add(*piece.token, aligned.source_at(piece.begin), aligned.source_at(piece.end));
      continue;
    }
    encode_word(aligned, piece, out);
  }
}

std::vector<TokenSpan> PipelineTokenizer::encode_with(std::string_view text,
                                                      const Finders& finders) const {
  if (const auto bad = find_invalid_utf8(text)) {
    throw Error(ErrorKind::kData,
                fmt::format("the text is not valid UTF-8 at byte {} (0x{:02x}); convert it to "
                            "UTF-8, or cut it between characters",
                            *bad, static_cast<unsigned char>(text[*bad])));
  }
  Output out(text.size(), scratches_);
  for (const Piece& piece : finders.in_source.find(text)) {
    const auto begin = static_cast<std::int64_t>(piece.begin);
    if (piece.token) {
      out.add(*piece.token, begin, static_cast<std::int64_t>(piece.end));
    } else {
      encode_part(AlignedText(text.substr(piece.begin, piece.end - piece.begin), begin), finders,
                  out);
    }
  }
  return out.take();
}

std::string PipelineTokenizer::decode(std::span<const TokenId> ids, SpecialTokens specials) const {
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (const TokenId id : ids) {
    if (specials == SpecialTokens::kSkip && parts_.vocabulary.is_special(id)) continue;
    const std::string* const text = parts_.vocabulary.text_of(id);
    tokens.emplace_back(text == nullptr ? kReplacementCharacter : std::string_view(*text));
  }
  std::size_t bytes = 0;
  for (const std::string& token : tokens) bytes += token.size();
  for (const auto& step : parts_.decoder.steps) step->apply(tokens, most_grown_bytes(bytes));
  std::string out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i != 0) out += parts_.decoder.separator;
    out += tokens[i];
  }
  return out;
}

std::optional<TokenId> PipelineTokenizer::id_of(std::string_view token) const {
  return parts_.vocabulary.id_of(token);
}

std::string PipelineTokenizer::description() const {
  return fmt::format("{}, {} tokens{}{}", parts_.model->description(), size(),
                     parts_.assumption.empty() ? "" : "; ", parts_.assumption);
}

}  // namespace yardstick::tokenizer
