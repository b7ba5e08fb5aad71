// SPDX-License-Identifier: MIT
// Ops on tensors as images, and what leads to and from them.
#pragma once
#include <map>
#include <memory>
#include <tuple>

#include "engine/backends/opencl/image_pool.h"
#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {

// A convolution's weights as its kernel on images reads them.
struct ImageWeights {
  Storage filter, bias;  // of float16 images in float16
};

// Whether a node is computed on images (source -1), whether it then reads that source as an image.
Side image_packing(const DeviceFacts& facts, const TensorImpl& node, int source);

// Queues a node whose result, or the source of a copy, is an image. `weights`: a convolution's.
Status run_on_images(Station& station, const TensorImpl& node, const ImageWeights* weights);

// Packs the weights of nodes that are computed on images, once for all nodes that read them alike.
class ImagePacking {
 public:
  ImagePacking(Station& station, Device device, ExecutionContext& context)
      : station_(station), device_(device), context_(context) {}
  // Null: the node has none to be packed. Errors: no memory, what the driver says.
  Result<std::shared_ptr<const ImageWeights>> weights_of(const TensorImpl& node);

 private:
  using Key = std::tuple<const std::byte*, const std::byte*, DType, bool>;  // filter, bias, as what, depthwise
  Result<std::shared_ptr<const ImageWeights>> pack(const TensorImpl& node);

  Station& station_;
  const Device device_;
  ExecutionContext& context_;
  std::map<Key, std::shared_ptr<const ImageWeights>> packed_;
};

}  // namespace arenascope::opencl
