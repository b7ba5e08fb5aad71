// SPDX-License-Identifier: MIT
#include <arenascope/base/checked.h>
#include <arenascope/memory/workspace_arena.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace arenascope {

Status WorkspaceArena::reserve(Bytes bytes) {
  if (bytes < 0) return Error{fmt::format("cannot reserve {} bytes of workspace: the size is negative", bytes)};
  if (bytes <= capacity()) return {};
  if (used_ > 0)
    return Error{
        fmt::format("cannot grow a workspace of {} bytes to {} while {} of them are in use", capacity(), bytes, used_)};
  Result<BlockPtr> block = context_->allocate(device_, kind_, bytes, kLargestAlignment);
  if (!block) return block.error();
  block_ = *std::move(block);
  return {};
}

Result<WorkspaceArena::Slice> WorkspaceArena::allocate(Bytes bytes, size_t alignment) {
  if (bytes < 0) return Error{fmt::format("cannot allocate {} bytes of workspace: the size is negative", bytes)};
  if (!is_power_of_two(alignment) || alignment > kLargestAlignment)
    return Error{fmt::format("cannot allocate workspace with alignment {}: expected a power of two up to {}", alignment,
                             kLargestAlignment)};
  if (bytes == 0) return Slice{};
  const Bytes offset = static_cast<Bytes>(align_up(static_cast<uint64_t>(used_), alignment));
  const Bytes available = std::max<Bytes>(0, capacity() - offset);
  if (bytes > available)
    return Error{fmt::format("the workspace is full: needed {}, available {} of {}", bytes, available, capacity())};
  used_ = offset + bytes;
  high_water_ = std::max(high_water_, used_);
  return Slice{block_, offset, bytes};
}

Result<WorkspaceArena::Slice> WorkspaceArena::slice_at(Bytes offset, Bytes bytes) {
  if (offset < 0 || bytes < 0 || offset > capacity() || bytes > capacity() - offset)
    return Error{
        fmt::format("a slice of {} bytes at offset {} exceeds the workspace of {} bytes", bytes, offset, capacity())};
  if (bytes == 0) return Slice{nullptr, offset, 0};
  return Slice{block_, offset, bytes};
}

Status WorkspaceArena::reset() {
  used_ = 0;
  if (!block_ || block_->use_count() == 1) return {};
  const Bytes bytes = block_->bytes();
  block_.reset();
  return reserve(bytes);
}

}  // namespace arenascope
