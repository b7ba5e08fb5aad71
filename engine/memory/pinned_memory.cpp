// SPDX-License-Identifier: MIT
#include <arenascope/base/checked.h>
#include <arenascope/memory/pinned_memory.h>
#include <fmt/format.h>

#include <cstdlib>
#include <new>

namespace arenascope {
namespace {

constexpr uint64_t kPageAlignment = 4096;

}  // namespace

PinnedMemory::~PinnedMemory() {
  for (void* plain : plain_) std::free(plain);
}

Result<void*> PinnedMemory::take_memory(Bytes bytes) {
  if (bytes <= 0 || bytes > (Bytes{1} << 46))
    return Error{fmt::format("cannot allocate {} bytes of pinned memory: the size must be above 0", bytes)};
  if (void* pinned = pages_.pin(pages_.context, bytes)) return pinned;
  void* plain = std::aligned_alloc(kPageAlignment, align_up(static_cast<uint64_t>(bytes), kPageAlignment));
  if (!plain) return Error{fmt::format("out of memory: {} bytes for copies to a device", bytes)};
  std::lock_guard lock(mutex_);
  try {
    plain_.insert(plain);
  } catch (const std::bad_alloc&) {
    std::free(plain);
    return Error{"out of memory for the metadata of a block"};
  }
  plain_bytes_ += bytes;
  return plain;
}

void PinnedMemory::give_memory(void* pointer, Bytes bytes) noexcept {
  {
    std::lock_guard lock(mutex_);
    if (plain_.erase(pointer) > 0) {
      plain_bytes_ -= bytes;
      std::free(pointer);
      return;
    }
  }
  pages_.unpin(pages_.context, pointer);
}

Bytes PinnedMemory::unpinned() const {
  std::lock_guard lock(mutex_);
  return plain_bytes_;
}

}  // namespace arenascope
