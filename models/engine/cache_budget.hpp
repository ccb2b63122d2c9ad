// The one place where the caches of a call are made, and their bytes counted.
#pragma once

#include <cstdint>
#include <memory>

#include "models/decoder/decoder.hpp"

namespace yardstick::models {

/// Makes KV caches and counts the bytes of those that live, whoever holds them. It refuses nothing:
/// who can do without a cache asks first whether it fits. Outlives its caches; one thread at a
/// time.
class CacheBudget {
 public:
  CacheBudget(const Decoder& decoder, std::int64_t bytes) : decoder_(decoder), bytes_(bytes) {}
  CacheBudget(const CacheBudget&) = delete;
  CacheBudget& operator=(const CacheBudget&) = delete;
  ~CacheBudget() = default;

  /// An empty cache for up to `capacity` tokens behind the first `first` of a sequence.
  [[nodiscard]] std::shared_ptr<KvCache> make(std::int64_t first, std::int64_t capacity);

  /// Bytes that are left; 0 if caches that could not be done without have exceeded the budget.
  [[nodiscard]] std::int64_t left() const { return live_ < bytes_ ? bytes_ - live_ : 0; }

  /// Most bytes that lived at a time so far.
  [[nodiscard]] std::int64_t peak() const { return peak_; }

 private:
  const Decoder& decoder_;
  std::int64_t bytes_;
  std::int64_t live_ = 0;
  std::int64_t peak_ = 0;
};

}  // namespace yardstick::models
