// SPDX-License-Identifier: MIT
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/memory/cpu_caching_allocator.h>
#include <arenascope/memory/execution_context.h>

#include <cassert>
#include <utility>

namespace arenascope {

std::shared_ptr<ExecutionContext> make_cpu_context() {
  auto context = std::make_shared<ExecutionContext>();
  for (MemoryKind kind : kMemoryKinds) {
    if (!is_allocated(kind)) continue;
    const bool short_lived =
        kind == MemoryKind::Default || kind == MemoryKind::Workspace || kind == MemoryKind::KVCache;
    std::shared_ptr<Allocator> allocator;
    if (short_lived) {
      allocator = std::make_shared<CpuCachingAllocator>();
    } else {
      allocator = std::make_shared<CpuAllocator>();
    }
    [[maybe_unused]] const Status s = context->register_allocator(kind, std::move(allocator));
    assert(s.ok());  // every kind may lie on the CPU
  }
  return context;
}

}  // namespace arenascope
