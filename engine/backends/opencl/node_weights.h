// SPDX-License-Identifier: MIT
// Constant weights in the form that kernels read, created once when nodes are prepared: filters of convolutions on
// images, filters transformed for Winograd, and unpacked quantised weights of matmuls.
#pragma once
#include <map>
#include <memory>
#include <tuple>

#include <arenascope/tensor/tensor.h>
#include "engine/backends/opencl/call.h"
#include "engine/backends/opencl/image_pool.h"

namespace arenascope::opencl {

struct NodeWeights {
  Storage filter, bias;  // of a convolution on images; float16 for float16 images
  bool filter_image = false;
  Tensor unpacked;   // weights of a matmul: float32, or float16 if its rows are
  Storage winograd;  // transformed filters of a convolution
};

// The forms that may be created.
struct WeightOptions {
  bool filter_images = false;  // filters of convolutions on images are images too, if small enough
  bool unpack = false;         // quantised weights of matmuls are unpacked
};

class WeightPacking {
 public:
  // `pool`: static device memory that holds the context's weights; may be null.
  WeightPacking(KernelContext& ctx, WeightOptions options, std::shared_ptr<DevicePool> pool, Device device,
                ExecutionContext& context)
      : ctx_(ctx), options_(options), pool_(std::move(pool)), device_(device), context_(context) {}
  // Null: the node needs no prepared weights. Nodes that read a weight in the same way share them. Errors: out of
  // memory, driver errors.
  Result<std::shared_ptr<const NodeWeights>> weights_of(const TensorImpl& node);

 private:
  enum class Kind : uint8_t { Filter, DepthwiseFilter, Unpacked, Winograd };
  using Key = std::tuple<const std::byte*, const std::byte*, DType, Kind>;  // weights, bias, type, form
  Result<std::shared_ptr<const NodeWeights>> pack_filter(const TensorImpl& conv);
  Result<std::shared_ptr<const NodeWeights>> unpack(const TensorImpl& matmul);
  Result<std::shared_ptr<const NodeWeights>> transform(const TensorImpl& conv);
  Status pack(const TensorImpl& weight, DType type, int64_t inputs, int64_t filled, int64_t taps, Storage& to);
  Result<bool> pack_image(const TensorImpl& weight, DType type, int64_t inputs, int64_t filled, int64_t taps,
                          Storage& to);

  KernelContext& ctx_;
  const WeightOptions options_;
  const std::shared_ptr<DevicePool> pool_;
  const Device device_;
  ExecutionContext& context_;
  std::map<Key, std::shared_ptr<const NodeWeights>> made_;
};

}  // namespace arenascope::opencl
