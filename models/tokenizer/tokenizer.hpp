// Tokenizers: text to ids and back, equal to the reference implementations id for id; a component
// that is not supported is refused by name, never approximated.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/engine/request.hpp"

namespace yardstick::tokenizer {

/// Immutable and thread-safe.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Ids and byte ranges of `text`, without added special tokens; special tokens that stand in the
  /// text literally become their ids. @throws Error(kData) with the byte offset if `text` is not
  /// valid UTF-8.
  [[nodiscard]] virtual std::vector<TokenSpan> encode(std::string_view text) const = 0;

  /// encode() that takes the texts of special tokens for plain text, as llama.cpp reads a corpus
  /// (its parse_special = false); added tokens that are not special become their ids. By default
  /// there are no special tokens.
  [[nodiscard]] virtual std::vector<TokenSpan> encode_plain(std::string_view text) const {
    return encode(text);
  }

  /// Ids that the tokenizer's own post-processor puts before and behind a text.
  struct Specials {
    std::vector<TokenId> before;
    std::vector<TokenId> behind;
    /// Who says so: the rule of the format, or the post-processor of a tokenizer.json (one that is
    /// absent puts nothing).
    enum class Origin { kFormat, kPostProcessor } origin = Origin::kFormat;
  };
  [[nodiscard]] virtual const Specials& specials() const = 0;

  enum class SpecialTokens { kKeep, kSkip };
  [[nodiscard]] virtual std::string decode(std::span<const TokenId> ids,
                                           SpecialTokens specials) const = 0;

  [[nodiscard]] virtual std::optional<TokenId> id_of(std::string_view token) const = 0;
  [[nodiscard]] virtual std::int64_t size() const = 0;  ///< ids 0 .. size-1 (holes count)
  /// Ids of the model's own vocabulary alone: 0 .. model_size-1, without the added tokens.
  [[nodiscard]] virtual std::int64_t model_size() const = 0;
  [[nodiscard]] virtual std::string description()
      const = 0;  ///< one line: "BPE, byte-level, 50280 tokens"
  [[nodiscard]] virtual std::vector<std::filesystem::path> files() const = 0;
  /// What of the files was read and does not count, a sentence each.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

/// The file of a model folder that is its tokenizer, or nothing: tokenizer.json, else
/// tokenizer.model, else vocab.json with merges.txt (or encoder.json with vocab.bpe), else the one
/// *.tiktoken. @throws Error(kData) if there are several of the last.
[[nodiscard]] std::optional<std::filesystem::path> find_tokenizer(
    const std::filesystem::path& folder);

/// Opens such a file, or the one of a folder. tokenizer_config.json, special_tokens_map.json and
/// added_tokens.json beside it are read as well: see docs/tokenizers.md.
/// @throws Error(kData) naming file, place and what is not supported or wrong there.
[[nodiscard]] std::unique_ptr<const Tokenizer> open_tokenizer(const std::filesystem::path& path);

/// The tokenizer that `tree`, the contents of a tokenizer.json, describes; files() names `file`.
[[nodiscard]] std::unique_ptr<const Tokenizer> make_tokenizer(nlohmann::json tree,
                                                              const std::filesystem::path& file);

}  // namespace yardstick::tokenizer
