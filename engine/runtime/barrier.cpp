// SPDX-License-Identifier: MIT
#include <arenascope/runtime/barrier.h>

#include <utility>

#ifdef __linux__
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace arenascope {
namespace {

#ifdef __linux__
bool can_fence_all() { return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0; }
void fence_all() { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

void wait_while(std::atomic<uint32_t>& value_at, uint32_t value) {
  syscall(SYS_futex, &value_at, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake_all(std::atomic<uint32_t>& value_at) {
  syscall(SYS_futex, &value_at, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}
#else
bool can_fence_all() { return false; }
void fence_all() {}
void wait_while(std::atomic<uint32_t>& value_at, uint32_t value) { value_at.wait(value, std::memory_order_seq_cst); }
void wake_all(std::atomic<uint32_t>& value_at) { value_at.notify_all(); }
#endif

}  // namespace

Barrier::Barrier(int threads, int spins, std::function<void(int)> awake)
    : threads_(threads),
      spins_(threads > 1 ? spins : 0),
      fenced_(can_fence_all()),
      awake_(std::move(awake)),
      lines_(new Line[size_t(threads > kEachOther ? threads : 1)]) {}

void Barrier::park(int ith, int other, uint32_t target) {
  parked_.fetch_add(1, std::memory_order_seq_cst);
  if (fenced_) fence_all();
  while (true) {
    const uint32_t now = flag(other).load(std::memory_order_seq_cst);
    if (static_cast<int32_t>(now - target) >= 0) break;
    wait_while(flag(other), now);
  }
  parked_.fetch_sub(1, std::memory_order_relaxed);
  if (awake_) awake_(ith);
}

void Barrier::wake(int other) { wake_all(flag(other)); }

}  // namespace arenascope
