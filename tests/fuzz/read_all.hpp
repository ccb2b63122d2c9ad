// Touches every element of every floating-point view, so that the sanitizer sees a view that
// reaches outside its bytes.
#pragma once

#include <span>

#include "models/checkpoint/tensor.hpp"

namespace yardstick::fuzz {

inline void read_all(std::span<const checkpoint::TensorView> views) {
  constexpr std::int64_t kMaxElements = 1 << 20;  // expanded views of few bytes may be large
  for (const checkpoint::TensorView& view : views) {
    if (is_floating(view.dtype) && view.element_count() <= kMaxElements) {
      static_cast<void>(to_floats(view));
    }
  }
}

}  // namespace yardstick::fuzz
