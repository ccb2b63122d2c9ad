#include "tasks/parallel.hpp"

#include <atomic>
#include <exception>
#include <mutex>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace yardstick::tasks {

void parallel_for_each(std::size_t count, const std::function<void(std::size_t i)>& body) {
  std::atomic<std::size_t> failed = count;  // the least i that is known to throw
  std::exception_ptr error;
  std::mutex mutex;  // of `error`, and of writing `failed`
  const auto run = [&](std::size_t i) {
    if (i > failed) return;
    try {
      body(i);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (i >= failed) return;
      failed = i;
      error = std::current_exception();
    }
  };
  // Isolated: a thread that waits here for others begins no second cell meanwhile.
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, count, run); });
  if (error) std::rethrow_exception(error);
}

}  // namespace yardstick::tasks
