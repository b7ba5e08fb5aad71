// SPDX-License-Identifier: MIT
// The selectable allocators for short-lived host memory.
#pragma once
#include <arenascope/memory/execution_context.h>

#include <memory>
#include <optional>
#include <string_view>

namespace arenascope {

enum class CpuAllocatorKind : uint8_t {
  Caching,     // fine size classes, splitting and merging (CpuCachingAllocator)
  PowerOfTwo,  // the same with sizes rounded up to powers of two and nothing released: libtensor's rule, for comparison
  Plain,       // no caching (CpuAllocator)
};
const char* name(CpuAllocatorKind kind);  // "caching", "power-of-two", "plain"
std::optional<CpuAllocatorKind> parse_cpu_allocator(std::string_view name);

// As make_cpu_context(), with allocators of that kind for Default, Workspace and KVCache memory.
std::shared_ptr<ExecutionContext> make_cpu_context(CpuAllocatorKind kind);

}  // namespace arenascope
