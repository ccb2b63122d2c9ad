#include "models/engine/cache_budget.hpp"

#include <algorithm>

namespace yardstick::models {

std::shared_ptr<KvCache> CacheBudget::make(std::int64_t first, std::int64_t capacity) {
  const std::int64_t bytes = decoder_.cache_bytes(first, capacity);
  auto cache = std::make_unique<KvCache>(decoder_.make_cache(first, capacity));
  live_ += bytes;
  peak_ = std::max(peak_, live_);
  return {cache.release(), [this, bytes](KvCache* released) {
            delete released;
            live_ -= bytes;
          }};
}

}  // namespace yardstick::models
