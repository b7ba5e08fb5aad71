// SPDX-License-Identifier: MIT
// The jumps between stacks are no mistake, which the checked longjmp() would take them for.
#undef _FORTIFY_SOURCE
#include "support/cuda/emulator.h"

#include <ucontext.h>

#include <csetjmp>
#include <memory>
#include <vector>

#include "engine/backends/cuda/kernels/portable.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ARENASCOPE_PLAIN_SWITCH 1
#else
#define ARENASCOPE_PLAIN_SWITCH 0
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace arenascope::cuda::emulated {
namespace {

constexpr size_t kStackBytes = size_t{64} << 10;

enum class Waits : uint8_t { Nothing, Warp, Block, Over };

// A thread of the block: a fiber with its own stack, suspended at barriers. It is first entered by its context,
// later by a jump, which unlike swapcontext() makes no system call.
struct Fiber {
  std::unique_ptr<char[]> stack;
  ucontext_t context;
  std::jmp_buf place;
  bool started = false;
  Waits waits = Waits::Nothing;
  uint64_t given = 0;
};

struct Machine {
  void (*kernel)(const void*) = nullptr;
  const void* params = nullptr;
  std::vector<Fiber> fibers;
  ucontext_t scheduler;
  std::jmp_buf scheduler_place;
  Fiber* running = nullptr;
  std::string complaint;
  std::vector<char> shared;
  const void* scheduler_stack = nullptr;
  size_t scheduler_stack_bytes = 0;
};
thread_local Machine* machine = nullptr;

// Back to the scheduler.
void leave() {
  Machine& m = *machine;
  Fiber& f = *m.running;
#if ARENASCOPE_PLAIN_SWITCH
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(f.waits == Waits::Over ? nullptr : &fake, m.scheduler_stack, m.scheduler_stack_bytes);
#endif
  swapcontext(&f.context, &m.scheduler);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, &m.scheduler_stack, &m.scheduler_stack_bytes);
#endif
#else
  if (_setjmp(f.place) == 0) _longjmp(m.scheduler_place, 1);
#endif
}

void fiber_main() {
  Machine& m = *machine;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &m.scheduler_stack, &m.scheduler_stack_bytes);
#endif
  m.kernel(m.params);
  m.running->waits = Waits::Over;
  leave();
}

void enter(Fiber& f) {
  Machine& m = *machine;
  m.running = &f;
#if ARENASCOPE_PLAIN_SWITCH
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, f.stack.get(), kStackBytes);
#endif
  swapcontext(&m.scheduler, &f.context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
#else
  if (_setjmp(m.scheduler_place) == 0) {
    if (f.started) _longjmp(f.place, 1);
    f.started = true;
    setcontext(&f.context);
  }
#endif
}

void prepare(Fiber& f) {
  if (!f.stack) f.stack = std::make_unique<char[]>(kStackBytes);
  getcontext(&f.context);
  f.context.uc_stack.ss_sp = f.stack.get();
  f.context.uc_stack.ss_size = kStackBytes;
  f.context.uc_link = nullptr;
  makecontext(&f.context, fiber_main, 0);
  f.started = false;
  f.waits = Waits::Nothing;
}

// Runs the threads of one warp until all of them wait for the block or have ended.
void run_warp(Machine& m, int warp, Order order) {
  for (;;) {
    int waiting = 0;
    for (int i = 0; i < kWarp; ++i) {
      const int t = warp * kWarp + (order == Order::Forward ? i : kWarp - 1 - i);
      Fiber& f = m.fibers[static_cast<size_t>(t)];
      if (f.waits == Waits::Nothing) {
        current_thread_index.thread = t;
        enter(f);
      }
      waiting += f.waits == Waits::Warp;
    }
    if (waiting == 0) return;
    if (waiting != kWarp) {
      complain("not all threads of a warp came to an exchange");
      return;
    }
    for (int i = 0; i < kWarp; ++i) m.fibers[static_cast<size_t>(warp * kWarp + i)].waits = Waits::Nothing;
  }
}

void run_block(Machine& m, int threads, Order order) {
  for (int t = 0; t < threads; ++t) prepare(m.fibers[static_cast<size_t>(t)]);
  const int warps = threads / kWarp;
  for (;;) {
    for (int w = 0; w < warps && m.complaint.empty(); ++w)
      run_warp(m, order == Order::Forward ? w : warps - 1 - w, order);
    int over = 0;
    for (int t = 0; t < threads; ++t) over += m.fibers[static_cast<size_t>(t)].waits == Waits::Over;
    if (over != 0 && over != threads) complain("not all threads of a block came to a barrier");
    if (over == threads || !m.complaint.empty()) return;
    for (int t = 0; t < threads; ++t) m.fibers[static_cast<size_t>(t)].waits = Waits::Nothing;
  }
}

}  // namespace

void complain(const char* what) {
  if (machine && machine->complaint.empty()) machine->complaint = what;
}

void sync_block() {
  if (!machine || !machine->running) return complain("a kernel has a barrier that its entry in the list does not tell");
  machine->running->waits = Waits::Block;
  leave();
}

uint64_t exchange(uint64_t value, int from_lane) {
  if (!machine || !machine->running) {
    complain("a kernel exchanges values, which its entry in the list does not tell");
    return value;
  }
  Machine& m = *machine;
  const int warp = current_thread_index.thread / kWarp * kWarp;
  m.running->given = value;
  m.running->waits = Waits::Warp;
  leave();
  const uint64_t got = m.fibers[static_cast<size_t>(warp + from_lane)].given;
  m.running->waits = Waits::Warp;  // no thread gives the next value before all have this one
  leave();
  return got;
}

std::string run(void (*kernel)(const void* params), const void* params, const Grid& grid, bool meets, Order order) {
  if (grid.threads == 0 || grid.threads > kMaxThreads || grid.threads % kWarp != 0 || grid.blocks == 0 ||
      grid.blocks > 0x7fffffffu)
    return "a grid that no device takes";
  if (grid.shared_bytes > (48u << 10)) return "more shared memory than a block has";
  static thread_local Machine kept;  // its stacks are used again
  Machine& m = kept;
  machine = &m;
  m.kernel = kernel;
  m.params = params;
  m.complaint.clear();
  m.running = nullptr;
  const int threads = static_cast<int>(grid.threads);
  if (meets && m.fibers.size() < grid.threads) m.fibers.resize(grid.threads);
  m.shared.assign(grid.shared_bytes + 16, '\x5b');
  current_thread_index.shared = m.shared.data() + (16 - reinterpret_cast<uintptr_t>(m.shared.data()) % 16) % 16;
  current_thread_index.threads = threads;
  current_thread_index.blocks = grid.blocks;
  for (int64_t b = 0; b < current_thread_index.blocks && m.complaint.empty(); ++b) {
    current_thread_index.block = order == Order::Forward ? b : current_thread_index.blocks - 1 - b;
    if (meets) {
      run_block(m, threads, order);
      continue;
    }
    for (int t = 0; t < threads; ++t) {
      current_thread_index.thread = order == Order::Forward ? t : threads - 1 - t;
      kernel(params);
    }
  }
  machine = nullptr;
  return m.complaint;
}

}  // namespace arenascope::cuda::emulated
