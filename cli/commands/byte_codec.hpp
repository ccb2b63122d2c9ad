// A stand-in for a model's tokenizer: one token a byte. Task files are looked at with it where no
// model is named.
#pragma once

#include "models/engine/request.hpp"

namespace yardstick::cli {

class ByteCodec final : public TextCodec {
 public:
  [[nodiscard]] std::vector<TokenId> encode(std::string_view text) const override;
  [[nodiscard]] std::vector<TokenSpan> encode_spans(std::string_view text) const override;
  [[nodiscard]] std::string decode(std::span<const TokenId> ids) const override;
  [[nodiscard]] std::vector<TokenId> window_prefix() const override { return {}; }
  [[nodiscard]] std::optional<TokenId> end_of_text() const override { return std::nullopt; }
  [[nodiscard]] std::int64_t vocabulary_size() const override { return 256; }
};

}  // namespace yardstick::cli
