// The tokens of a tokenizer: the model's own and the added ones, by text and by id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/engine/request.hpp"

namespace yardstick::tokenizer {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

class Vocabulary {
 public:
  enum class Role { kOrdinary, kSpecial };

  /// Adds one of the model's own tokens.
  /// @throws Error(kData) if the id is not from 0 to 2^22-1, or if id or text are taken.
  void add_model_token(const std::string& text, TokenId id);

  /// Registers an added token. It may be one of the model's, if the id agrees.
  /// @throws Error(kData) if the id belongs to another text, or the text has another id.
  void add(const std::string& text, TokenId id, Role role);

  /// Gives an added token that is searched in normalised text the text that it decodes to. As in
  /// tokenizers 0.23, decoding then treats it as an ordinary token if that text is another one.
  void respell(TokenId id, std::string_view normalized);

  /// Id of one of the model's own tokens.
  [[nodiscard]] std::optional<TokenId> model_id(std::string_view text) const;
  /// Id of an added token or of one of the model's.
  [[nodiscard]] std::optional<TokenId> id_of(std::string_view text) const;
  /// Text that a token decodes to, or nothing if no token has this id.
  [[nodiscard]] const std::string* text_of(TokenId id) const;
  [[nodiscard]] bool is_special(TokenId id) const;
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
  /// 1 + the largest id of the model's own tokens.
  [[nodiscard]] std::int64_t model_size() const { return model_size_; }

  using Ids = std::unordered_map<std::string, TokenId, TextHash, std::equal_to<>>;
  [[nodiscard]] const Ids& model_ids() const { return model_ids_; }

 private:
  struct Entry {
    std::string text;
    enum class State { kHole, kOrdinary, kSpecial } state = State::kHole;
  };
  Entry& entry(TokenId id);

  Ids model_ids_;
  Ids added_ids_;
  std::vector<Entry> entries_;
  std::int64_t model_size_ = 0;
};

inline constexpr std::int64_t kMostIds = std::int64_t{1} << 22U;  ///< bounds the table

/// An object of tokens and ids: tokenizer.json's model.vocab, or vocab.json.
/// @param name of the object, for messages
/// @throws Error(kData) naming the token whose id is no whole number, too large or taken.
[[nodiscard]] Vocabulary read_vocabulary(const nlohmann::json& vocab, std::string_view name);

}  // namespace yardstick::tokenizer
