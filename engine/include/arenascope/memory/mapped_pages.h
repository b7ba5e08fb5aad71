// SPDX-License-Identifier: MIT
// Gives pages of a mapped file back to the system, which reads them again when they are touched, and pages of numbers that
// are drawn again then.
#pragma once
#include <cstddef>
#include <cstdint>

#include <arenascope/base/mapped_range.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace arenascope {

// Maps pages of a file that has none: reading them gets SIGBUS. False: the system refuses, and all is as it was (if
// there was something).
inline bool map_no_pages([[maybe_unused]] void* at, [[maybe_unused]] size_t bytes) noexcept {
#if defined(__linux__)
  static const int empty = memfd_create("no pages", MFD_CLOEXEC);
  return empty >= 0 && mmap(at, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, empty, 0) != MAP_FAILED;
#else
  return false;
#endif
}

// The pages that lie wholly in [data, data + bytes) of a read-only mapping of a file, or of drawn numbers. Nothing is lost of
// such a mapping; of other memory the contents would be, so nothing else may be given.
inline void drop_mapped_pages([[maybe_unused]] const void* data, [[maybe_unused]] size_t bytes) noexcept {
#if defined(__linux__)
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<uintptr_t>(data), to = from + bytes;
  const uintptr_t first = (from + page - 1) / page * page, end = to / page * page;
  if (first >= end) return;
  if (MappedRange::drawn(data))
    (void)map_no_pages(reinterpret_cast<void*>(first), end - first);
  else
    (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
#endif
}

// Bytes of the pages in [data, data + bytes) that there is memory for: of a file's, its pages in the system's cache count.
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
