#include "models/kernels/parallel.hpp"

#include <omp.h>

namespace yardstick::models::kernels {

void set_thread_count(int threads) { omp_set_num_threads(threads); }

std::int64_t thread_count() { return omp_get_max_threads(); }

void for_each_task(std::int64_t count,
                   const std::function<void(std::int64_t task, std::int64_t thread)>& action) {
#pragma omp parallel for schedule(dynamic) if (count > 1)
  for (std::int64_t task = 0; task < count; ++task) action(task, omp_get_thread_num());
}

}  // namespace yardstick::models::kernels
