// SPDX-License-Identifier: MIT
#include <arenascope/backends/opencl/image_pool.h>

#include <cmath>
#include <new>

#include <fmt/format.h>

namespace arenascope::opencl {

ImageShape image_shape(const TensorImpl& tensor) {
  return {static_cast<size_t>((tensor.sizes[1] + 3) / 4 * tensor.sizes[3]), static_cast<size_t>(tensor.sizes[0] * tensor.sizes[2]),
          tensor.dtype == DType::F16};
}

Result<void*> ImagePool::allocate(Bytes, size_t) { return Error{"an image cannot be had by its bytes alone"}; }

Result<void*> ImagePool::take(const ImageShape& shape) {
  const DeviceFacts& facts = runtime_->facts();
  if (!runtime_->images()) return Error{fmt::format("{} has no images", facts.name)};
  if (shape.width > facts.image_width || shape.height > facts.image_height)
    return Error{fmt::format("an image of {} x {} is larger than the largest of {}, {} x {}", shape.width, shape.height, facts.name,
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
  if (faults && Runtime::used_up(faults->allocations)) code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  else image = MemHandle(clCreateImage(runtime_->context(), CL_MEM_READ_WRITE, &format, &desc, nullptr, &code));
  if (code != CL_SUCCESS) {
    give_budget(shape.bytes());
    return Error{fmt::format("{} has no memory left for an image of {} x {} ({})", facts.name, shape.width, shape.height, error_name(code))};
  }
  void* address = runtime_->buffers().add(std::move(image), shape.bytes());
  stats_.reserved += shape.bytes();
  stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
  observe_reserve(address, shape.bytes());
  return address;
}

Result<void*> ImagePool::allocate_image(const ImageShape& shape) {
  if (shape.width == 0 || shape.height == 0) return Error{"an image without texels was asked for"};
  std::lock_guard lock(mutex_);
  try {
    void* best = nullptr;
    Bytes least = std::isinf(options_.waste) ? INT64_MAX : std::max(static_cast<Bytes>(static_cast<double>(shape.bytes()) * options_.waste), shape.bytes() + options_.slack) + 1;
    if (!options_.separate)
      for (const auto& [address, image] : images_)
        if (!image.used && image.shape.covers(shape) && image.shape.bytes() < least) {
          least = image.shape.bytes();
          best = address;
        }
    if (best) {
      stats_.cached -= images_[best].shape.bytes();
      ++stats_.hits;
    } else {
      auto taken = take(shape);
      if (!taken) return taken.error();
      best = *taken;
      images_[best].shape = shape;
      ++stats_.misses;
    }
    images_[best].used = true;
    ++stats_.allocations;
    stats_.active += shape.bytes();
    stats_.peak = std::max(stats_.peak, stats_.active);
    return best;
  } catch (const std::bad_alloc&) {
    return Error{"out of memory: no room to note an image"};
  }
}

void ImagePool::deallocate(void* pointer, Bytes bytes) noexcept {
  std::lock_guard lock(mutex_);
  const auto at = images_.find(pointer);
  if (at == images_.end()) return;
  at->second.used = false;
  stats_.active -= bytes;
  stats_.cached += at->second.shape.bytes();
  ++stats_.frees;
}

Bytes ImagePool::release_cached() {
  std::lock_guard lock(mutex_);
  Bytes released = 0;
  for (auto at = images_.begin(); at != images_.end();) {
    if (at->second.used) {
      ++at;
      continue;
    }
    const Bytes bytes = at->second.shape.bytes();
    runtime_->buffers().remove(at->first);
    give_budget(bytes);
    observe_release(at->first, bytes);
    released += bytes;
    at = images_.erase(at);
  }
  stats_.reserved -= released;
  stats_.cached = 0;
  return released;
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

void DevicePool::want_image(const ImageShape& shape) {
  std::lock_guard lock(mutex_);
  wanted_ = shape;
}

Result<void*> DevicePool::allocate(Bytes bytes, size_t alignment) {
  std::optional<ImageShape> shape;
  {
    std::lock_guard lock(mutex_);
    shape.swap(wanted_);
  }
  if (!shape) return buffers_.allocate(bytes, alignment);
  auto image = images_.allocate_image(*shape);
  if (image || buffers_.release_cached() + images_.release_cached() == 0) return image;
  return images_.allocate_image(*shape);
}

void DevicePool::deallocate(void* pointer, Bytes bytes) noexcept {
  if (images_.owns(pointer)) images_.deallocate(pointer, bytes);
  else buffers_.deallocate(pointer, bytes);
}

MemoryStats DevicePool::stats() const {
  MemoryStats a = buffers_.stats();
  const MemoryStats b = images_.stats();
  a.active += b.active;
  a.reserved += b.reserved;
  a.cached += b.cached;
  a.peak += b.peak;  // a bound from above
  a.peak_reserved += b.peak_reserved;
  a.allocations += b.allocations;
  a.frees += b.frees;
  a.hits += b.hits;
  a.misses += b.misses;
  return a;
}

}  // namespace arenascope::opencl
