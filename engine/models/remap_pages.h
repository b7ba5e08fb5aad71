// SPDX-License-Identifier: MIT
// Atomically replaces pages of a mapping by pages written elsewhere: other threads see all of them or none.
// Async-signal-safe.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace arenascope::models {

inline constexpr uintptr_t kHugePage = uintptr_t{2} << 20;

inline uintptr_t page_size() {
  static const auto size = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

// `make` writes `bytes` and returns false on failure. `from` is page-aligned. False: nothing has changed.
template <class Make>
bool remap_pages([[maybe_unused]] uintptr_t from, [[maybe_unused]] uintptr_t bytes, [[maybe_unused]] const Make& make) {
#if defined(__linux__)
  const uintptr_t mapped = (bytes + page_size() - 1) / page_size() * page_size(), reserved = mapped + kHugePage;
  void* const all = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return false;
  const auto first = reinterpret_cast<uintptr_t>(all), to = (first + kHugePage - 1) / kHugePage * kHugePage;
  (void)::madvise(reinterpret_cast<void*>(to), mapped, MADV_HUGEPAGE);
  const bool made = make(reinterpret_cast<std::byte*>(to));
  (void)::mprotect(reinterpret_cast<void*>(to), mapped, PROT_READ);
  const bool moved = made && ::mremap(reinterpret_cast<void*>(to), mapped, mapped, MREMAP_MAYMOVE | MREMAP_FIXED,
                                      reinterpret_cast<void*>(from)) != MAP_FAILED;
  if (to > first) ::munmap(all, to - first);
  if (!moved) ::munmap(reinterpret_cast<void*>(to), mapped);
  const uintptr_t after = to + mapped, last = first + reserved;
  if (last > after) ::munmap(reinterpret_cast<void*>(after), last - after);
  return moved;
#else
  return false;
#endif
}

}  // namespace arenascope::models
