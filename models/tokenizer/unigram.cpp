#include "models/tokenizer/unigram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

constexpr double kUnknownPenalty = 10;

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::kData, message); }

double single(double value) { return static_cast<double>(static_cast<float>(value)); }

// Sums in single precision lose their small differences on long texts; SentencePiece (since 0.2.2)
// then counts from the current place on.
constexpr double kRebaseAbove = 100000;

void rebase(std::vector<Scratch::Path>& paths, std::size_t from) {
  const double offset = paths[from].score;
  for (std::size_t i = from; i < paths.size(); ++i)
    paths[i].score = single(paths[i].score - offset);
}

}  // namespace

Unigram::Unigram(UnigramOptions options, const std::vector<ScoredPiece>& pieces)
    : options_(options) {
  double worst = std::numeric_limits<float>::max();
  for (const ScoredPiece& piece : pieces) {
    if (!std::isfinite(piece.score)) {
      fail(fmt::format("piece {} ('{}') has the score {}, expected a finite number", piece.id,
                       piece.text, piece.score));
    }
    if (piece.text.empty()) fail(fmt::format("piece {} is empty", piece.id));
    if (!trie_.insert(piece.text, static_cast<std::int32_t>(pieces_.size())))
      fail(fmt::format("piece {} ('{}') is there twice", piece.id, piece.text));
    pieces_.push_back({piece.id, piece.score, piece.kind});
    if (piece.id == options_.unknown) unknown_text_ = piece.text;
    if (piece.kind == ScoredPiece::Kind::kNormal) worst = std::min(worst, piece.score);
  }
  unknown_score_ = worst - kUnknownPenalty;
  if (options_.sums == UnigramOptions::Sums::kSingle) unknown_score_ = single(unknown_score_);
}

// All pieces that stand at byte `at`, and the unknown character if none of them is that character.
void Unigram::extend(std::string_view word, std::size_t at, std::size_t base,
                     Scratch& scratch) const {
  std::vector<Scratch::Path>& paths = scratch.paths;
  const bool singles = options_.sums == UnigramOptions::Sums::kSingle;
  if (singles && std::abs(paths[at - base].score) > kRebaseAbove) rebase(paths, at - base);
  const double here = paths[at - base].score;
  const auto offer = [&](std::size_t end, double sum, TokenId id) {
    const double score = singles ? single(sum) : sum;
    if (paths.size() <= end - base) paths.resize(end - base + 1);
    Scratch::Path& path = paths[end - base];
    if (path.length_bytes != 0 && score <= path.score) return;
    path = {score, static_cast<std::uint32_t>(end - at), id};
  };
  const std::size_t character = at + code_point_at(word, at).length_bytes;
  bool has_character = false;
  trie_.prefixes(word, at, [&](std::size_t end, std::int32_t index) {
    const Piece& piece = pieces_[static_cast<std::size_t>(index)];
    const bool is_user_defined = piece.kind == ScoredPiece::Kind::kUserDefined;
    // Better than any other way to spell it, the longer the better (SentencePiece 0.2.2).
    const double score =
        is_user_defined ? single(0.1 * static_cast<double>(end - at - 1)) : piece.score;
    offer(end, here + score, piece.id);
    has_character = has_character || end == character;
  });
  if (has_character) return;
  if (!options_.unknown) {
    fail(fmt::format("'{}' has no token in this tokenizer, which has no unknown token either",
                     word.substr(at, character - at)));
  }
  offer(character, here + unknown_score_, *options_.unknown);
}

// Neighbouring unknown characters are one symbol.
void Unigram::append(TokenId id, std::uint32_t length_bytes, std::vector<Symbol>& symbols) const {
  const bool joins = options_.unknown == id && !symbols.empty() && symbols.back().id == id;
  if (joins) {
    symbols.back().length_bytes += length_bytes;
  } else {
    symbols.push_back({id, length_bytes});
  }
}

// Bytes in the place of unknown characters; a text that spells the unknown piece is that piece.
void Unigram::fall_back(std::string_view word, std::vector<Symbol>& symbols) const {
  const auto is_unknown = [&](const Symbol& symbol) { return symbol.id == options_.unknown; };
  if (!options_.bytes || std::none_of(symbols.begin(), symbols.end(), is_unknown)) return;
  std::vector<Symbol> out;
  for (const Symbol& symbol : symbols) {
    const std::string_view text = word.substr(0, symbol.length_bytes);
    word.remove_prefix(symbol.length_bytes);
    if (!is_unknown(symbol) || text == unknown_text_) {
      out.push_back(symbol);
      continue;
    }
    for (const char byte : text)
      out.push_back({(*options_.bytes)[static_cast<unsigned char>(byte)], 1});
  }
  symbols = std::move(out);
}

// Appends the symbols of the best way to the end of `part`, which begins where the paths do.
void Unigram::take_best(std::string_view part, Scratch& scratch) const {
  // Turns the chain around in place: each path of the way gets the length of the piece behind it.
  std::vector<Scratch::Path>& paths = scratch.paths;
  Scratch::Path behind{};
  std::size_t at = part.size();
  while (true) {
    const Scratch::Path here = paths[at];
    paths[at].length_bytes = behind.length_bytes;
    paths[at].id = behind.id;
    if (at == 0) break;
    at -= here.length_bytes;
    behind = here;
  }
  for (at = 0; at < part.size(); at += paths[at].length_bytes)
    append(paths[at].id, paths[at].length_bytes, scratch.symbols);
}

std::span<const Symbol> Unigram::encode(std::string_view word, Scratch& scratch) const {
  if (word.size() > std::numeric_limits<std::int32_t>::max())
    fail("the text has a word of more than 2 GiB; split it into shorter texts");
  if (const auto known = scratch.cache.find(word)) return *known;
  scratch.symbols.clear();
  scratch.paths.assign(1, {});
  std::size_t base = 0;
  for (std::size_t at = 0; at < word.size(); at += code_point_at(word, at).length_bytes) {
    const bool is_gap = at > base && scratch.paths.size() == at - base + 1;  // no piece goes on
    if (is_gap) {
      const double score = scratch.paths.back().score;
      take_best(word.substr(base, at - base), scratch);
      scratch.paths.assign(1, {.score = score});
      base = at;
    }
    extend(word, at, base, scratch);
  }
  take_best(word.substr(base), scratch);
  fall_back(word, scratch.symbols);
  scratch.cache.insert(word, scratch.symbols);
  return scratch.symbols;
}

std::string Unigram::description() const {
  return options_.bytes ? "Unigram with byte fallback" : "Unigram";
}

}  // namespace yardstick::tokenizer
