// Inside the room: one portable binary with a version of a loop for each instruction set.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define YARDSTICK_CLONES [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define YARDSTICK_CLONES
#endif
