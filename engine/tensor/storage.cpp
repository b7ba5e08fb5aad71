// SPDX-License-Identifier: MIT
#include <arenascope/tensor/storage.h>

#include <fmt/format.h>

namespace arenascope {

Storage::Storage(BlockPtr block) : block_(std::move(block)) {
  if (!block_) return;
  bytes_ = block_->bytes();
  device_ = block_->device();
}

Result<Storage> Storage::allocate(ExecutionContext& context, Device device, MemoryKind kind, Bytes bytes,
                                  size_t alignment) {
  auto block = context.allocate(device, kind, bytes, alignment);
  if (!block) return block.error();
  if (!*block) return Storage(device);
  Storage storage(std::move(*block));
  storage.bytes_ = bytes;
  return storage;
}

Result<Storage> Storage::borrow(void* data, Bytes bytes, Device device, MemoryKind kind,
                                std::shared_ptr<void> keep_alive) {
  auto block = MemoryBlock::borrow(data, bytes, device, kind, std::move(keep_alive));
  if (!block) return block.error();
  return *block ? Storage(std::move(*block)) : Storage(device);
}

Result<Storage> Storage::sub_storage(Bytes offset, Bytes bytes) const {
  if (offset < 0 || bytes < 0 || offset > bytes_ || bytes > bytes_ - offset)
    return Error{
        fmt::format("a slice [{}, {} + {}) is not inside a storage of {} bytes", offset, offset, bytes, bytes_)};
  Storage part = *this;
  part.offset_ += offset;
  part.bytes_ = bytes;
  return part;
}

std::byte* Storage::data() const { return block_ ? block_->data() + offset_ : nullptr; }

MemoryKind Storage::kind() const { return block_ ? block_->kind() : MemoryKind::Default; }

}  // namespace arenascope
