// llama-perplexity's two protocols: `llama.cpp` (the second half of each window) and
// `llama.cpp-strided` (--ppl-stride), with what the program does rather than what it means to.
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/perplexity/protocols/window.hpp"

namespace yardstick::tasks {

/// Of the stream that begins with `opening`, whole windows of `length` side by side; each scores
/// its indices length/2 + 1 .. length - 1. The opening takes the place of a window's first token,
/// which is lost. None if the stream has fewer than two windows.
[[nodiscard]] Windows cut_llama_cpp(std::span<const TokenId> stream,
                                    std::span<const TokenId> opening, std::int64_t length);

struct LlamaStride {
  std::int64_t length = 0;  ///< as asked for; the windows have length + stride / 2
  std::int64_t stride = 0;  ///< at most `length`
};

/// Of the stream that begins with `opening`, windows of length + stride / 2 whose beginnings lie
/// `stride` apart; each scores its last `stride` tokens. As the program computes it: no BOS but
/// before the text, the first tokens of the text never scored, no window that would end with the
/// stream, a shorter last one dropped.
[[nodiscard]] Windows cut_llama_cpp_strided(std::span<const TokenId> stream,
                                            std::span<const TokenId> opening,
                                            const LlamaStride& plan);

[[nodiscard]] std::unique_ptr<const WindowProtocol> make_llama_cpp(Fields& fields);

/// Reads `stride`, which has to be there.
[[nodiscard]] std::unique_ptr<const WindowProtocol> make_llama_cpp_strided(Fields& fields);

}  // namespace yardstick::tasks
