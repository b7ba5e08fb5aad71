// SPDX-License-Identifier: MIT
// Constant weights as kernels read them, made once when nodes are prepared: a convolution's on images, a convolution's by
// Winograd's transform, and a matmul's that was quantised, unpacked.
#pragma once
#include <map>
#include <memory>
#include <tuple>

#include <arenascope/tensor/tensor.h>
#include "engine/backends/opencl/call.h"
#include "engine/backends/opencl/image_pool.h"

namespace arenascope::opencl {

struct NodeWeights {
  Storage filter, bias;  // of a convolution on images; of float16 images in float16
  bool filter_image = false;
  Tensor unpacked;   // of a matmul: float32, or float16 where its rows are
  Storage winograd;  // of a convolution: its filters, transformed
};

// What of it is wanted.
struct WeightOptions {
  bool filter_images = false;  // filters of convolutions on images lie in images too, where these are not too large
  bool unpack = false;         // quantised weights of matmuls are unpacked
};

class WeightPacking {
 public:
  // `pool`: static memory of the device, which the context's weights lie in; it may be null.
  WeightPacking(Station& station, WeightOptions options, std::shared_ptr<DevicePool> pool, Device device,
                ExecutionContext& context)
      : station_(station), options_(options), pool_(std::move(pool)), device_(device), context_(context) {}
  // Null: the node has none that have to be made. Nodes that read them alike share them. Errors: no memory, what the driver
  // says.
  Result<std::shared_ptr<const NodeWeights>> weights_of(const TensorImpl& node);

 private:
  enum class Kind : uint8_t { Filter, DepthwiseFilter, Unpacked, Winograd };
  using Key = std::tuple<const std::byte*, const std::byte*, DType, Kind>;  // weights, bias, as what
  Result<std::shared_ptr<const NodeWeights>> pack_filter(const TensorImpl& conv);
  Result<std::shared_ptr<const NodeWeights>> unpack(const TensorImpl& matmul);
  Result<std::shared_ptr<const NodeWeights>> transform(const TensorImpl& conv);
  Status pack(const TensorImpl& weight, DType type, int64_t inputs, int64_t filled, int64_t taps, Storage& to);
  Result<bool> pack_image(const TensorImpl& weight, DType type, int64_t inputs, int64_t filled, int64_t taps,
                          Storage& to);

  Station& station_;
  const WeightOptions options_;
  const std::shared_ptr<DevicePool> pool_;
  const Device device_;
  ExecutionContext& context_;
  std::map<Key, std::shared_ptr<const NodeWeights>> made_;
};

}  // namespace arenascope::opencl
