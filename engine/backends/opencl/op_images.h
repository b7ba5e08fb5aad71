// SPDX-License-Identifier: MIT
// Ops on tensors as images, and what leads to and from them.
#pragma once
#include <map>

#include "engine/backends/opencl/image_pool.h"
#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {

class ImageOps {
 public:
  // Whether a node is computed on images (source -1), whether it then reads that source as an image.
  Side packing(const DeviceFacts& facts, const TensorImpl& node, int source) const;

  // Packs the weights of nodes that are computed on images. Errors: no memory.
  Status prepare(Station& station, Device device, std::span<TensorImpl* const> nodes, ExecutionContext& context);

  // Queues a node whose result, or the source of a copy, is an image.
  Status run(Station& station, const TensorImpl& node) const;

 private:
  struct Weights {
    Storage filter, bias;
  };
  Status convolve(Station& station, const TensorImpl& node) const;
  std::map<const TensorImpl*, Weights> weights_;
};

}  // namespace arenascope::opencl
