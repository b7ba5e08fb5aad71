// SPDX-License-Identifier: MIT
// ImagePool: two-dimensional images of an OpenCL device as memory. One that is given back serves the next request that
// it covers in both directions, of the same channel type, without wasting more than a bound; the smallest such first.
// DevicePool: a BufferPool and an ImagePool as the one Allocator that a context knows.
#pragma once
#include <map>
#include <mutex>
#include <optional>

#include <arenascope/backends/opencl/pool.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::opencl {

struct ImageShape {
  size_t width = 0, height = 0;  // texels of four channels
  bool half = false;             // float16 rather than float32
  Bytes bytes() const { return static_cast<Bytes>(width * height) * (half ? 8 : 16); }
  bool covers(const ImageShape& other) const { return half == other.half && width >= other.width && height >= other.height; }
};

// Of a tensor [N, C, H, W]: width UP_DIV(C, 4) · W, height N · H.
ImageShape image_shape(const TensorImpl& tensor);

class ImagePool final : public Allocator {
 public:
  ImagePool(std::shared_ptr<Runtime> runtime, Device device, PoolOptions options) : runtime_(std::move(runtime)), device_(device), options_(options) {}
  ~ImagePool() override { release_cached(); }

  // An image that covers the shape. Errors: no images, larger than the device's largest, no memory.
  Result<void*> allocate_image(const ImageShape& shape);
  Result<void*> allocate(Bytes bytes, size_t alignment) override;  // refused: an image has a shape
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  Bytes release_cached() override;
  bool owns(void* pointer) const;
  Device device() const override { return device_; }
  MemoryStats stats() const override;

 private:
  struct Image {
    ImageShape shape;
    bool used = false;
  };
  Result<void*> take(const ImageShape& shape);

  std::shared_ptr<Runtime> runtime_;
  Device device_;
  PoolOptions options_;
  mutable std::mutex mutex_;
  std::map<void*, Image> images_;
  MemoryStats stats_;
};

class DevicePool final : public Allocator {
 public:
  DevicePool(const std::shared_ptr<Runtime>& runtime, Device device, const PoolOptions& options)
      : buffers_(runtime, device, options), images_(runtime, device, options) {}

  // The next allocation is an image of this shape, whose bytes it asks for.
  void want_image(const ImageShape& shape);
  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override;
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  Bytes release_cached() override { return buffers_.release_cached() + images_.release_cached(); }
  Device device() const override { return buffers_.device(); }
  MemoryStats stats() const override;
  const BufferPool& buffers() const { return buffers_; }
  const ImagePool& images() const { return images_; }

 protected:
  void on_attach(const AllocatorHooks& hooks) override;

 private:
  BufferPool buffers_;
  ImagePool images_;
  std::mutex mutex_;
  std::optional<ImageShape> wanted_;
};

}  // namespace arenascope::opencl
