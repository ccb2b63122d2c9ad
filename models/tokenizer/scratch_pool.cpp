#include "models/tokenizer/scratch_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

namespace yardstick::tokenizer {
namespace {

// A tokenizer without word borders makes one word of a text: memory of that size is not kept.
constexpr std::size_t kMostNodes = std::size_t{1} << 16U;

}  // namespace

std::unique_ptr<Scratch> ScratchPool::take() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<Scratch>();
  std::unique_ptr<Scratch> scratch = std::move(idle_.back());
  idle_.pop_back();
  return scratch;
}

void ScratchPool::give_back(std::unique_ptr<Scratch> scratch) noexcept {
  if (std::max(scratch->nodes.capacity(), scratch->paths.capacity()) > kMostNodes) return;
  const std::scoped_lock lock(mutex_);
  try {
    idle_.push_back(std::move(scratch));
  } catch (const std::bad_alloc&) {
    // No room in the list: the scratch is given up, which gives memory back when it is short.
  }
}

}  // namespace yardstick::tokenizer
