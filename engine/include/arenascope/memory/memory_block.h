// SPDX-License-Identifier: MIT
// MemoryBlock: one piece of memory and its way home. Storages hold it by BlockPtr; the last one to let go gives the
// memory back through the allocator that it came from, after the streams that used it have passed it.
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
using BlockPtr = IntrusivePtr<MemoryBlock>;

class MemoryBlock final : public RefCounted {
 public:
  // One allocation through the context (the usual way), or straight from an allocator. 0 bytes give a null BlockPtr
  // and no error: a tensor without elements needs no block. Errors: a negative size, an alignment that is no power of
  // two, a host kind on a device that is not the CPU, no memory left.
  static Result<BlockPtr> allocate(ExecutionContext& context, Device device, MemoryKind kind, Bytes bytes,
                                   size_t alignment = kDefaultAlignment);
  static Result<BlockPtr> allocate(const std::shared_ptr<Allocator>& allocator, MemoryKind kind, Bytes bytes,
                                   size_t alignment = kDefaultAlignment, Stream stream = {});

  // Memory that belongs to somebody else and is never freed here. `keep_alive`, if given, is held as long as the block
  // (the program that it came from, say). Mapped files are borrowed through ExecutionContext::borrow_mapped(). Errors:
  // a null pointer with bytes > 0, a negative size, kind Mapped. 0 bytes give a null BlockPtr.
  static Result<BlockPtr> borrow(void* data, Bytes bytes, Device device = {}, MemoryKind kind = MemoryKind::Default,
                                 std::shared_ptr<void> keep_alive = nullptr);

  ~MemoryBlock();

  std::byte* data() const { return static_cast<std::byte*>(pointer_); }
  Bytes bytes() const { return bytes_; }
  Device device() const { return device_; }
  MemoryKind kind() const { return kind_; }
  bool is_borrowed() const { return allocator_ == nullptr; }
  // Whether it lies in a mapped file, whose pages the system reads again when they are touched.
  bool is_mapped() const { return kind_ == MemoryKind::Mapped; }
  // Gives the pages that lie wholly in [offset, offset + bytes) of a mapped block back to the system; nothing is lost.
  // Other blocks keep theirs.
  void drop_pages(Bytes offset, Bytes bytes) const noexcept;
  const std::shared_ptr<Allocator>& allocator() const { return allocator_; }

  // Work queued on `stream` uses the block: once let go, it is not reused before that work is through. The stream that
  // the block was allocated on is known already. Thread-safe; if even the note cannot be kept (no memory), the error
  // says so and the caller must wait for the stream itself.
  Status record_stream(Stream stream);
  // The stream that it was allocated on, and all that were recorded.
  std::vector<Stream> recorded_streams() const;

 private:
  friend class ExecutionContext;
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
  Stream stream_;  // the stream allocated on
  mutable std::mutex streams_mutex_;
  std::vector<Stream> streams_;  // all streams that used it, once there is a second
};

}  // namespace arenascope
