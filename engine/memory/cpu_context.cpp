// SPDX-License-Identifier: MIT
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/memory/cpu_allocators.h>
#include <arenascope/memory/cpu_caching_allocator.h>
#include <arenascope/memory/execution_context.h>

#include <cassert>
#include <utility>

namespace arenascope {

const char* name(CpuAllocatorKind kind) {
  switch (kind) {
    case CpuAllocatorKind::Caching: return "caching";
    case CpuAllocatorKind::PowerOfTwo: return "power-of-two";
    case CpuAllocatorKind::Plain: return "plain";
  }
  return "?";
}

std::optional<CpuAllocatorKind> parse_cpu_allocator(std::string_view text) {
  for (const auto kind : {CpuAllocatorKind::Caching, CpuAllocatorKind::PowerOfTwo, CpuAllocatorKind::Plain})
    if (text == name(kind)) return kind;
  return std::nullopt;
}

std::shared_ptr<ExecutionContext> make_cpu_context(CpuAllocatorKind allocators) {
  auto context = std::make_shared<ExecutionContext>();
  for (MemoryKind kind : kMemoryKinds) {
    if (!is_allocated(kind)) continue;
    const bool short_lived =
        kind == MemoryKind::Default || kind == MemoryKind::Workspace || kind == MemoryKind::KVCache;
    std::shared_ptr<Allocator> allocator;
    if (short_lived && allocators != CpuAllocatorKind::Plain) {
      CpuCachingOptions options;
      options.power_of_two = allocators == CpuAllocatorKind::PowerOfTwo;
      allocator = std::make_shared<CpuCachingAllocator>(options);
    } else {
      allocator = std::make_shared<CpuAllocator>();
    }
    [[maybe_unused]] const Status s = context->register_allocator(kind, std::move(allocator));
    assert(s.ok());  // every kind is permitted on the CPU
  }
  return context;
}

std::shared_ptr<ExecutionContext> make_cpu_context() { return make_cpu_context(CpuAllocatorKind::Caching); }

}  // namespace arenascope
