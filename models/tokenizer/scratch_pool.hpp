// Working memory that outlives a call: a text in a row of texts finds the words of the ones before
// it merged already.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "models/tokenizer/model.hpp"

namespace yardstick::tokenizer {

/// Thread-safe. As many scratches as there were calls at the same time. What one remembers does not
/// change any result: the symbols of a word depend on the word alone.
class ScratchPool {
 public:
  /// One scratch for one caller; goes back when the lease ends. The pool must outlive it.
  class Lease {
   public:
    explicit Lease(ScratchPool& pool) : pool_(pool), scratch_(pool.take()) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.give_back(std::move(scratch_)); }

    [[nodiscard]] Scratch& operator*() const { return *scratch_; }

   private:
    ScratchPool& pool_;
    std::unique_ptr<Scratch> scratch_;
  };

 private:
  [[nodiscard]] std::unique_ptr<Scratch> take();
  void give_back(std::unique_ptr<Scratch> scratch) noexcept;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> idle_;  // guarded by mutex_
};

}  // namespace yardstick::tokenizer
