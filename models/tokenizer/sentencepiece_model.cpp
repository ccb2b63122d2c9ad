// Field numbers are those of sentencepiece_model.proto.
#include "models/tokenizer/sentencepiece_model.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_set>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "models/tokenizer/protobuf.hpp"
#include "models/tokenizer/vocabulary.hpp"

namespace yardstick::tokenizer {
namespace {

using Piece = SentencePieceModel::Piece;
using Type = ProtobufField::Type;

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::kData, message); }

class Parser {
 public:
  SentencePieceModel parse(std::string_view bytes) {
    ProtobufReader reader(bytes, 0);
    while (const auto field = reader.next()) {
      switch (field->number) {
        case 1: read_piece(*field); break;
        case 2: read_trainer(*field); break;
        case 3: read_normalizer(*field); break;
        case 5: read_denormalizer(*field); break;
        default: break;  // 4 holds tests of the training program
      }
    }
    // Both stand behind the pieces, so a file that was cut between two pieces has neither.
    if (!has_trainer_ || !has_normalizer_) {
      fail(fmt::format("byte {}: the file ends without a {}; it is cut off", bytes.size(),
                       has_trainer_ ? "normalizer_spec" : "trainer_spec"));
    }
    check_pieces();
    return std::move(out_);
  }

 private:
  static void expect(const ProtobufField& field, Type type, std::string_view what) {
    if (field.type == type) return;
    fail(fmt::format("byte {}: {} has another wire type than sentencepiece_model.proto says",
                     field.offset, what));
  }

  static bool flag(const ProtobufField& field, std::string_view what) {
    expect(field, Type::kVarint, what);
    return field.value != 0;
  }

  static std::string text(const ProtobufField& field, std::string_view what) {
    expect(field, Type::kBytes, what);
    if (find_invalid_utf8(field.bytes))
      fail(fmt::format("byte {}: {} is not valid UTF-8", field.offset, what));
    return std::string(field.bytes);
  }

  void read_piece(const ProtobufField& message) {
    expect(message, Type::kBytes, "pieces");
    const std::string name = fmt::format("piece {}", out_.pieces.size());
    Piece piece;
    ProtobufReader reader(message.bytes, message.bytes_offset);
    while (const auto field = reader.next()) {
      if (field->number == 1) {
        piece.text = text(*field, name);
      } else if (field->number == 2) {
        expect(*field, Type::kFixed32, name + "'s score");
        piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field->value));
      } else if (field->number == 3) {
        expect(*field, Type::kVarint, name + "'s type");
        if (field->value < 1 || field->value > 6) {
          fail(fmt::format("byte {}: {} has the type {}, expected 1 to 6", field->offset, name,
                           field->value));
        }
        piece.type = static_cast<Piece::Type>(field->value);
      }
    }
    if (piece.text.empty()) fail(fmt::format("byte {}: {} is empty", message.offset, name));
    if (!std::isfinite(piece.score))
      fail(fmt::format("byte {}: the score of {} is no number", message.offset, name));
    if (std::ssize(out_.pieces) >= kMostIds) fail(fmt::format("has more than {} pieces", kMostIds));
    out_.pieces.push_back(std::move(piece));
  }

  void read_trainer(const ProtobufField& message) {
    expect(message, Type::kBytes, "trainer_spec");
    has_trainer_ = true;
    ProtobufReader reader(message.bytes, message.bytes_offset);
    while (const auto field = reader.next()) {
      switch (field->number) {
        case 3: read_algorithm(*field); break;
        case 24:
          if (flag(*field, "treat_whitespace_as_suffix"))
            fail("trainer_spec: treat_whitespace_as_suffix is not supported");
          break;
        case 35: out_.byte_fallback = flag(*field, "byte_fallback"); break;
        case 44: out_.unknown_surface = text(*field, "unk_surface"); break;
        case 46: bos_piece_ = text(*field, "bos_piece"); break;
        default: break;  // about training
      }
    }
  }

  void read_algorithm(const ProtobufField& field) {
    expect(field, Type::kVarint, "model_type");
    if (field.value != 1 && field.value != 2) {
      fail(
          fmt::format("trainer_spec: model_type {} is not supported (3 are words, 4 characters); "
                      "supported are 1 (Unigram) and 2 (BPE)",
                      field.value));
    }
    out_.algorithm = static_cast<SentencePieceModel::Algorithm>(field.value);
  }

  void read_normalizer(const ProtobufField& message) {
    expect(message, Type::kBytes, "normalizer_spec");
    has_normalizer_ = true;
    ProtobufReader reader(message.bytes, message.bytes_offset);
    while (const auto field = reader.next()) {
      switch (field->number) {
        case 2:
          expect(*field, Type::kBytes, "precompiled_charsmap");
          out_.character_map = std::string(field->bytes);
          break;
        case 3: out_.add_dummy_prefix = flag(*field, "add_dummy_prefix"); break;
        case 4: out_.remove_extra_whitespaces = flag(*field, "remove_extra_whitespaces"); break;
        case 5:
          if (!flag(*field, "escape_whitespaces"))
            fail("normalizer_spec: escape_whitespaces false is not supported");
          break;
        default: break;  // its name, and the rules that the map was compiled from
      }
    }
  }

  static void read_denormalizer(const ProtobufField& message) {
    expect(message, Type::kBytes, "denormalizer_spec");
    ProtobufReader reader(message.bytes, message.bytes_offset);
    while (const auto field = reader.next()) {
      if (field->number == 2 && !field->bytes.empty())
        fail("denormalizer_spec: rules for decoding are not supported");
    }
  }

  void check_pieces() {
    std::unordered_set<std::string_view> texts;
    std::optional<TokenId> unknown;
    for (std::size_t id = 0; id < out_.pieces.size(); ++id) {
      const Piece& piece = out_.pieces[id];
      if (!texts.insert(piece.text).second)
        fail(fmt::format("piece {} ('{}') is there twice", id, piece.text));
      if (piece.type == Piece::Type::kUnknown) {
        if (unknown) fail(fmt::format("pieces {} and {} are both the unknown one", *unknown, id));
        unknown = static_cast<TokenId>(id);
      }
      if (piece.type == Piece::Type::kControl && piece.text == bos_piece_)
        out_.bos = static_cast<TokenId>(id);
      if (piece.type == Piece::Type::kUnused &&
          out_.algorithm == SentencePieceModel::Algorithm::kBpe)
        fail(fmt::format("piece {} ('{}') is unused, which is not supported with BPE", id,
                         piece.text));
    }
    if (!unknown) {
      fail(fmt::format("has {} pieces, but none is the unknown one; is the file whole?",
                       out_.pieces.size()));
    }
    out_.unknown = *unknown;
  }

  bool has_trainer_ = false;
  bool has_normalizer_ = false;
  SentencePieceModel out_;
  std::string bos_piece_ = "<s>";
};

}  // namespace

SentencePieceModel parse_sentencepiece_model(std::string_view bytes) {
  return Parser().parse(bytes);
}

}  // namespace yardstick::tokenizer
