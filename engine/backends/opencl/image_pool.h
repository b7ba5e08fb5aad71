// SPDX-License-Identifier: MIT
// ImagePool: 2-D images of an OpenCL device as memory. A freed image is reused for a request of the same channel type
// that it covers in both directions, without wasting more than a limit, best fit first. DevicePool: combines a
// BufferPool and an ImagePool into the one Allocator of a context, with one limit on the bytes that both reserve.
#pragma once
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include <arenascope/tensor/tensor_impl.h>
#include "engine/backends/opencl/pool.h"

namespace arenascope::opencl {

struct ImageShape {
  size_t width = 0, height = 0;  // texels of four channels
  bool half = false;             // float16 instead of float32
  Bytes bytes() const { return static_cast<Bytes>(width * height) * (half ? 8 : 16); }
  bool covers(const ImageShape& other) const {
    return half == other.half && width >= other.width && height >= other.height;
  }
};

// Shape for a tensor [N, C, H, W]: width UP_DIV(C, 4) · W, height N · H.
ImageShape image_shape(const TensorImpl& tensor);

class ImagePool final : public Allocator {
 public:
  // `totals`: as in BufferPool.
  ImagePool(std::shared_ptr<Runtime> runtime, Device device, PoolOptions options, PoolTotals* totals = nullptr)
      : runtime_(std::move(runtime)), device_(device), options_(options), totals_(totals ? totals : &own_totals_) {}
  ~ImagePool() override { release_cached(); }

  // An image that covers the shape. Errors: no image support, larger than the device's limit, out of memory.
  Result<void*> allocate_image(const ImageShape& shape);
  // The free image at an address; none if there is none or it is in use.
  std::optional<ImageShape> free_image(const void* address) const;
  // Takes that whole image.
  void* take_image(void* address);
  Result<void*> allocate(Bytes bytes, size_t alignment) override;  // not supported: an image needs a shape
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  Bytes release_cached() override;
  bool owns(void* pointer) const;
  bool serves(const ImageShape& shape) const;
  Bytes largest_free() const;
  void release_largest();
  std::vector<PoolBlock> blocks() const;
  Device device() const override { return device_; }
  MemoryStats stats() const override;

 private:
  struct Image {
    ImageShape shape;
    Bytes requested = 0;  // 0: free
    Bytes last = 0;
    int64_t uses = 0;
  };
  using Images = std::map<void*, Image>;
  Result<void*> take(const ImageShape& shape);
  Images::const_iterator fit_locked(const ImageShape& shape) const;
  Images::iterator largest_locked();
  Images::iterator release_image(Images::iterator at);
  void use_locked(Images::iterator at, Bytes bytes);

  std::shared_ptr<Runtime> runtime_;
  Device device_;
  PoolOptions options_;
  mutable std::mutex mutex_;
  Images images_;
  MemoryStats stats_;
  PoolTotals own_totals_;
  PoolTotals* totals_;
};

class DevicePool final : public Allocator {
 public:
  DevicePool(const std::shared_ptr<Runtime>& runtime, Device device, const PoolOptions& options)
      : options_(options), buffers_(runtime, device, options, &totals_), images_(runtime, device, options, &totals_) {}

  // The next allocation is an image of this shape, requested with its byte count.
  void request_image(const ImageShape& shape);
  // The next allocation is the free image at this address. Returns the byte count to request; 0: the image is not free.
  Bytes request_image_at(void* address);
  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override;
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  Bytes release_cached() override;
  Device device() const override { return buffers_.device(); }
  MemoryStats stats() const override;
  FreeMemory free_memory() const override { return {std::max(buffers_.largest_free(), images_.largest_free()), {}}; }
  const BufferPool& buffers() const { return buffers_; }
  const ImagePool& images() const { return images_; }
  std::vector<PoolBlock> blocks() const;

 protected:
  void on_attach(const AllocatorHooks& hooks) override;

 private:
  void make_room(Bytes bytes);

  PoolOptions options_;
  mutable std::mutex mutex_;  // guards all members except the totals, which belong to the pools
  PoolTotals totals_;
  BufferPool buffers_;
  ImagePool images_;
  std::optional<ImageShape> requested_image_;
  void* requested_address_ = nullptr;
};

}  // namespace arenascope::opencl
