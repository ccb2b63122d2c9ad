// Shares the machine's processors between slots that compute and the threads that build and score.
#pragma once

#include <memory>
#include <mutex>

#include <tbb/global_control.h>

namespace yardstick::harness {

/// Limits the program's oneTBB workers to the processors that no slot computes on, and to one at
/// least: computing threads that have to share theirs wait for each other at the end of every loop.
/// Thread-safe.
class Processors {
 public:
  /// `workers`: while no slot computes, from 1.
  explicit Processors(int workers);

  /// The threads that a slot computes with, taken off the workers while this lives.
  class Computing {
   public:
    Computing(Processors& processors, int threads);
    Computing(const Computing&) = delete;
    Computing& operator=(const Computing&) = delete;
    ~Computing();

   private:
    Processors& processors_;
    int threads_;
  };

 private:
  void change(int computing);
  void limit();  // mutex_ is held

  std::mutex mutex_;
  int workers_;
  int computing_ = 0;  // guarded by mutex_, as the limit
  std::unique_ptr<tbb::global_control> limit_;
};

}  // namespace yardstick::harness
