// SPDX-License-Identifier: MIT
// The purpose of memory. It selects the allocator, and statistics are kept for each kind.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arenascope {

enum class MemoryKind : uint8_t {
  Default,       // tensors of no special use
  Persistent,    // weights: live as long as the model
  Workspace,     // activations and scratch
  KVCache,       // long-lived, grows block by block
  HostPinned,    // page-locked host memory, for DMA by a device
  HostPageable,  // plain host memory
  Mapped,        // bytes of mapped files: borrowed, never allocated; the system pages them in and may drop them
};

inline constexpr size_t kMemoryKindCount = 7;

inline constexpr MemoryKind kMemoryKinds[kMemoryKindCount] = {
    MemoryKind::Default,    MemoryKind::Persistent,   MemoryKind::Workspace, MemoryKind::KVCache,
    MemoryKind::HostPinned, MemoryKind::HostPageable, MemoryKind::Mapped};

// "default", "persistent", "workspace", "kv_cache", "host_pinned", "host_pageable", "mapped".
constexpr std::string_view name(MemoryKind kind) {
  constexpr std::string_view names[kMemoryKindCount] = {"default",     "persistent",    "workspace", "kv_cache",
                                                        "host_pinned", "host_pageable", "mapped"};
  const size_t i = static_cast<size_t>(kind);
  return i < kMemoryKindCount ? names[i] : "unknown kind";
}

// Host kinds are located on the CPU, whichever device copies from them.
constexpr bool is_host_kind(MemoryKind kind) {
  return kind == MemoryKind::HostPinned || kind == MemoryKind::HostPageable || kind == MemoryKind::Mapped;
}

// True if memory of this kind comes from an allocator; Mapped memory is only borrowed.
constexpr bool is_allocated(MemoryKind kind) { return kind != MemoryKind::Mapped; }

}  // namespace arenascope
