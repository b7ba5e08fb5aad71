// SPDX-License-Identifier: MIT
// A slice (offset, bytes) of a MemoryBlock. Several storages may share one block, which is freed with the last of them.
// A storage without a block still has a device, for zero-size tensors and descriptors.
#pragma once
#include <cstddef>

#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/device.h>
#include <arenascope/memory/execution_context.h>
#include <arenascope/memory/memory_block.h>

namespace arenascope {

class Storage {
 public:
  Storage() = default;
  explicit Storage(Device device) : device_(device) {}
  // The whole block.
  explicit Storage(BlockPtr block);

  // Allocates `bytes` from the context's allocator for (device, kind); no block for 0 bytes.
  static Result<Storage> allocate(ExecutionContext& context, Device device, MemoryKind kind, Bytes bytes,
                                  size_t alignment = 64);
  // Wraps memory owned by the caller, which must stay valid as long as any tensor uses it. `keep_alive`, if given, is
  // held that long (for example a mapped file). Errors: null with bytes > 0, negative bytes.
  static Result<Storage> borrow(void* data, Bytes bytes, Device device = {}, MemoryKind kind = MemoryKind::Default,
                                std::shared_ptr<void> keep_alive = nullptr);

  // The part [offset, offset + bytes) of this slice. Error: the range exceeds the slice.
  Result<Storage> sub_storage(Bytes offset, Bytes bytes) const;

  std::byte* data() const;  // null without a block
  Bytes bytes() const { return bytes_; }
  Bytes offset() const { return offset_; }  // in the block
  Device device() const { return device_; }
  MemoryKind kind() const;
  const BlockPtr& block() const { return block_; }
  bool allocated() const { return static_cast<bool>(block_); }

 private:
  BlockPtr block_;
  Bytes offset_ = 0;
  Bytes bytes_ = 0;
  Device device_;
};

}  // namespace arenascope
