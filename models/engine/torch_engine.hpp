// The engine: requests through packed forward passes to responses.
#pragma once

#include <memory>

#include "models/decoder/decoder.hpp"
#include "models/engine/engine.hpp"
#include "models/engine/vocabulary_loss.hpp"

namespace yardstick::models {

/// A loaded decoder and how to run it.
struct EngineParts {
  Decoder decoder;
  std::shared_ptr<const position::Encoding> encoding;
  c10::Device device = c10::DeviceType::CPU;
  EngineOptions options;
  VocabularyLoss loss;
};

/// The requests of one call are merged into a tree of prefixes, and each edge is computed once
/// (prefix_tree.hpp, tree_run.hpp), many edges packed into a pass. Only scored positions meet the
/// vocabulary. Prompts that are to be continued are computed the same way and then decoded
/// together, one token each a pass, against the shared keys and values.
///
/// The total length that a kTotal encoding (dynamic NTK, LongRoPE) reads is the number of tokens of
/// the pass, as in the reference implementations: the whole request when it is scored; while
/// generating, the prompt and what was generated so far, so that each new token computes its
/// sequence anew.
///
/// On the CPU in float32 and bfloat16 a response is the same bit for bit whatever else is in the
/// list; other devices and dtypes use LibTorch's products, whose last bits may change with a
/// batch's size.
[[nodiscard]] std::unique_ptr<Engine> make_engine(EngineParts parts);

}  // namespace yardstick::models
