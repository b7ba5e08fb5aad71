// SPDX-License-Identifier: MIT
// Atomically replaces pages of a mapping by pages written elsewhere: other threads see all of them or none.
// Async-signal-safe.
#pragma once
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace arenascope::models {

inline constexpr uintptr_t kHugePage = uintptr_t{2} << 20;

inline uintptr_t page_size() {
  static const auto size = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

#if defined(__linux__)

namespace staging {

inline uintptr_t map_writable(uintptr_t bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? 0 : reinterpret_cast<uintptr_t>(at);
}

// Maps `bytes`, a multiple of the page size, at a huge page's boundary, or anywhere if addresses are scarce. 0: refused.
inline uintptr_t map_staging(uintptr_t bytes) {
  const uintptr_t reserved = bytes + kHugePage, first = map_writable(reserved);
  if (first == 0) return map_writable(bytes);
  const uintptr_t to = (first + kHugePage - 1) / kHugePage * kHugePage, after = to + bytes, last = first + reserved;
  if (to > first) ::munmap(reinterpret_cast<void*>(first), to - first);
  if (last > after) ::munmap(reinterpret_cast<void*>(after), last - after);
  return to;
}

// A slice of one huge page, reserved for the time when the system refuses more addresses (ulimit -v), as a signal
// handler cannot report that.
inline constexpr uintptr_t kSpareInUse = 1;
inline constinit std::atomic<uintptr_t> spare_slice{0};  // its address; 0: none

// Waits while another thread uses it. 0: none.
inline uintptr_t take_spare_slice() {
  for (;;) {
    uintptr_t at = spare_slice.load(std::memory_order_acquire);
    if (at == 0) return 0;
    if (at != kSpareInUse && spare_slice.compare_exchange_strong(at, kSpareInUse, std::memory_order_acq_rel)) return at;
    (void)::sched_yield();
  }
}

// Returns what is left of the slice to the system and reserves another one.
inline void renew_spare_slice(uintptr_t rest, uintptr_t rest_bytes) {
  if (rest_bytes > 0) ::munmap(reinterpret_cast<void*>(rest), rest_bytes);
  spare_slice.store(map_staging(kHugePage), std::memory_order_release);
}

}  // namespace staging

inline void keep_spare_slice() {
  if (staging::spare_slice.load() == 0) staging::renew_spare_slice(0, 0);
}

// `make` writes `bytes` and returns false on failure. `from` is page-aligned. False: nothing has changed.
template <class Make>
bool remap_pages(uintptr_t from, uintptr_t bytes, const Make& make) {
  const uintptr_t mapped = (bytes + page_size() - 1) / page_size() * page_size();
  uintptr_t to = staging::map_staging(mapped);
  const bool spare = to == 0 && mapped <= kHugePage;
  if (spare) to = staging::take_spare_slice();
  if (to == 0) return false;
  (void)::madvise(reinterpret_cast<void*>(to), mapped, MADV_HUGEPAGE);
  const bool made = make(reinterpret_cast<std::byte*>(to));
  (void)::mprotect(reinterpret_cast<void*>(to), mapped, PROT_READ);
  const bool moved = made && ::mremap(reinterpret_cast<void*>(to), mapped, mapped, MREMAP_MAYMOVE | MREMAP_FIXED,
                                      reinterpret_cast<void*>(from)) != MAP_FAILED;
  if (!moved) ::munmap(reinterpret_cast<void*>(to), mapped);
  if (spare) staging::renew_spare_slice(to + mapped, kHugePage - mapped);
  return moved;
}

#else

inline void keep_spare_slice() {}

template <class Make>
bool remap_pages(uintptr_t, uintptr_t, const Make&) {
  return false;
}

#endif

}  // namespace arenascope::models
