// SPDX-License-Identifier: MIT
// A slice (offset, bytes) of a MemoryBlock. Several storages share one block; the last one to go gives it
// back. A storage without a block still knows its device: zero-size tensors and descriptors have one.
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

  // `bytes` from the context's allocator for (device, kind); none for 0 bytes.
  static Result<Storage> allocate(ExecutionContext& context, Device device, MemoryKind kind, Bytes bytes,
                                  size_t alignment = 64);
  // Memory that somebody else owns and keeps for as long as any tensor uses it.
  // `keep_alive`, if given, is held as long (a mapped file, say). Errors: null with bytes > 0, negative bytes.
  static Result<Storage> borrow(void* data, Bytes bytes, Device device = {}, MemoryKind kind = MemoryKind::Default,
                                std::shared_ptr<void> keep_alive = nullptr);

  // The part [offset, offset + bytes) of this slice; refused when it does not lie inside.
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
