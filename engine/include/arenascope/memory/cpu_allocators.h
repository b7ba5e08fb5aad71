// SPDX-License-Identifier: MIT
// Which allocators the host's memory that comes and goes is handed out by, to choose and to compare.
#pragma once
#include <arenascope/memory/execution_context.h>

#include <memory>
#include <optional>
#include <string_view>

namespace arenascope {

enum class CpuAllocatorKind : uint8_t {
  Caching,     // classes of size that waste little, split and merged (CpuCachingAllocator)
  PowerOfTwo,  // the same with sizes rounded up to powers of two, nothing given back: libtensor's rule, to compare with
  Plain,       // straight from the system and back
};
const char* name(CpuAllocatorKind kind);  // "caching", "power-of-two", "plain"
std::optional<CpuAllocatorKind> parse_cpu_allocator(std::string_view name);

// As make_cpu_context(), with allocators of that kind for Default, Workspace and KVCache memory.
std::shared_ptr<ExecutionContext> make_cpu_context(CpuAllocatorKind kind);

}  // namespace arenascope
