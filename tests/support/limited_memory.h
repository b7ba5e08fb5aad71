// SPDX-License-Identifier: MIT
// Runs a function in a child process that may only allocate a limited number of further bytes.
#pragma once
#include <doctest/doctest.h>
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

// From now on the process gets at most `spare` bytes of addresses more. False: the limit could not be set.
inline bool limit_addresses(size_t spare) {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t limit = pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) + spare;
  const rlimit both{limit, limit};
  return pages > 0 && ::setrlimit(RLIMIT_AS, &both) == 0;
}

// The value that `work` returns, from 0 to 100; 128 + the signal that ended the child; -1: it could not be started.
template <class F>
int with_limited_memory(size_t spare, F&& work) {
  const pid_t child = ::fork();
  if (child < 0) return -1;
  if (child == 0) {
    if (!limit_addresses(spare)) ::_exit(101);
    leave_memory(spare);
    ::_exit(work());
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Calls `work` with ever more spare memory, from 1 MiB up to `largest`. It returns 0 for success and 1 for the error of
// refused memory. Returns how often memory was refused.
template <class F>
int count_refusals(size_t largest, F&& work) {
  int refused = 0;
  for (size_t spare = size_t{1} << 20; spare < largest; spare = spare * 3 / 2) {
    CAPTURE(spare);
    const int status = with_limited_memory(spare, work);
    CHECK((status == 0 || status == 1));
    refused += status;
  }
  return refused;
}

}  // namespace arenascope::test
