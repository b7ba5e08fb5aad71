// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <arenascope/base/mapped_range.h>
#include <arenascope/models/mapped_files.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace arenascope::models {
namespace {

struct sigaction handler_before {};
uintptr_t page_size = 4096;

// Draws the numbers of a slice anew and puts its pages into their place all at once: other threads see none of them, or all.
bool draw_again(const detail::Drawing& drawing, uintptr_t begin, uintptr_t end, uintptr_t address) {
#if defined(__linux__)
  constexpr uintptr_t kSlice = uintptr_t{2} << 20;  // a huge page
  const uintptr_t from = begin + (address - begin) / kSlice * kSlice, bytes = std::min(kSlice, end - from);
  const uintptr_t mapped = (bytes + page_size - 1) / page_size * page_size, reserved = mapped + kSlice;
  void* const made = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return false;
  const auto first = reinterpret_cast<uintptr_t>(made), to = (first + kSlice - 1) / kSlice * kSlice;
  (void)::madvise(reinterpret_cast<void*>(to), mapped, MADV_HUGEPAGE);
  drawing.draw(drawing.numbers, from - begin, bytes, reinterpret_cast<std::byte*>(to));
  (void)::mprotect(reinterpret_cast<void*>(to), mapped, PROT_READ);
  const bool moved = ::mremap(reinterpret_cast<void*>(to), mapped, mapped, MREMAP_MAYMOVE | MREMAP_FIXED,
                              reinterpret_cast<void*>(from)) != MAP_FAILED;
  if (to > first) ::munmap(made, to - first);
  if (!moved) ::munmap(reinterpret_cast<void*>(to), mapped);
  const uintptr_t behind = to + mapped, last = first + reserved;
  if (last > behind) ::munmap(reinterpret_cast<void*>(behind), last - behind);
  return moved;
#else
  return false;
#endif
}

// Puts what can be drawn again, else zeros, in the place of the page and all behind it. False: the address belongs to no mapping
// of ours.
bool replace(uintptr_t address) {
  for (detail::MappedRow& row : detail::mapped_rows) {
    if (!row.holds(address)) continue;
    const uintptr_t end = row.end.load(std::memory_order_acquire);
    if (const detail::Drawing* drawing = row.drawing.load(std::memory_order_acquire))
      return draw_again(*drawing, row.begin.load(std::memory_order_acquire), end, address);
    const uintptr_t page = address / page_size * page_size, behind = (end + page_size - 1) / page_size * page_size;
    row.lost.store(true, std::memory_order_release);
    return ::mmap(reinterpret_cast<void*>(page), behind - page, PROT_READ,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
  }
  return false;
}

// Only what is safe in a signal handler: atomics without locks, and system calls.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error_before = errno;
  const bool ours = info->si_code == BUS_ADRERR && replace(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = error_before;
  if (ours) return;  // the instruction runs again and reads zeros
  if (handler_before.sa_flags & SA_SIGINFO) {
    handler_before.sa_sigaction(signal, info, context);
  } else if (handler_before.sa_handler == SIG_DFL || handler_before.sa_handler == SIG_IGN) {
    ::sigaction(signal, &handler_before, nullptr);  // the instruction runs again and ends as if nobody had listened
  } else {
    handler_before.sa_handler(signal);
  }
}

}  // namespace

Status survive_lost_pages() {
  static const Status installed = [] {
    page_size = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction handler {};
    handler.sa_sigaction = on_bus_error;
    handler.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigemptyset(&handler.sa_mask);
    if (::sigaction(SIGBUS, &handler, &handler_before) == 0) {
      detail::lost_pages_survived.store(true);
      return Status();
    }
    return Status(Error{fmt::format("files that are cut short cannot be survived: {}", std::strerror(errno))});
  }();
  return installed;
}

}  // namespace arenascope::models
