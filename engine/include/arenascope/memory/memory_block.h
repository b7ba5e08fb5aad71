// SPDX-License-Identifier: MIT
// MemoryBlock: one allocation. Storages hold it by BlockPtr; when the last reference is dropped, the memory is freed
// through its allocator, after the work queued on the streams that used it has completed.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/intrusive_ptr.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/allocator.h>
#include <arenascope/memory/memory_kind.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace arenascope {

class ExecutionContext;
class KindLedger;
class MemoryBlock;
class RestorableMemory;
using BlockPtr = IntrusivePtr<MemoryBlock>;

class MemoryBlock final : public RefCounted {
 public:
  // Allocates through the context (the default) or from a specific allocator. 0 bytes give a null BlockPtr because a
  // tensor without elements needs no block. Errors: a negative size, an alignment that is not a power of two, a host
  // kind on a device other than the CPU, out of memory.
  static Result<BlockPtr> allocate(ExecutionContext& context, Device device, MemoryKind kind, Bytes bytes,
                                   size_t alignment = kDefaultAlignment);
  static Result<BlockPtr> allocate(const std::shared_ptr<Allocator>& allocator, MemoryKind kind, Bytes bytes,
                                   size_t alignment = kDefaultAlignment, Stream stream = {});

  // Wraps memory owned by the caller; the block never frees it. `keep_alive`, if given, is held for the lifetime of the
  // block. Mapped files are wrapped by ExecutionContext::borrow_mapped() instead. 0 bytes give a null BlockPtr. Errors:
  // a null pointer with bytes > 0, a negative size, kind Mapped.
  static Result<BlockPtr> borrow(void* data, Bytes bytes, Device device = {}, MemoryKind kind = MemoryKind::Default,
                                 std::shared_ptr<void> keep_alive = nullptr);

  ~MemoryBlock();

  std::byte* data() const { return static_cast<std::byte*>(pointer_); }
  Bytes bytes() const { return bytes_; }
  Device device() const { return device_; }
  MemoryKind kind() const { return kind_; }
  bool is_borrowed() const { return allocator_ == nullptr; }
  // True for bytes of a mapped file, whose pages the system reads again on access, and for restorable memory.
  bool is_mapped() const { return kind_ == MemoryKind::Mapped; }
  // True if the bytes exist only while they are pinned (MemoryPin).
  bool is_restorable() const { return restorable_ != nullptr; }
  // False for restorable memory that is not pinned.
  bool resident() const;
  // Releases the pages completely inside [offset, offset + bytes) of a mapped block to the system. Pages of a file are
  // read again on access; see RestorableMemory::drop() for restorable memory. No effect on other blocks.
  void drop_pages(Bytes offset, Bytes bytes) const noexcept;
  const std::shared_ptr<Allocator>& allocator() const { return allocator_; }

  // Records that work queued on `stream` uses the block: after it is freed, it is not reused before that work has
  // completed. The stream on which it was allocated is recorded implicitly. Thread-safe. Error: out of memory for the
  // record; the caller must then wait for the stream itself.
  Status record_stream(Stream stream);
  // The stream on which it was allocated and all recorded streams.
  std::vector<Stream> recorded_streams() const;

 private:
  friend class ExecutionContext;
  friend class MemoryPin;
  MemoryBlock() = default;
  static Result<BlockPtr> make(const std::shared_ptr<Allocator>& allocator, std::shared_ptr<KindLedger> ledger,
                               MemoryKind kind, Bytes bytes, size_t alignment, Stream stream);

  void* pointer_ = nullptr;
  Bytes bytes_ = 0;
  Device device_;
  MemoryKind kind_ = MemoryKind::Default;
  std::shared_ptr<Allocator> allocator_;  // null: borrowed
  std::shared_ptr<KindLedger> ledger_;    // null: neither allocated nor mapped through a context
  std::shared_ptr<void> keep_alive_;
  std::shared_ptr<RestorableMemory> restorable_;  // null: the bytes are always readable
  Stream stream_;                                 // the stream allocated on
  mutable std::mutex streams_mutex_;
  std::vector<Stream> streams_;  // all streams that used it; empty while there is only one
};

// Keeps the bytes of a block readable. Only restorable memory needs it.
class MemoryPin {
 public:
  MemoryPin() = default;
  // `block` may be null. Errors: those of RestorableMemory::pin().
  static Result<MemoryPin> take(BlockPtr block);
  MemoryPin(MemoryPin&& other) noexcept = default;
  MemoryPin& operator=(MemoryPin&& other) noexcept;
  ~MemoryPin() { release(); }
  void release() noexcept;

 private:
  BlockPtr block_;  // null: nothing is pinned
};

}  // namespace arenascope
