#include "models/kernels/aligned.hpp"

#include <cstdint>

#include <sys/mman.h>

namespace yardstick::models::kernels {

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t kLargePage = std::size_t{2} << 20U;
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(memory) % kLargePage;
  if (bytes < skipped + kLargePage) return;
  const std::size_t whole = (bytes - skipped) / kLargePage * kLargePage;
  ::madvise(static_cast<char*>(memory) + skipped, whole, MADV_HUGEPAGE);
#endif
}

}  // namespace yardstick::models::kernels
