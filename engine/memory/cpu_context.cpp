// SPDX-License-Identifier: MIT
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/memory/execution_context.h>

namespace arenascope {

std::shared_ptr<ExecutionContext> make_cpu_context() {
  auto context = std::make_shared<ExecutionContext>();
  for (MemoryKind kind : kMemoryKinds) {
    [[maybe_unused]] const Status s = context->register_allocator(kind, std::make_shared<CpuAllocator>());
    assert(s.ok());  // every kind may lie on the CPU
  }
  return context;
}

}  // namespace arenascope
