// SPDX-License-Identifier: MIT
// Builder of a pointwise program: its steps, its inputs, and their layout over the result's shape.
#pragma once
#include <vector>

#include "engine/backends/cuda/kernels/flat.h"
#include "engine/backends/cuda/lowering/families.h"
#include "engine/backends/cuda/lowering/shapes.h"

namespace arenascope::cuda {

// The class in which a node computes: that of its inputs, not of its result.
NumberClass computes_in(const TensorImpl& node);
// True if the op can be a step.
bool has_step(Op op);

class PointwiseProgram {
 public:
  explicit PointwiseProgram(const TensorImpl& result);

  bool begin(const TensorImpl& first) { return step(PointwiseOpcode::Load, &first); }
  // Adds the node as a step; its input `accumulated` is the accumulator. False: the program is full, or the op is not
  // supported.
  bool add(const TensorImpl& node, size_t accumulated);
  // Adds one value per channel (dimension 1 of the result).
  bool add_channels(const TensorImpl& bias) { return step(PointwiseOpcode::Add, &bias, 0, 0, true); }
  // Queues the program, which must not be used afterwards.
  Status queue(Queue& queue, NumberClass numbers);

 private:
  struct Input {
    const TensorImpl* tensor;
    bool channels;  // one element per channel
  };

  bool step(PointwiseOpcode what, const TensorImpl* input = nullptr, double a = 0, double b = 0, bool channels = false);
  void lay_out();
  bool vectors() const;
  bool is_flat(FlatWork& flat) const;

  const TensorImpl& result_;
  PointwiseWork work_;
  std::vector<Input> inputs_;
};

}  // namespace arenascope::cuda
