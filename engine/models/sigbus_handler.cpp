// SPDX-License-Identifier: MIT
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
uintptr_t page_size = 0;

// Replaces the page and all following ones of its mapping by zeros. False: the address is in none of our mappings.
bool replace(uintptr_t address) {
  for (detail::MappedRow& row : detail::mapped_rows) {
    if (!row.holds(address)) continue;
    const uintptr_t page = address / page_size * page_size,
                    after = (row.end.load(std::memory_order_acquire) + page_size - 1) / page_size * page_size;
    row.lost.store(true, std::memory_order_release);
    return ::mmap(reinterpret_cast<void*>(page), after - page, PROT_READ,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
  }
  return false;
}

// Async-signal-safe: lock-free atomics and system calls only.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error_before = errno;
  const bool ours = info->si_code == BUS_ADRERR && replace(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = error_before;
  if (ours) return;  // the instruction runs again and reads zeros
  if (handler_before.sa_flags & SA_SIGINFO) {
    handler_before.sa_sigaction(signal, info, context);
  } else if (handler_before.sa_handler == SIG_DFL || handler_before.sa_handler == SIG_IGN) {
    ::sigaction(signal, &handler_before, nullptr);  // the instruction is executed again and gets the default action
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
    if (::sigaction(SIGBUS, &handler, &handler_before) == 0) return Status();
    return Status(
        Error{fmt::format("cannot install the SIGBUS handler for truncated files: {}", std::strerror(errno))});
  }();
  return installed;
}

}  // namespace arenascope::models
