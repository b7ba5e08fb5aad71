// SPDX-License-Identifier: MIT
// Splits a list of nodes, in execution order, into single nodes and chains that one kernel computes.
#pragma once
#include <span>
#include <vector>

#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cuda {

class Chains {
 public:
  struct Part {
    size_t first;
    size_t count;
  };
  // All nodes' memory must be bound. Outputs, and nodes with several users or views, end their chain.
  explicit Chains(std::span<const TensorImpl* const> nodes);

  const std::vector<Part>& parts() const { return parts_; }
  int longer_than_one() const;

 private:
  std::vector<Part> parts_;
};

}  // namespace arenascope::cuda
