// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/execution/staging.h"

#include <algorithm>
#include <cstring>

namespace arenascope::cuda {

Staging::~Staging() {
  if (!driver_->alive()) return;
  for (Buffer& buffer : buffers_) {
    if (buffer.used) [[maybe_unused]]
      const Status through = driver_->wait_event(buffer.copied);
    if (buffer.copied) driver_->destroy_event(buffer.copied);
  }
}

Status Staging::allocate(ExecutionContext& context) {
  for (Buffer& buffer : buffers_) {
    if (buffer.block) continue;
    auto block = context.allocate({}, MemoryKind::HostPinned, kBytes);
    if (!block) return block.error();
    if (auto ok = adopt(buffer, std::move(*block)); !ok) return ok;
  }
  return {};
}

Status Staging::adopt(Buffer& buffer, BlockPtr block) {
  if (buffer.copied) driver_->destroy_event(buffer.copied);
  buffer = {};
  auto event = driver_->create_event();
  if (!event) return event.error();
  buffer.copied = *event;
  buffer.block = std::move(block);
  return {};
}

Status Staging::prepare(Buffer& buffer) {
  if (!buffer.block) {  // it was left to a copy whose end is unknown
    auto block = MemoryBlock::allocate(pinned_, MemoryKind::HostPinned, kBytes);
    if (!block) return block.error();
    if (auto ok = adopt(buffer, std::move(*block)); !ok) return ok;
  }
  return buffer.used ? driver_->wait_event(buffer.copied) : Status();
}

Status Staging::copy(StreamHandle stream, Buffer& buffer, std::byte* device, Bytes bytes, Direction direction,
                     Timeline& timeline) {
  const bool in = direction == Direction::ToDevice;
  std::byte* host = buffer.block->data();
  const auto queue = [&] { return driver_->copy(stream, in ? device : host, in ? host : device, bytes, direction); };
  Status status = timeline.around(nullptr, stream, bytes, in, queue);
  if (status) status = driver_->record_event(buffer.copied, {driver_->device(), stream});
  buffer.used = buffer.used || status.ok();
  if (status) return status;
  // The end of the copy is unknown: wait for it; if that fails too, the copy keeps the buffer.
  if (!driver_->synchronize_stream(stream) && buffer.block->record_stream({{}, stream})) buffer.block = BlockPtr();
  return status;
}

Status Staging::upload(StreamHandle stream, std::byte* to, const std::byte* from, Bytes bytes, Timeline& timeline) {
  for (Bytes at = 0; at < bytes; at += kBytes, turn_ ^= 1) {
    Buffer& buffer = buffers_[turn_];
    if (auto ok = prepare(buffer); !ok) return ok;
    const Bytes part = std::min(kBytes, bytes - at);
    std::memcpy(buffer.block->data(), from + at, static_cast<size_t>(part));
    if (auto ok = copy(stream, buffer, to + at, part, Direction::ToDevice, timeline); !ok) return ok;
  }
  return {};
}

Status Staging::download(StreamHandle stream, std::byte* to, const std::byte* from, Bytes bytes, Timeline& timeline) {
  // Chunk i is emptied while chunk i + 1 is being copied.
  for (Bytes at = 0; at < bytes + kBytes; at += kBytes, turn_ ^= 1) {
    Buffer& now = buffers_[turn_];
    Buffer& before = buffers_[turn_ ^ 1];
    if (at < bytes) {
      if (auto ok = prepare(now); !ok) return ok;
      const Bytes part = std::min(kBytes, bytes - at);
      auto* device = const_cast<std::byte*>(from + at);
      if (auto ok = copy(stream, now, device, part, Direction::FromDevice, timeline); !ok) return ok;
    }
    if (at == 0) continue;
    if (auto ok = driver_->wait_event(before.copied); !ok) return ok;
    const Bytes done = at - kBytes;
    std::memcpy(to + done, before.block->data(), static_cast<size_t>(std::min(kBytes, bytes - done)));
  }
  return {};
}

}  // namespace arenascope::cuda
