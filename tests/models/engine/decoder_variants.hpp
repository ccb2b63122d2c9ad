// Small decoders that differ from the plain one in one setting or a few.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/decoder/config.hpp"

namespace yardstick::test {

struct Variant {
  const char* name = "";
  position::Kind kind = position::Kind::kRope;
  std::int64_t kv_heads = 4;
  std::function<void(models::DecoderConfig&)> change = [](models::DecoderConfig&) {};

  [[nodiscard]] models::DecoderConfig config() const;
};

/// What is done to tokens one by one: norms, blocks, activations, scales, biases.
[[nodiscard]] const std::vector<Variant>& token_wise_variants();

}  // namespace yardstick::test
