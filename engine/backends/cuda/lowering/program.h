// SPDX-License-Identifier: MIT
// A pointwise program being written: its steps, its inputs, and how they lie over the result's shape.
#pragma once
#include <vector>

#include "engine/backends/cuda/kernels/flat.h"
#include "engine/backends/cuda/lowering/families.h"
#include "engine/backends/cuda/lowering/shapes.h"

namespace arenascope::cuda {

// The class in which a node computes: that of what it works on, not of what it makes.
NumberClass computes_in(const TensorImpl& node);
// Whether a step does what the op does.
bool has_step(Op op);

class Program {
 public:
  explicit Program(const TensorImpl& result);

  bool begin(const TensorImpl& first) { return step(Do::Load, &first); }
  // Adds what `node` does; its source number `accumulated` is the accumulator. False: there is no room, or no way.
  bool add(const TensorImpl& node, size_t accumulated);
  // Adds one number a channel, the result's dimension 1.
  bool add_channels(const TensorImpl& bias) { return step(Do::Add, &bias, 0, 0, true); }
  // Queues it; nothing of it can be used afterwards.
  Status queue(Queue& queue, NumberClass numbers);

 private:
  struct Input {
    const TensorImpl* tensor;
    bool channels;  // one element a channel
  };

  bool step(Do what, const TensorImpl* input = nullptr, double a = 0, double b = 0, bool channels = false);
  void lay_out();
  bool vectors() const;
  bool is_flat(FlatWork& flat) const;

  const TensorImpl& result_;
  PointwiseWork work_;
  std::vector<Input> inputs_;
};

}  // namespace arenascope::cuda
