// A text that was changed on its way to the model, with the place in the source that each part of
// it came from, so that every token can name its bytes of the text that the user gave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/engine/request.hpp"

namespace yardstick::tokenizer {

/// What a tokenizer's rules may make of so many bytes, either way. Unicode's own forms make at most
/// 11 bytes of one; rules that double a text forty times over are no tokenizer's.
[[nodiscard]] constexpr std::size_t most_grown_bytes(std::size_t source_bytes) {
  return 64 * source_bytes + 64;
}

/// Valid UTF-8 plus a non-decreasing map from its bytes to source offsets.
class AlignedText {
 public:
  /// The unchanged source part `text`, which starts at `offset` of the whole source. A view: the
  /// source must outlive this object until the first edit.
  AlignedText(std::string_view text, std::int64_t offset) : view_(text), offset_(offset) {}

  [[nodiscard]] std::string_view text() const { return edited_ ? storage_ : view_; }

  /// Source offset of the boundary in front of byte `at` (at most text().size()). A boundary inside
  /// a character counts as the one behind it, so the first of the tokens that share a character
  /// gets its bytes.
  [[nodiscard]] std::int64_t source_at(std::size_t at) const;

 private:
  friend class AlignedEdit;
  std::string_view view_;
  std::int64_t offset_;
  bool edited_ = false;
  std::string storage_;
  std::vector<std::int64_t> origin_;  // one a byte of storage_ and one for the end
};

/// Writes the next version of an AlignedText, front to back.
class AlignedEdit {
 public:
  explicit AlignedEdit(AlignedText& text);

  /// Copies bytes [begin, end) unchanged.
  void keep(std::size_t begin, std::size_t end);
  /// Puts `content` in the place of bytes [begin, end); its first character stands for all of them.
  /// @throws Error(kData) if the text grows beyond most_grown_bytes() of its source.
  void replace(std::size_t begin, std::size_t end, std::string_view content);

  [[nodiscard]] std::size_t size() const { return storage_.size(); }
  [[nodiscard]] std::string_view written() const { return storage_; }
  /// Drops what was written behind byte `size`; the text then ends, in the source, where that was.
  void shorten(std::size_t size);

  /// Makes what was written the text. Call once, after all of the old text was kept or replaced.
  void finish();

 private:
  AlignedText& text_;
  std::size_t most_bytes_;
  std::string storage_;
  std::vector<std::int64_t> origin_;
  std::optional<std::int64_t> end_;  // source place of the end, if shorten() moved it
};

/// A part [begin, end) of an AlignedText: one word for the model, or an added token.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<TokenId> token;
};

/// A text and its parts in order; bytes between the parts do not reach the model.
struct Pieces {
  AlignedText text;
  std::vector<Piece> parts;
};

}  // namespace yardstick::tokenizer
