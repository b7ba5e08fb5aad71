// SPDX-License-Identifier: MIT
// Where activations live in a run.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace arenascope {

enum class MemoryStrategy : uint8_t {
  Planned,  // slices of one Workspace block at the plan's offsets
  Eager,    // each from the Workspace allocator, given back at its last use
  None,     // each its own, none given back before the end
};
const char* name(MemoryStrategy strategy);
std::optional<MemoryStrategy> parse_memory_strategy(std::string_view name);

}  // namespace arenascope
