// Threads of the CPU's kernels.
#pragma once

#include <cstdint>
#include <functional>

namespace yardstick::models::kernels {

/// Sets the threads that kernels called from the calling thread may use, from 1.
void set_thread_count(int threads);

/// Threads that a kernel called from here may use.
[[nodiscard]] std::int64_t thread_count();

/// Calls action(task, thread) for tasks 0 .. count - 1, which the threads take one by one in order.
/// `action` throws nothing.
void for_each_task(std::int64_t count,
                   const std::function<void(std::int64_t task, std::int64_t thread)>& action);

}  // namespace yardstick::models::kernels
