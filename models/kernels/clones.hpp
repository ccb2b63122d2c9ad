// Inside the room: one portable binary with a version of a loop for each instruction set, chosen by
// vector_level(). The versions differ in width alone, so their numbers are the same.
#pragma once

#include "models/kernels/vector_level.hpp"

/// What a loop that has versions, and all that it calls, must be declared with: it is compiled in
/// each version anew.
#define YARDSTICK_LOOP [[gnu::always_inline]] inline

/// Defines `Result name parameters`, which calls name##_loop with `arguments`.
#if defined(__x86_64__)
#define YARDSTICK_CLONES(Result, name, parameters, arguments)         \
  namespace {                                                         \
  [[gnu::target("arch=x86-64-v4")]] Result name##_avx512 parameters { \
    return name##_loop arguments;                                     \
  }                                                                   \
  [[gnu::target("arch=x86-64-v3")]] Result name##_avx2 parameters {   \
    return name##_loop arguments;                                     \
  }                                                                   \
  }                                                                   \
  Result name parameters {                                            \
    switch (vector_level()) {                                         \
      case VectorLevel::kAvx512: return name##_avx512 arguments;      \
      case VectorLevel::kAvx2:                                        \
      case VectorLevel::kAvx2Wide: return name##_avx2 arguments;      \
      case VectorLevel::kPortable: break;                             \
    }                                                                 \
    return name##_loop arguments;                                     \
  }
#else
#define YARDSTICK_CLONES(Result, name, parameters, arguments) \
  Result name parameters { return name##_loop arguments; }
#endif
