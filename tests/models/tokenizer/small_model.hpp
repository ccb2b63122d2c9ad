// Small SentencePiece models made in the test: the bytes of a ModelProto.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "models/tokenizer/sentencepiece_model.hpp"

namespace yardstick::tokenizer::test_support {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  return out + static_cast<char>(value);
}

inline std::string number_field(unsigned number, std::uint64_t value) {
  return varint(number << 3U) + varint(value);
}

inline std::string bytes_field(unsigned number, const std::string& bytes) {
  return varint((number << 3U) | 2U) + varint(bytes.size()) + bytes;
}

inline std::string float_field(unsigned number, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  std::string out = varint((number << 3U) | 5U);
  for (unsigned i = 0; i < 4; ++i) out += static_cast<char>((bits >> (8 * i)) & 0xFFU);
  return out;
}

inline std::string piece_field(const SentencePieceModel::Piece& piece) {
  return bytes_field(1, bytes_field(1, piece.text) + float_field(2, piece.score) +
                            number_field(3, static_cast<std::uint64_t>(piece.type)));
}

/// Pieces, algorithm, byte_fallback and the two options of white space; the rest as by default.
inline std::string model_bytes(const SentencePieceModel& model) {
  std::string out;
  for (const SentencePieceModel::Piece& piece : model.pieces) out += piece_field(piece);
  out += bytes_field(2, number_field(3, static_cast<std::uint64_t>(model.algorithm)) +
                            number_field(35, model.byte_fallback ? 1 : 0));
  out += bytes_field(3, bytes_field(2, model.character_map) +
                            number_field(3, model.add_dummy_prefix ? 1 : 0) +
                            number_field(4, model.remove_extra_whitespaces ? 1 : 0));
  return out;
}

}  // namespace yardstick::tokenizer::test_support
