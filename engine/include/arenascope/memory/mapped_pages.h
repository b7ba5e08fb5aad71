// SPDX-License-Identifier: MIT
// Gives pages of a mapped file back to the system, which reads them again when they are touched.
#pragma once
#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace arenascope {

// The pages that lie wholly in [data, data + bytes) of a read-only mapping of a file. Nothing is lost of such a
// mapping; of other memory the contents would be, so nothing else may be given.
inline void drop_mapped_pages([[maybe_unused]] const void* data, [[maybe_unused]] size_t bytes) noexcept {
#if defined(__linux__)
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<uintptr_t>(data), to = from + bytes;
  const uintptr_t first = (from + page - 1) / page * page, end = to / page * page;
  if (first < end) (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
#endif
}

}  // namespace arenascope
