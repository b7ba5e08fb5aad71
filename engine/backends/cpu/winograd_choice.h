// SPDX-License-Identifier: MIT
// Selects the convolutions that use Winograd's transform. Transformed weights take 16 elements instead of 9, so they
// are limited to a share of all weights of the graph. Weights that save the most multiplications per byte are chosen
// first.
#pragma once
#include <cstddef>
#include <span>
#include <unordered_set>

#include <arenascope/runtime/prepared.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cpu {

class WinogradChoice {
 public:
  WinogradChoice() = default;  // none
  // The nodes' memory must be bound. `max`: limit of the transformed weights' bytes, as a factor of all weight bytes;
  // small graphs may always use a few.
  WinogradChoice(std::span<const TensorImpl* const> nodes, double most);

  bool takes(const TensorImpl& node) const;
  const PackedWeights& summary() const { return summary_; }

 private:
  std::unordered_set<const std::byte*> taken_;  // by address of the weight
  PackedWeights summary_;
};

}  // namespace arenascope::cpu
