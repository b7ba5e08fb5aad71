// SPDX-License-Identifier: MIT
#include "engine/models/generated_bytes.h"

#include <cerrno>
#include <csignal>
#include <exception>
#include <thread>

#include <arenascope/memory/mapped_pages.h>
#include "engine/models/remap_pages.h"

#if defined(__linux__)
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

namespace arenascope::models {

Status GeneratedBytes::write(std::byte* out) const {
  if (!write_) return Error{"the weight has no data source"};
  const std::lock_guard lock(writing_);
  return write_(out);
}

bool GeneratedBytes::map_lazily(std::byte* out) const noexcept {
  try {
    Status done = write(out);
    if (done.ok()) return true;
    const std::lock_guard lock(writing_);
    why_ = std::move(done);
  } catch (const std::exception&) {  // out of memory: generation_status() has a message of its own
  }
  lost_.store(true, std::memory_order_release);
  return false;
}

Status GeneratedBytes::generation_status() const {
  if (!lost_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(writing_);
  return why_.ok() ? Error{"not enough memory to generate the values of a weight"} : why_;
}

#if defined(__linux__)
namespace {

// A request on the reader's stack.
struct Asked {
  const GeneratedBytes* made;
  uintptr_t begin, end, address;
  std::atomic<uint32_t> answer{0};  // kMade, kNot
};
constexpr uint32_t kMade = 1, kNot = 2;

std::atomic<int> asking{-1};  // write end of the pipe that passes requests to the thread
std::atomic<pid_t> maker{0};  // id of the thread

bool make_pages(const Asked& asked) {
  // already generated for another reader
  if (resident_bytes(reinterpret_cast<const void*>(asked.address), 1) > 0) return true;
  if (remap_pages(asked.begin, asked.end - asked.begin, [&](std::byte* to) { return asked.made->map_lazily(to); }))
    return true;
  asked.made->lost().store(true, std::memory_order_release);
  return ::mmap(reinterpret_cast<void*>(asked.begin), asked.end - asked.begin, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

void make_what_is_asked(int from) {
  maker.store(static_cast<pid_t>(::syscall(SYS_gettid)));
  for (;;) {
    Asked* asked = nullptr;
    if (::read(from, &asked, sizeof asked) != static_cast<ssize_t>(sizeof asked)) {
      if (errno == EINTR) continue;
      return;
    }
    const uint32_t answer = make_pages(*asked) ? kMade : kNot;
    std::atomic<uint32_t>* const to = &asked->answer;
    to->store(answer, std::memory_order_release);
    ::syscall(SYS_futex, to, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}

bool start_once() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  sigset_t all, before;  // process signals must not be delivered to this thread
  ::sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigdelset(&all, fault);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    std::thread(make_what_is_asked, ends[0]).detach();
  } catch (const std::exception&) {
    started = false;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) asking.store(ends[1]);
  return started;
}

}  // namespace

bool start_maker() {
  static const bool started = start_once();
  return started;
}

bool make_again(const detail::Drawing& drawing, uintptr_t begin, uintptr_t end, uintptr_t address) {
  if (static_cast<pid_t>(::syscall(SYS_gettid)) == maker.load()) return false;
  Asked asked{static_cast<const GeneratedBytes*>(drawing.numbers), begin, end, address};
  Asked* const at = &asked;
  while (::write(asking.load(), &at, sizeof at) != static_cast<ssize_t>(sizeof at))
    if (errno != EINTR) return false;
  uint32_t answer = 0;
  while ((answer = asked.answer.load(std::memory_order_acquire)) == 0)
    ::syscall(SYS_futex, &asked.answer, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  return answer == kMade;
}
#else
bool start_maker() { return false; }
bool make_again(const detail::Drawing&, uintptr_t, uintptr_t, uintptr_t) { return false; }
#endif

}  // namespace arenascope::models
