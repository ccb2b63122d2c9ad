// Independent work on the threads of whoever called: oneTBB stays behind this header.
#pragma once

#include <cstddef>
#include <functional>

namespace yardstick::tasks {

/// Calls body(i) once for each i in [0, count), in any order and at the same time, on the threads
/// of the caller's TBB arena; returns when all are done. Results belong into slot i of a vector
/// that was sized before, so that they do not depend on threads.
/// @throws what body(i) threw for the least i that throws, as a plain loop would.
void parallel_for_each(std::size_t count, const std::function<void(std::size_t i)>& body);

}  // namespace yardstick::tasks
