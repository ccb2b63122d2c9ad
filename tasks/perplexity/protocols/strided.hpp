// Overlapping windows that move by a stride and score what is new: `sliding` (ALiBi's, one-token
// slide included) and `hf-strided` (Hugging Face's guide). YaRN's evaluation cuts alike.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/fields.hpp"
#include "tasks/perplexity/protocols/window.hpp"

namespace yardstick::tasks {

struct StridePlan {
  std::int64_t length = 0;  ///< positions of a window, the opening included
  std::int64_t stride = 0;  ///< at most `length` less the opening
};

/// Window j holds the stream tokens [j stride, j stride + body), body = length - opening, and
/// scores those that no window before it held; the last one ends with the stream. So behind the
/// first window a token has between body - stride and body - 1 tokens of text before it, also in a
/// last step that is shorter. Without an opening a window's first token has nothing to be predicted
/// from and is not scored.
[[nodiscard]] Windows cut_strided(std::span<const TokenId> stream, std::span<const TokenId> opening,
                                  const StridePlan& plan);

/// cut_strided() without an opening of the stream that begins with `opening`: it stands before the
/// first window alone and takes its place there. Indices are of `stream` itself.
[[nodiscard]] Windows cut_strided_text(std::span<const TokenId> stream,
                                       std::span<const TokenId> opening, const StridePlan& plan);

/// The protocol of cut_strided(), for lengths above `stride`. `name` outlives it.
[[nodiscard]] std::unique_ptr<const WindowProtocol> strided_protocol(std::string_view name,
                                                                     std::int64_t stride);

/// Both read `stride`, which has to be there.
[[nodiscard]] std::unique_ptr<const WindowProtocol> make_sliding(Fields& fields);
[[nodiscard]] std::unique_ptr<const WindowProtocol> make_hf_strided(Fields& fields);

}  // namespace yardstick::tasks
