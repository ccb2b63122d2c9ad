#include "core/mapping_guard.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace yardstick {
namespace {

/// A watched map. The handler reads these without a lock; `begin` is written last and cleared
/// first.
struct Slot {
  std::atomic<std::uintptr_t> begin = 0;  ///< 0: free
  std::atomic<std::uintptr_t> end = 0;
  std::atomic<bool> met_end = false;
};

// A signal handler has no argument of ours, so what it reads stands here.
std::array<Slot, MappingGuard::kMostMaps> slots;
std::mutex slots_mutex;
std::atomic<std::size_t> slots_used = 0;  ///< none is taken from here on
std::uintptr_t page_bytes = 0;
struct sigaction previous {};

bool put_zeros(std::uintptr_t address) {
  const std::uintptr_t page = address / page_bytes * page_bytes;
  return ::mmap(reinterpret_cast<void*>(page), page_bytes, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/// The fault is not in a map of this library: whoever was there before has it, or the process ends
/// as it would without a handler. This one stays, for a library of our own may watch other maps.
void hand_on(int signal, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    ::sigaction(SIGBUS, &previous, nullptr);
  } else {
    previous.sa_handler(signal);
  }
}

/// Only calls that a signal handler may make: atomics and system calls.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (std::size_t i = 0; i < slots_used.load(); ++i) {
    const std::uintptr_t begin = slots[i].begin.load();
    if (begin == 0 || address < begin || address >= slots[i].end.load()) continue;
    slots[i].met_end.store(true);
    if (put_zeros(address)) return;
  }
  hand_on(signal, info, context);
}

void install_handler() {
  static std::once_flag installed;
  std::call_once(installed, [] {
    page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previous);
  });
}

}  // namespace

MappingGuard::MappingGuard(std::span<const std::byte> map) {
  if (map.empty()) return;
  install_handler();
  const std::lock_guard lock(slots_mutex);
  for (std::size_t i = 0; i < kMostMaps; ++i) {
    if (slots[i].begin.load() != 0) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(map.data());
    slots[i].met_end.store(false);
    slots[i].end.store((begin + map.size() + page_bytes - 1) / page_bytes * page_bytes);
    slots[i].begin.store(begin);
    if (slots_used.load() <= i) slots_used.store(i + 1);
    slot_ = i;
    return;
  }
}

MappingGuard::MappingGuard(MappingGuard&& other) noexcept
    : slot_(std::exchange(other.slot_, kMostMaps)) {}

MappingGuard& MappingGuard::operator=(MappingGuard&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

MappingGuard::~MappingGuard() {
  if (slot_ != kMostMaps) slots[slot_].begin.store(0);
}

bool MappingGuard::met_end() const { return slot_ != kMostMaps && slots[slot_].met_end.load(); }

}  // namespace yardstick
