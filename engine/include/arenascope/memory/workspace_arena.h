// SPDX-License-Identifier: MIT
// WorkspaceArena: one Workspace block from which scratch memory and planned activations are sliced, so that a graph
// owns one block instead of hundreds. A slice holds a reference to the block, so it may outlive the arena.
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

  // Ensures a capacity of `bytes`; replaces the block if it is too small. Errors: slices were allocated since the last
  // reset, a negative size, out of memory (the old block then stays).
  Status reserve(Bytes bytes);

  // Allocates the next `bytes` after the previous slice. Errors: it does not fit ("needed N, available M"), a negative
  // size, an alignment that is not a power of two or is above 4096.
  Result<Slice> allocate(Bytes bytes, size_t alignment = kDefaultAlignment);

  // The slice [offset, offset + bytes) of the block, as assigned by a memory plan. Such slices may overlap because
  // tensors reuse memory. Error: the slice exceeds the block.
  Result<Slice> slice_at(Bytes offset, Bytes bytes);

  // Frees all slices: the next allocation starts at offset 0. If slices are still referenced, they keep the block and
  // the arena allocates a new one, so that referenced data is not overwritten.
  Status reset();

  Bytes capacity() const { return block_ ? block_->bytes() : 0; }
  Bytes used() const { return used_; }
  Bytes high_water() const { return high_water_; }  // maximum of used() between two resets
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
