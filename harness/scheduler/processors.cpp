#include "harness/scheduler/processors.hpp"

#include <algorithm>
#include <cstddef>

namespace yardstick::harness {

Processors::Processors(int workers) : workers_(workers) { limit(); }

void Processors::change(int computing) {
  const std::scoped_lock lock(mutex_);
  computing_ += computing;
  limit();
}

void Processors::limit() {
  const int workers = std::max(1, workers_ - computing_);
  // oneTBB counts a thread of the program's own beside its workers. The new limit is made before
  // the old one goes, so that there is always one.
  limit_ = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                 static_cast<std::size_t>(workers) + 1);
}

Processors::Computing::Computing(Processors& processors, int threads)
    : processors_(processors), threads_(threads) {
  processors_.change(threads_);
}

Processors::Computing::~Computing() { processors_.change(-threads_); }

}  // namespace yardstick::harness
