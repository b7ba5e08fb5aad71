// SPDX-License-Identifier: MIT
// WorkspaceArena: one Workspace block from which scratch memory and planned activations are sliced, so that a graph
// owns one block and not hundreds. A slice holds the block, so it never dangles, whatever becomes of the arena.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/execution_context.h>

#include <cstddef>

namespace arenascope {

// Not thread-safe. The context must outlive the arena (not its slices).
class WorkspaceArena {
 public:
  struct Slice {
    BlockPtr block;  // null for a slice of 0 bytes
    Bytes offset = 0;
    Bytes bytes = 0;
    std::byte* data() const { return block ? block->data() + offset : nullptr; }
  };

  explicit WorkspaceArena(ExecutionContext& context, Device device = {}, MemoryKind kind = MemoryKind::Workspace)
      : context_(&context), device_(device), kind_(kind) {}

  // Makes room for `bytes` in all: does nothing if there is room, else a new block replaces the old one. Errors: slices
  // were taken since the last reset, a negative size, no memory (then the old block stays).
  Status reserve(Bytes bytes);

  // The next `bytes` behind what was taken so far. Errors: it does not fit ("needed N, available M"), a negative size,
  // an alignment that is no power of two or above 4096.
  Result<Slice> allocate(Bytes bytes, size_t alignment = kDefaultAlignment);

  // [offset, offset + bytes) of the block, as a memory plan says; such slices may overlap, one tensor after the other.
  // Errors: it leaves the block.
  Result<Slice> slice_at(Bytes offset, Bytes bytes);

  // Starts at the beginning again. The block stays, unless slices of it are still held: then those keep it, and the
  // arena takes a new one, so that nothing that somebody holds is overwritten.
  Status reset();

  Bytes capacity() const { return block_ ? block_->bytes() : 0; }
  Bytes used() const { return used_; }
  Bytes high_water() const { return high_water_; }  // the most that allocate() has used between two resets
  const BlockPtr& block() const { return block_; }

 private:
  static constexpr size_t kLargestAlignment = 4096;

  ExecutionContext* context_;
  Device device_;
  MemoryKind kind_;
  BlockPtr block_;
  Bytes used_ = 0;
  Bytes high_water_ = 0;
};

}  // namespace arenascope
