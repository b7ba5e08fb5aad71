// SPDX-License-Identifier: MIT
// Runs a function in a child process that may only allocate a limited number of further bytes.
#pragma once
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <new>
#include <utility>

namespace arenascope::test {

// Allocates all memory that can be allocated, and frees `spare` bytes of it: a heap that earlier tests have grown has free
// memory that a limit of the address space does not count.
inline void leave_memory(size_t spare) {
  constexpr size_t kLarge = size_t{1} << 16, kSmall = 256;
  struct Chunk {
    Chunk* before;
  };
  Chunk* last = nullptr;
  while (void* chunk = std::malloc(kLarge)) last = new (chunk) Chunk{last};
  while (std::malloc(kSmall) != nullptr) {
  }
  for (size_t freed = 0; last != nullptr && freed < spare; freed += kLarge)
    std::free(std::exchange(last, last->before));
}

// The value that `work` returns, from 0 to 100; 128 + the signal that ended the child; -1: it could not be started.
template <class F>
int with_limited_memory(size_t spare, F&& work) {
  const pid_t child = ::fork();
  if (child < 0) return -1;
  if (child == 0) {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) + spare;
    const rlimit both{limit, limit};
    if (::setrlimit(RLIMIT_AS, &both) != 0) ::_exit(101);
    leave_memory(spare);
    ::_exit(work());
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace arenascope::test
