// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/image_pool.h"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>

namespace arenascope::opencl {

ImageShape image_shape(const TensorImpl& tensor) {
  return {static_cast<size_t>((tensor.sizes[1] + 3) / 4 * tensor.sizes[3]),
          static_cast<size_t>(tensor.sizes[0] * tensor.sizes[2]), tensor.dtype == DType::F16};
}

Result<void*> ImagePool::allocate(Bytes, size_t) { return Error{"cannot allocate an image without a shape"}; }

Result<void*> ImagePool::take(const ImageShape& shape) {
  const DeviceFacts& facts = runtime_->facts();
  if (!runtime_->images()) return Error{fmt::format("{} does not support images", facts.name)};
  if (shape.width > facts.image_width || shape.height > facts.image_height)
    return Error{fmt::format("image of {} x {} exceeds the limit of {}, {} x {}", shape.width, shape.height, facts.name,
                             facts.image_width, facts.image_height)};
  if (auto ok = take_budget(shape.bytes()); !ok) return ok.error();
  const cl_image_format format{CL_RGBA, static_cast<cl_channel_type>(shape.half ? CL_HALF_FLOAT : CL_FLOAT)};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = shape.width;
  desc.image_height = shape.height;
  cl_int code = CL_SUCCESS;
  MemHandle image;
  const auto& faults = runtime_->options().faults;
  if (faults && Runtime::used_up(faults->allocations))
    code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  else
    image = MemHandle(clCreateImage(runtime_->context(), CL_MEM_READ_WRITE, &format, &desc, nullptr, &code));
  if (code != CL_SUCCESS) {
    give_budget(shape.bytes());
    return Error{fmt::format("{}: out of memory for an image of {} x {} ({})", facts.name, shape.width, shape.height,
                             error_name(code))};
  }
  void* address = runtime_->buffers().add(std::move(image), shape.bytes());
  stats_.reserved += shape.bytes();
  stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
  totals_->reserve(shape.bytes());
  observe_reserve(address, shape.bytes(), static_cast<uint32_t>(shape.width), static_cast<uint32_t>(shape.height));
  return address;
}

Result<void*> ImagePool::allocate_image(const ImageShape& shape) {
  if (shape.width == 0 || shape.height == 0) return Error{"requested an image without texels"};
  std::lock_guard lock(mutex_);
  try {
    const Bytes bytes = shape.bytes();
    if (const auto fit = fit_locked(shape); fit != images_.end()) {
      void* address = fit->first;
      stats_.cached -= fit->second.shape.bytes();
      ++stats_.hits;
      use_locked(images_.find(address), bytes);
      return address;
    }
    while (!totals_->has_room(options_, bytes)) {
      const auto largest = largest_locked();
      if (largest == images_.end()) break;
      release_image(largest);
    }
    auto taken = take(shape);
    if (!taken) return taken.error();
    images_[*taken].shape = shape;
    ++stats_.misses;
    use_locked(images_.find(*taken), bytes);
    return *taken;
  } catch (const std::bad_alloc&) {
    return Error{"out of memory while registering an image"};
  }
}

void ImagePool::use_locked(Images::iterator at, Bytes bytes) {
  at->second.requested = at->second.last = bytes;
  ++at->second.uses;
  totals_->begin_use(stats_, bytes, at->second.shape.bytes());
}

std::optional<ImageShape> ImagePool::free_image(const void* address) const {
  std::lock_guard lock(mutex_);
  const auto at = images_.find(const_cast<void*>(address));
  return at == images_.end() || at->second.requested > 0 ? std::nullopt : std::optional(at->second.shape);
}

void* ImagePool::take_image(void* address) {
  std::lock_guard lock(mutex_);
  const auto at = images_.find(address);
  stats_.cached -= at->second.shape.bytes();
  ++stats_.hits;
  use_locked(at, at->second.shape.bytes());
  return address;
}

// Best fit: the smallest free image that covers the shape without wasting too much.
ImagePool::Images::const_iterator ImagePool::fit_locked(const ImageShape& shape) const {
  auto best = images_.end();
  if (options_.separate) return best;
  for (auto at = images_.begin(); at != images_.end(); ++at) {
    const Image& image = at->second;
    if (image.requested > 0 || !image.shape.covers(shape) ||
        !totals_->may_waste(options_, shape.bytes(), image.shape.bytes()))
      continue;
    if (best == images_.end() || image.shape.bytes() < best->second.shape.bytes()) best = at;
  }
  return best;
}

ImagePool::Images::iterator ImagePool::largest_locked() {
  auto largest = images_.end();
  for (auto at = images_.begin(); at != images_.end(); ++at)
    if (at->second.requested == 0 &&
        (largest == images_.end() || at->second.shape.bytes() > largest->second.shape.bytes()))
      largest = at;
  return largest;
}

ImagePool::Images::iterator ImagePool::release_image(Images::iterator at) {
  const Bytes bytes = at->second.shape.bytes();
  runtime_->buffers().remove(at->first);
  stats_.reserved -= bytes;
  stats_.cached -= bytes;
  totals_->reserved -= bytes;
  give_budget(bytes);
  observe_release(at->first, bytes);
  return images_.erase(at);
}

bool ImagePool::serves(const ImageShape& shape) const {
  std::lock_guard lock(mutex_);
  return fit_locked(shape) != images_.end();
}

Bytes ImagePool::largest_free() const {
  std::lock_guard lock(mutex_);
  Bytes largest = 0;
  for (const auto& [address, image] : images_)
    if (image.requested == 0) largest = std::max(largest, image.shape.bytes());
  return largest;
}

void ImagePool::release_largest() {
  std::lock_guard lock(mutex_);
  if (const auto at = largest_locked(); at != images_.end()) release_image(at);
}

void ImagePool::deallocate(void* pointer, Bytes bytes) noexcept {
  std::lock_guard lock(mutex_);
  const auto at = images_.find(pointer);
  if (at == images_.end()) return;
  at->second.requested = 0;
  stats_.cached += at->second.shape.bytes();
  totals_->end_use(stats_, bytes, at->second.shape.bytes());
  if (options_.separate) release_image(at);
}

Bytes ImagePool::release_cached() {
  std::lock_guard lock(mutex_);
  const Bytes before = stats_.reserved;
  for (auto at = images_.begin(); at != images_.end();)
    at = at->second.requested > 0 ? std::next(at) : release_image(at);
  return before - stats_.reserved;
}

std::vector<PoolBlock> ImagePool::blocks() const {
  std::lock_guard lock(mutex_);
  std::vector<PoolBlock> out;
  for (const auto& [address, image] : images_)
    out.push_back({reinterpret_cast<uintptr_t>(address), image.shape.bytes(), image.requested, image.last, image.uses,
                   options_.storage(), static_cast<uint32_t>(image.shape.width),
                   static_cast<uint32_t>(image.shape.height)});
  return out;
}

bool ImagePool::owns(void* pointer) const {
  std::lock_guard lock(mutex_);
  return images_.contains(pointer);
}

MemoryStats ImagePool::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

void DevicePool::on_attach(const AllocatorHooks& hooks) {
  buffers_.attach(hooks);
  images_.attach(hooks);
}

void DevicePool::request_image(const ImageShape& shape) {
  std::lock_guard lock(mutex_);
  requested_image_ = shape;
}

Bytes DevicePool::request_image_at(void* address) {
  std::lock_guard lock(mutex_);
  const auto shape = images_.free_image(address);
  requested_address_ = shape ? address : nullptr;
  return shape ? shape->bytes() : 0;
}

// Releases the largest free block of either pool first.
void DevicePool::make_room(Bytes bytes) {
  while (!totals_.has_room(options_, bytes)) {
    const Bytes of_buffers = buffers_.largest_free(), of_images = images_.largest_free();
    if (of_buffers == 0 && of_images == 0) return;
    if (of_buffers >= of_images)
      buffers_.release_largest();
    else
      images_.release_largest();
  }
}

Result<void*> DevicePool::allocate(Bytes bytes, size_t alignment) {
  std::lock_guard lock(mutex_);
  std::optional<ImageShape> shape;
  shape.swap(requested_image_);
  if (void* place = std::exchange(requested_address_, nullptr)) return images_.take_image(place);
  if (!shape) {
    if (bytes > 0 && !buffers_.serves(bytes)) make_room(bytes);
    return buffers_.allocate(bytes, alignment);
  }
  if (!images_.serves(*shape)) make_room(shape->bytes());
  auto image = images_.allocate_image(*shape);
  if (image || buffers_.release_cached() + images_.release_cached() == 0) return image;
  return images_.allocate_image(*shape);
}

void DevicePool::deallocate(void* pointer, Bytes bytes) noexcept {
  std::lock_guard lock(mutex_);
  if (images_.owns(pointer))
    images_.deallocate(pointer, bytes);
  else
    buffers_.deallocate(pointer, bytes);
}

Bytes DevicePool::release_cached() {
  std::lock_guard lock(mutex_);
  return buffers_.release_cached() + images_.release_cached();
}

std::vector<PoolBlock> DevicePool::blocks() const {
  std::lock_guard lock(mutex_);
  std::vector<PoolBlock> out = buffers_.blocks();
  const std::vector<PoolBlock> more = images_.blocks();
  out.insert(out.end(), more.begin(), more.end());
  std::sort(out.begin(), out.end(), [](const PoolBlock& a, const PoolBlock& b) { return a.address < b.address; });
  return out;
}

MemoryStats DevicePool::stats() const {
  std::lock_guard lock(mutex_);
  MemoryStats a = buffers_.stats();
  const MemoryStats b = images_.stats();
  a.active += b.active;
  a.reserved += b.reserved;
  a.cached += b.cached;
  a.peak = totals_.peak;
  a.peak_reserved = totals_.peak_reserved;
  a.allocations += b.allocations;
  a.frees += b.frees;
  a.hits += b.hits;
  a.misses += b.misses;
  return a;
}

}  // namespace arenascope::opencl
