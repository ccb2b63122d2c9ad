// Tokenizers that can be followed by hand: bytes with optional longer pieces, and whole words.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/engine/request.hpp"

namespace yardstick::test {

/// What the model around the tokenizer adds.
struct CodecSpecials {
  std::optional<TokenId> bos;
  std::optional<TokenId> end_of_text;
};

inline constexpr TokenId kFakeBos = 256;
inline constexpr TokenId kFakeEnd = 257;
inline constexpr TokenId kFirstPiece = 258;

/// Ids 0..255 are bytes, 256 is BOS, 257 is end of text, 258 + i is pieces[i]. The longest piece
/// wins, from left to right.
class PieceCodec final : public TextCodec {
 public:
  explicit PieceCodec(CodecSpecials specials = {}, std::vector<std::string> pieces = {})
      : specials_(specials), pieces_(std::move(pieces)) {}

  [[nodiscard]] std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    for (const TokenSpan& span : encode_spans(text)) ids.push_back(span.id);
    return ids;
  }

  [[nodiscard]] std::vector<TokenSpan> encode_spans(std::string_view text) const override {
    std::vector<TokenSpan> spans;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t size = 1;
      auto id = static_cast<TokenId>(static_cast<unsigned char>(text[at]));
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        if (pieces_[i].size() <= size || text.substr(at, pieces_[i].size()) != pieces_[i]) continue;
        size = pieces_[i].size();
        id = kFirstPiece + static_cast<TokenId>(i);
      }
      spans.push_back({.id = id,
                       .begin = static_cast<std::int64_t>(at),
                       .end = static_cast<std::int64_t>(at + size)});
      at += size;
    }
    return spans;
  }

  [[nodiscard]] std::string decode(std::span<const TokenId> ids) const override {
    std::string text;
    for (const TokenId id : ids) {
      if (id < kFakeBos) text += static_cast<char>(id);
      if (id >= kFirstPiece) text += pieces_.at(static_cast<std::size_t>(id - kFirstPiece));
    }
    return text;
  }

  [[nodiscard]] std::vector<TokenId> window_prefix() const override {
    if (specials_.bos) return {*specials_.bos};
    return {};
  }
  [[nodiscard]] std::optional<TokenId> end_of_text() const override {
    return specials_.end_of_text;
  }
  [[nodiscard]] std::int64_t vocabulary_size() const override {
    return kFirstPiece + static_cast<std::int64_t>(pieces_.size());
  }

 private:
  CodecSpecials specials_;
  std::vector<std::string> pieces_;
};

/// One token for each run of letters, run of digits or other character, with the blank before it;
/// ids in order of first appearance.
class WordCodec final : public TextCodec {
 public:
  [[nodiscard]] std::vector<TokenId> encode(std::string_view text) const override {
    std::vector<TokenId> ids;
    for (const TokenSpan& span : encode_spans(text)) ids.push_back(span.id);
    return ids;
  }

  [[nodiscard]] std::vector<TokenSpan> encode_spans(std::string_view text) const override {
    std::vector<TokenSpan> spans;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      if (text[end] == ' ' && end + 1 < text.size()) ++end;
      const int kind = kind_of(text[end]);
      do ++end;
      while (kind != 0 && end < text.size() && kind_of(text[end]) == kind);
      spans.push_back({.id = id_of(text.substr(at, end - at)),
                       .begin = static_cast<std::int64_t>(at),
                       .end = static_cast<std::int64_t>(end)});
      at = end;
    }
    return spans;
  }

  [[nodiscard]] std::string decode(std::span<const TokenId> ids) const override {
    const std::scoped_lock lock(mutex_);
    std::string text;
    for (const TokenId id : ids) text += words_.at(static_cast<std::size_t>(id));
    return text;
  }

  [[nodiscard]] std::vector<TokenId> window_prefix() const override { return {}; }
  [[nodiscard]] std::optional<TokenId> end_of_text() const override { return std::nullopt; }
  [[nodiscard]] std::int64_t vocabulary_size() const override { return 1 << 20; }

 private:
  static int kind_of(char c) {
    if (c >= '0' && c <= '9') return 2;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 1 : 0;
  }

  TokenId id_of(std::string_view word) const {
    const std::scoped_lock lock(mutex_);
    const auto [place, is_new] =
        ids_.try_emplace(std::string(word), static_cast<TokenId>(words_.size()));
    if (is_new) words_.emplace_back(word);
    return place->second;
  }

  mutable std::mutex mutex_;
  mutable std::map<std::string, TokenId> ids_;  // guarded by mutex_
  mutable std::vector<std::string> words_;      // guarded by mutex_
};

}  // namespace yardstick::test
