// SPDX-License-Identifier: MIT
#include <arenascope/memory/execution_context.h>
#include <arenascope/memory/kind_ledger.h>
#include <arenascope/memory/mapped_pages.h>
#include <arenascope/memory/memory_block.h>
#include <arenascope/memory/restorable_memory.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

namespace arenascope {

Result<BlockPtr> MemoryBlock::allocate(ExecutionContext& context, Device device, MemoryKind kind, Bytes bytes,
                                       size_t alignment) {
  return context.allocate(device, kind, bytes, alignment);
}

Result<BlockPtr> MemoryBlock::allocate(const std::shared_ptr<Allocator>& allocator, MemoryKind kind, Bytes bytes,
                                       size_t alignment, Stream stream) {
  if (!allocator)
    return Error{fmt::format("cannot allocate {} bytes of {} memory without an allocator", bytes, name(kind))};
  stream.device = allocator->device();
  return make(allocator, nullptr, kind, bytes, alignment, stream);
}

Result<BlockPtr> MemoryBlock::make(const std::shared_ptr<Allocator>& allocator, std::shared_ptr<KindLedger> ledger,
                                   MemoryKind kind, Bytes bytes, size_t alignment, Stream stream) {
  if (bytes == 0) return BlockPtr();
  BlockPtr block(new (std::nothrow) MemoryBlock);
  if (!block) return Error{"out of memory for the metadata of a block"};
  Result<void*> memory = allocator->allocate_on(stream, bytes, alignment);
  if (!memory) return memory.error();
  block->pointer_ = *memory;
  block->bytes_ = bytes;
  block->device_ = allocator->device();
  block->kind_ = kind;
  block->allocator_ = allocator;
  block->stream_ = stream;
  block->ledger_ = std::move(ledger);
  if (block->ledger_) block->ledger_->record_allocate(block->pointer_, bytes);
  return block;
}

Result<BlockPtr> MemoryBlock::borrow(void* data, Bytes bytes, Device device, MemoryKind kind,
                                     std::shared_ptr<void> keep_alive) {
  if (bytes < 0) return Error{fmt::format("cannot borrow {} bytes: the size is negative", bytes)};
  if (bytes == 0) return BlockPtr();
  if (!data) return Error{fmt::format("cannot borrow {} bytes from a null pointer", bytes)};
  if (!is_allocated(kind)) return Error{fmt::format("{} memory is borrowed through a context", name(kind))};
  if (is_host_kind(kind) && !device.is_cpu())
    return Error{fmt::format("{} memory is located on the cpu, not on {}", name(kind), to_string(device))};
  BlockPtr block(new (std::nothrow) MemoryBlock);
  if (!block) return Error{"out of memory for the metadata of a block"};
  block->pointer_ = data;
  block->bytes_ = bytes;
  block->device_ = device;
  block->kind_ = kind;
  block->keep_alive_ = std::move(keep_alive);
  return block;
}

MemoryBlock::~MemoryBlock() {
  if (is_mapped() && !restorable_) drop_pages(0, bytes_);
  if (ledger_ && pointer_) ledger_->record_free(pointer_, bytes_);
  if (!allocator_ || !pointer_) return;
  const std::span<const Stream> own(&stream_, 1);
  allocator_->deallocate_after(pointer_, bytes_, streams_.empty() ? own : std::span<const Stream>(streams_));
}

void MemoryBlock::drop_pages(Bytes offset, Bytes bytes) const noexcept {
  if (!is_mapped() || offset < 0 || bytes <= 0 || offset > bytes_ || bytes > bytes_ - offset) return;
  if (restorable_)
    restorable_->drop(offset, bytes);
  else
    drop_mapped_pages(data() + offset, static_cast<size_t>(bytes));
}

bool MemoryBlock::resident() const { return !restorable_ || restorable_->resident(); }

Result<MemoryPin> MemoryPin::take(BlockPtr block) {
  MemoryPin out;
  if (!block || !block->restorable_) return out;
  if (auto ok = block->restorable_->pin(); !ok) return ok.error();
  out.block_ = std::move(block);
  return out;
}

MemoryPin& MemoryPin::operator=(MemoryPin&& other) noexcept {
  release();
  block_ = std::move(other.block_);
  return *this;
}

void MemoryPin::release() noexcept {
  if (block_) block_->restorable_->unpin();
  block_ = nullptr;
}

Status MemoryBlock::record_stream(Stream stream) {
  if (stream == stream_) return {};
  std::lock_guard lock(streams_mutex_);
  if (std::find(streams_.begin(), streams_.end(), stream) != streams_.end()) return {};
  try {
    streams_.reserve(streams_.size() + 2);
    if (streams_.empty()) streams_.push_back(stream_);
    streams_.push_back(stream);
  } catch (const std::bad_alloc&) {
    return Error{
        fmt::format("out of memory: cannot record that a stream of {} uses a block", to_string(stream.device))};
  }
  return {};
}

std::vector<Stream> MemoryBlock::recorded_streams() const {
  std::lock_guard lock(streams_mutex_);
  return streams_.empty() ? std::vector<Stream>{stream_} : streams_;
}

}  // namespace arenascope
