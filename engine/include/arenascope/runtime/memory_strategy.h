// SPDX-License-Identifier: MIT
// How the memory of activations is allocated in a run.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace arenascope {

enum class MemoryStrategy : uint8_t {
  Planned,  // one Workspace block; each tensor at its offset of the memory plan
  Eager,    // one allocation per tensor, freed after its last use
  None,     // one allocation per tensor, kept for the whole run
};
const char* name(MemoryStrategy strategy);
std::optional<MemoryStrategy> parse_memory_strategy(std::string_view name);

}  // namespace arenascope
