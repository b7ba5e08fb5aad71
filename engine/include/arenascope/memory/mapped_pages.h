// SPDX-License-Identifier: MIT
// Releases pages of mapped files to the system. They are read again on the next access.
#pragma once
#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace arenascope {

// Drops the pages completely inside [data, data + bytes). The range must belong to a read-only file mapping; other memory
// would lose its contents.
inline void drop_mapped_pages([[maybe_unused]] const void* data, [[maybe_unused]] size_t bytes) noexcept {
#if defined(__linux__)
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<uintptr_t>(data), to = from + bytes;
  const uintptr_t first = (from + page - 1) / page * page, end = to / page * page;
  if (first < end) (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
#endif
}

// Resident bytes of [data, data + bytes). For a file mapping, pages in the system's page cache count.
inline int64_t resident_bytes([[maybe_unused]] const void* data, [[maybe_unused]] size_t bytes) {
  int64_t sum = 0;
#if defined(__linux__)
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t end = reinterpret_cast<uintptr_t>(data) + bytes;
  unsigned char there[256];
  for (uintptr_t at = reinterpret_cast<uintptr_t>(data) / page * page; at < end; at += sizeof there * page) {
    const uintptr_t length = end - at < sizeof there * page ? end - at : sizeof there * page;
    if (mincore(reinterpret_cast<void*>(at), length, there) != 0) continue;
    for (uintptr_t i = 0; i * page < length; ++i) sum += there[i] & 1 ? static_cast<int64_t>(page) : 0;
  }
#endif
  return sum;
}

}  // namespace arenascope
