// SPDX-License-Identifier: MIT
#include <arenascope/base/checked.h>
#include <arenascope/memory/allocator.h>
#include <fmt/format.h>

#include <utility>

namespace arenascope {

bool MemoryBudget::take(Bytes bytes) {
  Bytes used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit() || used > limit() - bytes) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return true;
}

Result<void*> Allocator::allocate_on(Stream, Bytes bytes, size_t alignment) { return allocate(bytes, alignment); }

void Allocator::deallocate_after(void* pointer, Bytes bytes, std::span<const Stream>) noexcept {
  deallocate(pointer, bytes);
}

bool Allocator::attach(AllocatorHooks hooks) {
  if (attached_) return false;
  hooks_ = std::move(hooks);
  attached_ = true;
  on_attach(hooks_);
  return true;
}

Status Allocator::take_budget(Bytes bytes) const {
  if (!hooks_.budget || hooks_.budget->take(bytes)) return {};
  return Error{fmt::format("out of memory on {}: {} bytes of {} memory do not fit, {} of the limit of {} are reserved",
                           to_string(device()), bytes, name(hooks_.kind), hooks_.budget->used(),
                           hooks_.budget->limit())};
}

void Allocator::give_budget(Bytes bytes) const noexcept {
  if (hooks_.budget) hooks_.budget->give(bytes);
}

void Allocator::observe_reserve(void* pointer, Bytes bytes, uint32_t width, uint32_t height) const noexcept {
  AllocationObserver* observer = hooks_.observer ? hooks_.observer->get() : nullptr;
  if (observer)
    observer->on_reserve({device(), hooks_.kind, reinterpret_cast<uintptr_t>(pointer), bytes, width, height});
}

void Allocator::observe_release(void* pointer, Bytes bytes) const noexcept {
  AllocationObserver* observer = hooks_.observer ? hooks_.observer->get() : nullptr;
  if (observer) observer->on_release({device(), hooks_.kind, reinterpret_cast<uintptr_t>(pointer), bytes});
}

Status Allocator::check_request(Bytes bytes, size_t alignment) {
  if (bytes <= 0) return Error{fmt::format("cannot allocate {} bytes: the size must be above 0", bytes)};
  if (!is_power_of_two(alignment) || alignment > (size_t{1} << 30))
    return Error{fmt::format("cannot allocate with alignment {}: it must be a power of two up to 1 GiB", alignment)};
  return {};
}

}  // namespace arenascope
