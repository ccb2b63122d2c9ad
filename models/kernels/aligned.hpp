// Memory for numbers that vector loads read: a load that straddles two cache lines costs two.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace yardstick::models::kernels {

inline constexpr std::align_val_t kAlignment{64};  ///< a cache line, and the widest vector

struct AlignedDelete {
  void operator()(void* memory) const { ::operator delete(memory, kAlignment); }
};

/// An array that begins at a cache line; its numbers are left uninitialised.
template <typename Number>
using AlignedArray = std::unique_ptr<Number[], AlignedDelete>;

template <typename Number>
[[nodiscard]] AlignedArray<Number> aligned_array(std::size_t count) {
  return AlignedArray<Number>(
      static_cast<Number*>(::operator new(count * sizeof(Number), kAlignment)));
}

}  // namespace yardstick::models::kernels
